import type { IntegrationContent } from '@mortise/manifest'
import { describe, expect, test } from 'vitest'
import { NamesBusy } from '../../../kernel/http/index.ts'
import { labelOf } from '../../integrations/integrations/index.ts'
import type { Described } from './describe-objects.ts'
import { hydratedContent } from './hydrate.ts'
import { withLabels, withoutReadOnly } from './model.ts'

describe('names for people', () => {
  test.each([
    ['email', 'Email'],
    ['createdAt', 'Created At'],
    ['created_at', 'Created At'],
    ['hs-lead-status', 'Hs Lead Status'],
    ['HTTPStatus', 'HTTP Status'],
    ['line2Address', 'Line2 Address'],
    ["$['address']['postalCode']", 'Address Postal Code'],
    ['job.appointments', 'Job Appointments'],
    ['price_book/services', 'Price Book Services'],
    ['Already Named', 'Already Named'],
    ['größe', 'Größe'],
    ['__', '__'],
  ])('%s is %s', (name, label) => {
    expect(labelOf(name)).toBe(label)
  })

  test('the provider’s own word is kept, and a name that it repeats is no word', () => {
    const { displayName, fields } = withLabels({
      name: 'contacts',
      fields: {
        email: { fieldName: 'email', displayName: 'E-mail address' },
        created_at: { fieldName: 'created_at', displayName: 'created_at' },
        ...JSON.parse('{"__proto__": {"fieldName": "__proto__", "displayName": "__proto__"}}'),
      },
    })
    expect(displayName).toBe('Contacts')
    expect(Object.values(fields).map((field) => field.displayName)).toEqual(['E-mail address', 'Created At', 'Proto'])
    expect(Object.keys(fields)).toContain('__proto__')
  })

  test('fields that cannot be written are left out on request', () => {
    const fields = {
      a: { fieldName: 'a', displayName: 'A', readOnly: true },
      b: { fieldName: 'b', displayName: 'B', readOnly: false },
      c: { fieldName: 'c', displayName: 'C' },
    }
    expect(Object.keys(withoutReadOnly({ name: 'o', fields }).fields)).toEqual(['b', 'c'])
  })
})

const field = (fieldName: string, more: object = {}) => ({ fieldName, displayName: labelOf(fieldName), ...more })
const contacts: Described = {
  metadata: {
    name: 'contacts',
    displayName: 'People of the CRM',
    fields: {
      Email: field('Email'),
      phone: field('phone'),
      stage: field('stage', { valueType: 'singleSelect', values: [{ value: 'a', displayValue: 'A' }] }),
      score: field('score', { displayName: 'Lead score' }),
    },
  },
}
const base = { objectName: 'contacts', destination: 'hook', schedule: '0 * * * *' }
const content = (object: object, more: object = {}): IntegrationContent => ({
  name: 'crm',
  provider: 'sampleCrm',
  read: { objects: [{ ...base, ...object }] },
  ...more,
})
const hydrated = (object: object, described: Described = contacts) =>
  hydratedContent(content(object), new Map([['contacts', described]])).read?.objects[0]

describe('a hydrated object', () => {
  test('has all fields, to map from, and what the provider says of them', () => {
    const object = hydrated({})
    expect(object).toMatchObject({ ...base, displayName: 'People of the CRM' })
    expect(object?.allFields).toEqual([
      { fieldName: 'Email', displayName: 'Email' },
      { fieldName: 'phone', displayName: 'Phone' },
      { fieldName: 'stage', displayName: 'Stage' },
      { fieldName: 'score', displayName: 'Lead score' },
    ])
    expect(object?.allFieldsMetadata?.['stage']).toMatchObject({
      valueType: 'singleSelect',
      values: [{ value: 'a', displayValue: 'A' }],
    })
    expect(object).not.toHaveProperty('error')
    expect(object).not.toHaveProperty('optionalFields')
  })

  test('names what the manifest names, and leaves mappings without a field name', () => {
    const mapping = { mapToName: 'level', default: 'stage', prompt: 'Which?' }
    const object = hydrated({
      requiredFields: [{ fieldName: 'email', mapToName: 'mail' }, mapping],
      optionalFields: [{ fieldName: "$['a']['b']" }, mapping],
      mapToName: 'people',
      mapToDisplayName: 'People',
      backfill: { defaultPeriod: { days: 3 } },
    })
    expect(object).toMatchObject({
      mapToName: 'people',
      mapToDisplayName: 'People',
      backfill: { defaultPeriod: { days: 3 } },
    })
    expect(object?.requiredFields).toEqual([{ fieldName: 'email', mapToName: 'mail', displayName: 'Email' }, mapping])
    expect(object?.optionalFields).toEqual([{ fieldName: "$['a']['b']", displayName: 'A B' }, mapping])
  })

  test('offers every field that is not required one by one, where the manifest offers all', () => {
    const object = hydrated({
      requiredFields: [{ fieldName: 'email' }, { mapToName: 'level', default: 'stage' }],
      optionalFields: [{ fieldName: 'score', mapToName: 'points' }],
      optionalFieldsAuto: 'all',
    })
    expect(object?.optionalFieldsAuto).toBe('all')
    expect(object?.optionalFields).toEqual([
      { fieldName: 'score', mapToName: 'points', displayName: 'Lead score' },
      { fieldName: 'phone', displayName: 'Phone' },
      { fieldName: 'stage', displayName: 'Stage' },
    ])
  })

  test('says why the provider could not be asked, and keeps what the manifest names', () => {
    const failure = { scope: 'request' as const, problem: new NamesBusy({ detail: 'Not for you.' }) }
    const object = hydrated({ requiredFields: [{ fieldName: 'first_name' }], optionalFieldsAuto: 'all' }, { failure })
    expect(object).toMatchObject({
      error: 'Not for you.',
      displayName: 'Contacts',
      requiredFields: [{ fieldName: 'first_name', displayName: 'First Name' }],
      optionalFields: [],
      allFields: [],
      allFieldsMetadata: {},
    })
  })
})

test('content without reads, and what is no part of a hydrated revision', () => {
  const whole = content(
    { delivery: { mode: 'auto' }, enabled: 'always' },
    {
      displayName: 'CRM',
      module: 'crm',
      write: {
        objects: [{ objectName: 'contacts', valueDefaults: { allowAnyFields: true } }, { objectName: 'deals' }],
      },
      proxy: { enabled: true, useModule: true },
      subscribe: { objects: [] },
      watchSchema: { destination: 'hook', allObjects: {} },
    },
  )
  const result = hydratedContent(whole, new Map([['contacts', contacts]]))
  expect(Object.keys(result).sort()).toEqual(['displayName', 'module', 'name', 'provider', 'proxy', 'read', 'write'])
  expect(result.write?.objects).toEqual([
    { objectName: 'contacts', displayName: 'People of the CRM', valueDefaults: { allowAnyFields: true } },
    { objectName: 'deals', displayName: 'Deals' },
  ])
  expect(result.proxy).toEqual({ enabled: true, useModule: true })
  const { read: _, ...unread } = whole
  expect(hydratedContent(unread, new Map())).not.toHaveProperty('read')
})
