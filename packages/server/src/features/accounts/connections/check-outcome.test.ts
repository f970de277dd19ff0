import { expect, test } from 'vitest'
import { failedCheck } from './check-outcome.ts'

const waiting = new AbortController().signal

test('a provider that does not answer in time could not be reached', () => {
  const passed = AbortSignal.abort(new DOMException('The time is over', 'TimeoutError'))
  expect(failedCheck(passed.reason, passed)).toMatchObject({
    outcome: 'unreachable',
    reason: 'The provider did not respond in time.',
    mayChange: true,
  })
})

test('an error of our own is no answer of a provider', () => {
  expect(failedCheck(new TypeError('a fault'), waiting)).toBeUndefined()
})
