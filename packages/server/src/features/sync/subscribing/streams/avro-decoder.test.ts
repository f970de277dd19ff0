import { type Schema, Type } from 'avsc'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { compileDecoder, EventUndecodable } from './avro-decoder.ts'

const record = (...fields: { name: string; type: unknown }[]) => ({ type: 'record', name: 'Event', fields })
const header = {
  type: 'record',
  name: 'ChangeEventHeader',
  fields: ['changedFields', 'nulledFields', 'diffFields'].map((name) => ({
    name,
    type: { type: 'array', items: 'string' },
  })),
}
const decode = (schema: object, payload: Buffer) => compileDecoder(JSON.stringify(schema))(payload)
const encode = (schema: object, value: unknown) => Type.forSchema(schema as Schema).toBuffer(value)

it('decodes every type as another library encodes it', () => {
  const schema = record(
    { name: 'nothing', type: 'null' },
    { name: 'yes', type: 'boolean' },
    { name: 'whole', type: 'int' },
    { name: 'large', type: 'long' },
    { name: 'half', type: 'float' },
    { name: 'exact', type: { type: 'double', logicalType: 'x' } },
    { name: 'text', type: 'string' },
    { name: 'bytes', type: 'bytes' },
    { name: 'two', type: { type: 'fixed', name: 'Two', namespace: 'other', size: 2 } },
    { name: 'again', type: 'other.Two' },
    { name: 'color', type: { type: 'enum', name: 'Color', symbols: ['red', 'green'] } },
    { name: 'list', type: { type: 'array', items: ['null', 'string'] } },
    { name: 'map', type: { type: 'map', values: 'long' } },
    { name: 'next', type: ['null', 'Event'] },
  )
  const bytes = Buffer.from([1, 2])
  const one = {
    ...{ nothing: null, yes: true, whole: -5, large: 2 ** 40, half: 0.5, exact: 0.1, text: 'é', bytes, two: bytes },
    ...{ again: bytes, color: 'green', list: [null, 'a'], map: { a: -1 } },
  }
  const base = {
    ...one,
    ...{ bytes: 'AQI=', two: 'AQI=', again: 'AQI=', list: [null, 'a'] },
  }
  const payload = encode(schema, { ...one, next: { ...one, next: null } })
  expect(decode(schema, payload)).toEqual({ ...base, next: { ...base, next: null } })
})

it('keeps whole numbers that JavaScript cannot hold, as texts', () => {
  const schema = record({ name: 'large', type: 'long' })
  expect(decode(schema, Buffer.from('feffffffffffffffff01', 'hex'))).toEqual({ large: '9223372036854775807' })
  expect(decode(schema, Buffer.from('ffffffffffffffffff01', 'hex'))).toEqual({ large: '-9223372036854775808' })
})

it.each([
  ['a list of four billion items', { type: 'array', items: 'string' }, 'fe ff ff ff 1f 00'],
  ['a list of items without a byte', { type: 'array', items: 'null' }, 'fe ff ff ff 1f 00'],
  ['a text that is longer than the event', 'string', 'fe ff ff ff 1f 61'],
  ['a text of a negative length', 'string', '01'],
  ['a number that does not end', 'long', 'ff ff ff ff ff ff ff ff ff ff ff 01'],
  ['a position that a union does not have', ['null', 'string'], '08'],
  ['bytes after the event', 'null', '00'],
  ['nothing', 'int', ''],
])('refuses %s', (_, type, hex) => {
  const payload = Buffer.from(hex.replaceAll(' ', ''), 'hex')
  expect(() => decode(record({ name: 'it', type }), payload)).toThrow(EventUndecodable)
})

it('refuses events that contain themselves without an end', () => {
  expect(() => decode(record({ name: 'it', type: 'Event' }), Buffer.alloc(8))).toThrow(EventUndecodable)
})

it('refuses what is not a schema of a record', () => {
  const schemas = ['', '<html>', 'null', '"string"', '[]', '{"type":"record"}', '{"type":"record","name":"E"}']
  const deep = `${'['.repeat(100_000)}`
  for (const schema of [...schemas, deep, JSON.stringify(record({ name: 'it', type: 'Unknown' }))])
    expect(() => compileDecoder(schema)).toThrow(EventUndecodable)
})

it('decodes any bytes or refuses them', () => {
  const decoder = compileDecoder(
    JSON.stringify(record({ name: 'list', type: { type: 'array', items: ['null', 'string', 'Event'] } })),
  )
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      try {
        expect(decoder(Buffer.from(bytes))).toBeTypeOf('object')
      } catch (error) {
        expect(error).toBeInstanceOf(EventUndecodable)
      }
    }),
  )
})

it('names the changed fields, and the parts of compound ones as the API does', () => {
  const part = (name: string, ...parts: string[]) => ({
    name,
    type: [
      'null',
      { type: 'record', name: `${name}Parts`, fields: parts.map((one) => ({ name: one, type: 'string' })) },
    ],
  })
  const schema = record(
    { name: 'ChangeEventHeader', type: header },
    part('Name', 'FirstName', 'LastName'),
    part('BillingAddress', 'Street', 'City'),
    part('Office__c', 'City'),
    { name: 'Phone', type: ['null', 'string'] },
    { name: 'Fax', type: ['null', 'string'] },
  )
  const lists = { changedFields: ['0x30', '1-0x02', '2-0x2', '3-0x01', '9-0x01', '4-0x01'], diffFields: [] }
  const payload = encode(schema, {
    ChangeEventHeader: { ...lists, nulledFields: ['0x20', 'Known', '0x'] },
    ...{ Name: null, BillingAddress: null, Office__c: null, Phone: '1', Fax: null },
  })
  expect(decode(schema, payload)).toEqual({
    ChangeEventHeader: {
      changedFields: [
        ...['Phone', 'Fax', 'Name', 'LastName', 'BillingAddress', 'BillingCity', 'Office__c', 'Office__City__s'],
      ],
      nulledFields: ['Fax', 'Known'],
      diffFields: [],
    },
    // Null because it changed, or because a part of it did; the others did not change.
    ...{ Name: null, BillingAddress: null, Office__c: null, Phone: '1', Fax: null },
  })
})
