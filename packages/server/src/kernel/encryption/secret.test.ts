import { format, inspect } from 'node:util'
import { expect, test } from 'vitest'
import { Secret } from './secret.ts'

const secret = new Secret('hunter2')

test('a secret gives its value to who asks for it', () => {
  expect(secret.reveal()).toBe('hunter2')
})

test.each<[string, () => string]>([
  ['text', () => `${secret} ${String(secret)} ${secret.toString()}`],
  ['JSON', () => JSON.stringify({ secret, list: [secret] })],
  ['inspection', () => inspect({ deep: { secret } }, { depth: null, showHidden: true }) + inspect(secret)],
  ['formatting', () => format('%s %o %O %j', secret, secret, secret, secret)],
  ['its own keys', () => JSON.stringify([Object.entries(secret), Object.getOwnPropertyNames(secret), { ...secret }])],
  ['a clone', () => inspect(structuredClone(secret))],
])('it does not show in %s', (_, print) => {
  expect(print()).not.toContain('hunter2')
})

test('what shows instead says what it is', () => {
  expect([`${secret}`, JSON.stringify(secret), inspect(secret)]).toEqual(['[secret]', '"[secret]"', '[secret]'])
})
