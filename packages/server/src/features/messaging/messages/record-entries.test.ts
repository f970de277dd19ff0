import { expect, it } from 'vitest'
import { cutDataMessages, type DataMessageHeader } from './data-message.ts'
import { hasEntries, messageByUrl, messageOf, partsOfMessage, splitId } from './record-entries.ts'

const header = {
  action: 'read',
  groupName: 'a "quoted" ,"resultInfo":{ and },"result":[ \\',
  objectName: 'contacts',
} as DataMessageHeader
const limits = { messageBytesMax: 300_000 }

it.each([
  ['one', ['{"id":"1"}']],
  ['nested ones', ['{"a":[1,{"b":"],}"}]}', '{"c":{}}', '[]']],
  ['texts with escapes', ['{"a":"\\""}', '{"b":"\\\\"}', '"x,y]"']],
  ['large numbers', ['{"n":12345678901234567890.10}', 'null', '1e400']],
])('returns the bytes of records: %s', (_, entries) => {
  const [message] = cutDataMessages(header, entries, limits)
  const parts = partsOfMessage(message!.payload)
  expect(parts?.entries).toEqual(entries)
  expect(messageOf(parts!.header, entries)).toEqual(message!.payload)
  expect(JSON.parse(`${parts!.header}}`)).toEqual(header)
})

it('keeps the form of a message by URL', () => {
  const [message] = cutDataMessages(header, [JSON.stringify({ id: '1', note: 'x'.repeat(300_000) })], limits)
  const parts = partsOfMessage(message!.payload)
  expect(parts?.entries).toBeUndefined()
  expect(messageByUrl(parts!.header)).toEqual(message!.payload)
})

it.each(['{}', '{"notificationType":"x","data":{}}', 'no JSON', '{"a":1,"resultInfo":{"type":"inline"},"result":{}}'])(
  'finds no records in %s',
  (text) => {
    expect(hasEntries(Buffer.from(text), [0])).toBe(false)
  },
)

it('reads a long message in one pass', () => {
  const entries = Array.from({ length: 20_000 }, (_, at) => `{"id":"${at}","x":[[[[]]]]}`)
  const [message] = cutDataMessages(header, entries, { messageBytesMax: 10_000_000 })
  expect(partsOfMessage(message!.payload)?.entries).toHaveLength(20_000)
  // A message that ends in the middle loses the record that is not whole.
  expect(partsOfMessage(message!.payload.subarray(0, 1_000))!.entries!.length).toBeLessThan(50)
})

it('gives a record an id with the time of its message, always the same', () => {
  const id = '019ac1c0-1234-7000-8000-0123456789ab'
  expect(splitId(id, 3)).toBe(splitId(id, 3))
  expect(splitId(id, 3)).not.toBe(splitId(id, 4))
  expect(splitId(id, 3)).toMatch(/^019ac1c0-1234-7000-8000-01[0-9a-f]{10}$/)
})
