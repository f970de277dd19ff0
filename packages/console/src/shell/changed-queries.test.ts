import { expect, test } from 'vitest'
import { isStale } from './changed-queries.ts'

test('a change makes the answers stale that show it, and no others', () => {
  const changed = new Set(['connection'] as const)
  expect(isStale(['getConnection', {}], changed)).toBe(true)
  expect(isStale(['listTimeline', {}, 'pages'], changed)).toBe(true)
  expect(isStale(['listMessages', {}, 'pages'], changed)).toBe(false)
})

test('after a gap, everything of the project is stale, but not the account', () => {
  const changed = new Set(['all'] as const)
  expect(isStale(['listMessages', {}, 'pages'], changed)).toBe(true)
  expect(isStale(['me'], changed)).toBe(false)
  expect(isStale(['projects'], changed)).toBe(false)
})

test('several changes are seen together', () => {
  const changed = new Set(['provider-event', 'destination'] as const)
  expect(isStale(['listProviderEvents', {}], changed)).toBe(true)
  expect(isStale(['getDestination', {}], changed)).toBe(true)
  expect(isStale(['getOperation', {}], changed)).toBe(false)
})
