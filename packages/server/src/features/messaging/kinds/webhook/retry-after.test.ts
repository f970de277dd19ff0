import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readRetryAfterMs } from './retry-after.ts'

describe('Retry-After', () => {
  const now = new Date('2026-01-01T00:00:00Z')
  it.each([
    ['120', 120_000],
    ['0', 0],
    ['Thu, 01 Jan 2026 00:02:00 GMT', 120_000],
    ['Wed, 31 Dec 2025 00:00:00 GMT', undefined],
    ['-5', undefined],
    ['1.5', undefined],
    ['soon', undefined],
    ['9'.repeat(400), undefined],
    ['', undefined],
    [undefined, undefined],
  ])('%s is %s ms', (text, ms) => {
    expect(readRetryAfterMs(text, now)).toBe(ms)
  })

  it('is never read as something unusable', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const ms = readRetryAfterMs(text, now)
        expect(ms === undefined || (ms >= 0 && Number.isFinite(ms))).toBe(true)
      }),
    )
  })
})
