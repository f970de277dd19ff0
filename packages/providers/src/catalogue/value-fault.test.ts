import { expect, test } from 'vitest'
import { valueFault } from './value-fault.ts'

test('the whole value matches, or the sentence says how a value looks', () => {
  const form = { pattern: '[a-z]+', example: 'acme' }
  expect(valueFault(form, 'acme')).toBeUndefined()
  for (const value of ['acme.example', ' acme', 'acme\n', 'Acme', ''])
    expect(valueFault(form, value)).toBe('Enter a value like acme.')
  expect(valueFault({ pattern: 'a|b' }, 'ab')).toBe('The value does not have the right format.')
  expect(valueFault({ example: 'acme' }, 'anything')).toBeUndefined()
})

test('the sentence never repeats the value', () => {
  expect(valueFault({ pattern: 'sk_[a-z]+' }, 'the-secret')).not.toContain('the-secret')
})

test('a pattern that takes a native expression exponential time ends', () => {
  expect(valueFault({ pattern: '(a+)+' }, `${'a'.repeat(20_000)}!`)).toBeDefined()
})
