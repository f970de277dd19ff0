import { Ajv } from 'ajv'
import { expect, it } from 'vitest'
import { withSharedParts } from './shared-schemas.ts'

const text = { type: 'string', minLength: 2, description: 'A text. '.repeat(40) }
const part = { type: 'object', properties: { text, other: text }, required: ['text'], additionalProperties: false }
const schema = { type: 'object', properties: { one: part, two: structuredClone(part), small: { type: 'number' } } }

it('has each large part once, also where parts hold parts', () => {
  const shared = withSharedParts(schema)
  expect(Object.keys(shared['$defs'] as object)).toHaveLength(2)
  expect(shared['properties']).toMatchObject({ one: { $ref: '#/$defs/part0' }, two: { $ref: '#/$defs/part0' } })
  expect(JSON.stringify(shared).split(text.description)).toHaveLength(2)
})

it.each([
  {},
  { one: { text: 'ab' }, two: { text: 'ab', other: 'cd' }, small: 1 },
  { one: {}, two: { text: 'a', unknown: 1 }, small: 'x' },
  { one: [], two: { text: 1, other: 'a' } },
])('judges %j as the whole schema does, fault by fault', (value) => {
  const faults = (of: object) => {
    const check = new Ajv({ allErrors: true }).compile(of)
    check(value)
    return check.errors?.map(({ instancePath, keyword, message, params }) => ({
      instancePath,
      keyword,
      message,
      params,
    }))
  }
  expect(faults(withSharedParts(schema))).toEqual(faults(schema))
})
