import { expect, test } from 'vitest'
import { metadataValues, normalizeMetadata } from './provider-metadata.ts'

test.each([
  ['a text', { a: 'x' }, { a: { value: 'x', source: 'input' } }],
  ['a number', { a: 5 }, { a: { value: 5, source: 'input' } }],
  ['a value without source', { a: { value: 'x' } }, { a: { value: 'x', source: 'input' } }],
  [
    'a full item',
    { a: { value: 'x', source: 'token', displayName: 'A' } },
    { a: { value: 'x', source: 'token', displayName: 'A' } },
  ],
  ['a list', { a: ['x'] }, { a: ['x'] }],
  ['an object of another shape', { a: { b: { c: 1 } } }, { a: { b: { c: 1 } } }],
  ['null', { a: null }, { a: null }],
])('metadata: %s is kept as it should be', (_, given, kept) => {
  expect(normalizeMetadata(given)).toEqual(kept)
})

test.each([undefined, null, 'text', 5, ['a']])('metadata that is no object counts as absent: %s', (given) => {
  expect(normalizeMetadata(given)).toBeUndefined()
})

test('templates see plain values only, as text', () => {
  const values = metadataValues({
    a: { value: 'x' },
    b: { value: 5 },
    c: ['x'],
    d: { value: '' },
    e: { b: 1 },
    f: 'plain',
  })
  expect({ ...values }).toEqual({ a: 'x', b: '5', f: 'plain' })
})
