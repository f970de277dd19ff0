import { expect, it } from 'vitest'
import { installationOf } from './installation-of.ts'

const of = (message: object) => installationOf({ body: Buffer.from(JSON.stringify(message)) })
/** A text that looks like the members of a message. */
const text = '","installationId":"another","result":[]'

it.each([
  ['before the result', { groupName: 'Acme', installationId: 'i-1', result: [{ id: 1 }] }],
  ['after the result', { result: [{ installationId: 'another' }], installationId: 'i-1' }],
  ['without a result', { installationId: 'i-1', resultInfo: { result: 1 } }],
  ['after an object with such members', { data: { installationId: 'another', result: [] }, installationId: 'i-1' }],
  ['before an object with such members', { installationId: 'i-1', data: { a: 1, result: [] } }],
  ['after a text with such members', { groupName: text, installationId: 'i-1', result: [text] }],
  ['before a result that is empty', { installationId: 'i-1', result: [] }],
])('the installation of a message is found %s', (_, message) => {
  expect(of(message)).toBe('i-1')
})

it.each([
  ['has none', { result: [] }],
  ['has none, but its records do', { action: 'read', result: [{ installationId: 'another', result: 1 }] }],
  ['has none, but a text', { groupName: text }],
  ['has an empty one', { installationId: '', result: [] }],
  ['has one that is no text', { installationId: 7, result: [] }],
])('a message that %s belongs to no installation', (_, message) => {
  expect(of(message)).toBeUndefined()
})

it('a body that is no JSON belongs to no installation', () => {
  expect(installationOf({ body: Buffer.from('"installationId":"i-1","result":[]') })).toBeUndefined()
})
