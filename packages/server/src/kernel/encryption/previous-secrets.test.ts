import { describe, expect, it } from 'vitest'
import { afterRotation, validSecrets } from './previous-secrets.ts'

describe('rotation', () => {
  const now = new Date('2026-01-01T00:00:00Z')
  const later = (hours: number) => new Date(now.getTime() + hours * 3_600_000)

  it('lets the old secret sign for 24 hours, and then no more', () => {
    const previous = afterRotation('old', [], now)
    expect(validSecrets(previous, new Date(later(24).getTime() - 1))).toEqual([
      { encrypted: 'old', until: later(24).toISOString() },
    ])
    expect(validSecrets(previous, later(24))).toEqual([])
  })

  it('keeps at most ten, newest first', () => {
    let previous = afterRotation('s0', [], now)
    for (let i = 1; i < 15; i++) previous = afterRotation(`s${i}`, previous, later(i / 60))
    expect(previous.map(({ encrypted }) => encrypted)).toEqual([
      's14',
      's13',
      's12',
      's11',
      's10',
      's9',
      's8',
      's7',
      's6',
      's5',
    ])
  })
})
