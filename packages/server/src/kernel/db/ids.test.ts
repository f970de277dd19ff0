import { version } from 'uuid'
import { describe, expect, it, vi } from 'vitest'
import { firstIdAt, isId, newId, timeOfId } from './ids.ts'

describe('new ids', () => {
  it('are UUIDs of version 7, each above the one before, and never twice', () => {
    const ids = Array.from({ length: 20_000 }, () => newId())
    expect(ids.every((id) => isId(id) && version(id) === 7)).toBe(true)
    expect(ids.toSorted()).toEqual(ids)
    expect(new Set(ids).size).toBe(ids.length)
  })

  it('say when they were made', () => {
    const before = Date.now()
    const made = timeOfId(newId()).getTime()
    expect(made).toBeGreaterThanOrEqual(before)
    expect(made).toBeLessThanOrEqual(Date.now() + 1)
    expect(newId() >= firstIdAt(new Date(before))).toBe(true)
  })

  it('go on rising when the clock is put back', () => {
    const earlier = newId()
    vi.useFakeTimers({ now: Date.now() - 60_000, toFake: ['Date'] })
    try {
      expect(newId() > earlier).toBe(true)
    } finally {
      vi.useRealTimers()
    }
  })
})
