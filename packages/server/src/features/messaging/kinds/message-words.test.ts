import { expect, it } from 'vitest'
import { cutToBytes, filledOrWords, messageWords } from './message-words.ts'
import { openTemplate } from './template.ts'

const body = (content: object) => Buffer.from(JSON.stringify(content))
const record = { provider: 'hubspot', objectName: 'contact', groupRef: 'acme' }
const read = { id: '1', kind: 'read', eventType: undefined, body: body(record) }

it('says what a message is about', () => {
  expect(messageWords(read)).toBe('read.hubspot.contact')
  expect(messageWords({ ...read, kind: 'notification', eventType: 'connection.error' })).toBe(
    'notification.connection.error',
  )
  expect(messageWords({ ...read, body: body([]) })).toBe('read.-.-')
})

it('says it of a message whose records it does not read', () => {
  const head = { ...record, groupName: ',"result":[', resultInfo: { numRecords: 1 } }
  const text = body({ ...head, result: [{ id: '1' }] }).toString()
  expect(messageWords({ ...read, body: Buffer.from(text) })).toBe('read.hubspot.contact')
  // Only what precedes the records is parsed.
  expect(messageWords({ ...read, body: Buffer.from(text.replace('{"id":"1"}', 'records')) })).toBe(
    'read.hubspot.contact',
  )
  const nested = { data: { a: 1, result: [1] }, ...record }
  expect(messageWords({ ...read, body: body(nested) })).toBe('read.hubspot.contact')
  expect(messageWords({ ...read, body: body({ a: 1, result: [1], ...record }) })).toBe('read.hubspot.contact')
})

it('has as many words whatever a customer names an object', () => {
  for (const objectName of ['a.b', 'a *>#\r\nb', '😀'.repeat(200), '', 7, '\0']) {
    const words = messageWords({ ...read, body: body({ ...record, objectName }) })
    expect(words.split('.')).toHaveLength(3)
    expect(words).not.toMatch(/[\s*>#\0]/)
    expect(words.isWellFormed()).toBe(true)
  }
})

it('is what a template makes, where it makes a text', () => {
  expect(filledOrWords(openTemplate("join('.', [data.groupRef, data.objectName])"), read)).toBe('acme.contact')
  expect(filledOrWords(openTemplate('data.missing'), read)).toBe('read.hubspot.contact')
  expect(filledOrWords(openTemplate('data'), { ...read, body: Buffer.from('no JSON') })).toBe('read.-.-')
})

it('is cut between two characters', () => {
  expect(cutToBytes('abc', 3)).toBe('abc')
  expect(cutToBytes('aä', 2)).toBe('a')
  expect(cutToBytes('😀😀', 7)).toBe('😀')
})
