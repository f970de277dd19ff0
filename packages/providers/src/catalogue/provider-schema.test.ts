import { readFile } from 'node:fs/promises'
import { Ajv } from 'ajv'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { providerFileSchema } from '../index.ts'

const check = new Ajv({ allErrors: true, strict: false, validateFormats: false }).compile(providerFileSchema())
const files = ['hubspot', 'pipedrive', 'wordPressSelfHosted'].map((name) => `../../providers/${name}.yaml`)

test.each([...files, '../../../../examples/sample-crm/providers/sampleCrm.yaml'])(
  'the schema accepts %s',
  async (file) => {
    const valid = check(parse(await readFile(new URL(file, import.meta.url), 'utf8')))
    expect(valid, JSON.stringify(check.errors)).toBe(true)
  },
)

test('the schema refuses a key that nobody knows, also inside of objects', () => {
  expect(check({ name: 'crm', pagination: {} })).toBe(false)
  expect(check({ name: 'crm', objects: { contacts: { read: { path: '/contacts', pages: 1 } } } })).toBe(false)
  expect(check({ name: 'crm', objects: { contacts: { read: { path: '/contacts' } } } })).toBe(true)
})

test('the schema lets an object take away a part of its template, down to a single parameter', () => {
  const read = { total: null, query: { limit: null } }
  expect(check({ name: 'crm', objects: { contacts: { like: 'list', read, get: null } } })).toBe(true)
})

test('the schema explains its keys', () => {
  const { properties } = providerFileSchema() as { properties: Record<string, { description?: string }> }
  expect(Object.entries(properties).filter(([, { description }]) => !description)).toEqual([])
})
