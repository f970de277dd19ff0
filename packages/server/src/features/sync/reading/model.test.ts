import { ProviderError } from '@mortise/providers'
import { describe, expect, it } from 'vitest'
import { classifyFailure } from '../../provider-calls/calls/index.ts'
import { consequenceOf, type ReadKind } from './model.ts'

const now = new Date('2026-01-01T00:00:00Z')
const run = (change: { kind?: ReadKind; attempt?: number; firstErrorAt?: Date; restarts?: number } = {}) => ({
  kind: 'backfill' as ReadKind,
  attempt: 0,
  restarts: 0,
  firstErrorAt: undefined,
  ...change,
})
const hoursAgo = (hours: number) => new Date(now.getTime() - hours * 3_600_000)

describe('what follows from an error of the provider', () => {
  it('waits as long as a rate limit asks', () => {
    const error = new ProviderError('rate_limited', 'slow down', { status: 429, retryAfterMs: 7_000 })
    expect(consequenceOf(classifyFailure(error), run(), now, 0.5)).toEqual({
      kind: 'wait',
      ms: 7_000,
      why: 'rate-limit',
    })
  })

  it.each([
    [0, 0, 800],
    [0, 0.5, 1_000],
    [3, 0.5, 8_000],
    [30, 0.5, 900_000],
  ])('backs off after a 5xx: attempt %i with random %d waits %i ms', (attempt, random, ms) => {
    const error = new ProviderError('provider_5xx', 'down', { status: 503 })
    expect(consequenceOf(classifyFailure(error), run({ attempt }), now, random)).toEqual({
      kind: 'wait',
      ms,
      why: 'retry',
    })
  })

  it.each([
    ['scheduled', hoursAgo(1)],
    ['backfill', hoursAgo(25)],
    ['triggered', hoursAgo(25)],
  ] as const)('gives a %s run up when errors last too long', (kind, firstErrorAt) => {
    const error = new ProviderError('provider_5xx', 'down', { status: 503 })
    expect(consequenceOf(classifyFailure(error), run({ kind, firstErrorAt }), now, 0.5)).toMatchObject({
      kind: 'fail',
      credentials: false,
    })
  })

  it.each(['provider_5xx', 'unexpected_response', 'not_found'] as const)(
    'waits as long as %s asks with Retry-After',
    (errorClass) => {
      const error = new ProviderError(errorClass, 'away', { status: 503, retryAfterMs: 5_000 })
      expect(consequenceOf(classifyFailure(error), run({ attempt: 5 }), now, 1)).toEqual({
        kind: 'wait',
        ms: 5_000,
        why: 'retry',
      })
    },
  )

  it('tries an answer that is not what the file declares again', () => {
    const error = new ProviderError('unexpected_response', 'a page', { status: 200 })
    expect(consequenceOf(classifyFailure(error), run(), now, 0.5)).toEqual({ kind: 'wait', ms: 1_000, why: 'retry' })
  })

  it('begins the window anew when the provider has forgotten the page', () => {
    expect(consequenceOf(classifyFailure(new ProviderError('cursor_gone', 'gone')), run(), now, 0.5)).toEqual({
      kind: 'restart',
    })
  })

  it('fails with the words of the provider when the window has begun anew too often', () => {
    const gone = classifyFailure(new ProviderError('cursor_gone', 'gone', { providerMessage: 'no such cursor' }))
    expect(consequenceOf(gone, run({ attempt: 20, restarts: 5 }), now, 0.5)).toEqual({ kind: 'restart' })
    expect(consequenceOf(gone, run({ restarts: 6 }), now, 0.5)).toMatchObject({
      kind: 'fail',
      reason: 'gone no such cursor',
    })
  })

  it('takes a refused credential for what it is', () => {
    const error = new ProviderError('auth_invalidated', 'refused', { status: 401 })
    expect(consequenceOf(classifyFailure(error), run(), now, 0.5)).toMatchObject({ kind: 'fail', credentials: true })
  })

  it.each(['forbidden', 'bad_request', 'endless_pages', 'list_truncated', 'unsupported_object'] as const)(
    'ends the run on %s',
    (errorClass) => {
      expect(consequenceOf(classifyFailure(new ProviderError(errorClass, 'no')), run(), now, 0.5)).toMatchObject({
        kind: 'fail',
        credentials: false,
      })
    },
  )

  it('tries again after an error of the network', () => {
    expect(consequenceOf(classifyFailure(new Error('reset')), run(), now, 0.5)).toMatchObject({
      kind: 'wait',
      why: 'retry',
    })
  })
})
