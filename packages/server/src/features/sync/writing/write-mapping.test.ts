import { describe, expect, it } from 'vitest'
import type { WriteConfigObject } from '../../integrations/installations/index.ts'
import { fieldRules } from './field-rules.ts'
import { inheritedMapping, noMapping, providerRecord, type WriteMapping } from './write-mapping.ts'

const read = {
  objectName: 'contacts',
  schedule: '0 0 * * *',
  destination: 'hook',
  requiredFields: [
    { fieldName: 'phone', mapToName: 'telephone' },
    { mapToName: 'stage', default: 'lifecycle' },
    { fieldName: 'email' },
  ],
  optionalFields: [
    { fieldName: "$['address']['city']", mapToName: 'town' },
    { mapToName: 'owner' },
    { mapToName: "$['company']['name']", prompt: 'Which?' },
  ],
}

function mapping(config: object = {}): WriteMapping {
  const installation = {
    integration: { name: 'crm', provider: 'x', read: { objects: [read] } },
    removedReadObjects: [],
    content: { provider: 'x', read: { objects: { contacts: { objectName: 'contacts', ...config } } } },
  }
  return inheritedMapping(installation, 'contacts')
}

describe('names of a caller become the provider’s', () => {
  it.each<[string, object, Record<string, unknown>, Record<string, unknown>]>([
    ['fixed by the manifest', {}, { telephone: '1' }, { phone: '1' }],
    ['fixed, where the field is nested', {}, { town: 'Ulm' }, { address: { city: 'Ulm' } }],
    ['left at their default', {}, { stage: 'new' }, { lifecycle: 'new' }],
    ['chosen by the user', { selectedFieldMappings: { stage: 'status' } }, { stage: 'new' }, { status: 'new' }],
    [
      'chosen for a dynamic mapping',
      { selectedFieldMappings: { colour: 'custom_1' }, dynamicMappingsInput: [{ mapToName: 'colour' }] },
      { colour: 'red' },
      { custom_1: 'red' },
    ],
    [
      'nested in what was delivered',
      { selectedFieldMappings: { "$['company']['name']": 'org' } },
      { company: { name: 'Acme' } },
      { org: 'Acme' },
    ],
    [
      'nested beside what is not mapped',
      { selectedFieldMappings: { "$['company']['name']": 'org' } },
      { company: { name: 'Acme', size: 3 } },
      { company: { size: 3 }, org: 'Acme' },
    ],
    [
      'nested, in bracket form',
      { selectedFieldMappings: { "$['company']['name']": "$['org']['title']" } },
      { "$['company']['name']": 'Acme' },
      { org: { title: 'Acme' } },
    ],
    ['not mapped by anything', {}, { email: 'a@b.example', "$['a']['b']": 1 }, { email: 'a@b.example', a: { b: 1 } }],
    ['cleared', {}, { telephone: null, email: null }, { phone: null, email: null }],
    ['also sent under the provider’s name', {}, { phone: 'raw', telephone: 'mapped' }, { phone: 'mapped' }],
  ])('%s', (_, config, sent, provider) => {
    const before = structuredClone(sent)
    expect(providerRecord(mapping(config), sent)).toEqual(provider)
    expect(sent, 'what was sent stays as it was').toEqual(before)
  })

  it('that nobody mapped are left out', () => {
    expect(providerRecord(mapping(), { owner: 'Ada', company: { name: 'Acme' }, email: 'a' })).toEqual({ email: 'a' })
    const offered = { dynamicMappingsInput: [{ mapToName: 'colour' }], selectedFieldMappings: { stage: '' } }
    expect(providerRecord(mapping(offered), { colour: 'red', name: 'n' })).toEqual({ name: 'n' })
  })

  it('stay as they are without a mapping', () => {
    expect(providerRecord(noMapping, { telephone: '1' })).toEqual({ telephone: '1' })
  })

  it('reach no prototype', () => {
    const sent = JSON.parse('{"__proto__": {"polluted": true}, "constructor": {"prototype": {"polluted": true}}}')
    const record = providerRecord(mapping({ selectedFieldMappings: { x: '__proto__' } }), { ...sent, x: 1 })
    expect(Object.getPrototypeOf(record)).toBe(Object.prototype)
    expect('polluted' in {}).toBe(false)
  })
})

describe('values that are delivered become the provider’s', () => {
  const values = { selectedValueMappings: { phone: { mobile: 'M', fixed: 2 }, "$['address']['city']": { Ulm: 'u' } } }

  it.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    ['by the provider’s field, under a mapped name', { telephone: 'mobile' }, { phone: 'M' }],
    ['by the provider’s field, under its own name', { phone: 'fixed' }, { phone: 2 }],
    ['item by item', { phone: ['mobile', 'x', 'fixed'] }, { phone: ['M', 'x', 2] }],
    ['in nested fields', { town: 'Ulm' }, { address: { city: 'u' } }],
    ['unless they are not mapped', { phone: 'toString' }, { phone: 'toString' }],
  ])('%s', (_, sent, provider) => {
    expect(providerRecord(mapping(values), sent)).toEqual(provider)
  })
})

describe('the config of an installation', () => {
  const apply = (config: WriteConfigObject, type: 'create' | 'update', record: Record<string, unknown>) => {
    const sent = structuredClone(record)
    const { ifEmpty } = fieldRules(config, mapping(), type)(sent)
    return { sent, ifEmpty }
  }
  const settings = (selectedFieldSettings: NonNullable<WriteConfigObject['selectedFieldSettings']>) => ({
    selectedFieldSettings,
  })

  it('fills in defaults where nothing was sent, under mapped and raw names', () => {
    const config = settings({
      telephone: { default: { stringValue: '0' } },
      score: { default: { integerValue: 0 } },
      active: { default: { booleanValue: false } },
      town: { default: { stringValue: 'Ulm' } },
    })
    const filled = { phone: '0', score: 0, active: false, address: { city: 'Ulm' } }
    expect(apply(config, 'create', {}).sent).toEqual(filled)
    expect(apply(config, 'update', {}).sent).toEqual(filled)
    const sent = { phone: null, score: 3, active: true, address: { city: 'Bonn' } }
    expect(apply(config, 'create', sent).sent).toEqual(sent)
  })

  it('keeps fields out of new records, out of existing ones, or out of those that have them', () => {
    const config = settings({
      telephone: { writeOnCreate: 'never', default: { stringValue: '0' } },
      score: { writeOnUpdate: 'never', default: { integerValue: 1 } },
      town: { writeOnUpdate: 'ifEmpty' },
      email: { writeOnUpdate: 'ifEmpty', default: { stringValue: 'none' } },
      fax: { writeOnUpdate: 'ifEmpty' },
    })
    const record = { phone: '1', score: 3, address: { city: 'Bonn' } }
    expect(apply(config, 'create', record)).toEqual({
      sent: { score: 3, address: { city: 'Bonn' }, email: 'none' },
      ifEmpty: [],
    })
    expect(apply(config, 'update', record)).toEqual({
      sent: { phone: '1', address: { city: 'Bonn' }, email: 'none' },
      ifEmpty: ["$['address']['city']", 'email'],
    })
  })

  it('takes the defaults of old', () => {
    const config: WriteConfigObject = {
      selectedValueDefaults: {
        a: 'bare',
        b: { value: 2 },
        c: { value: true, applyOnUpdate: 'never' },
        d: { value: {} },
      },
      selectedFieldSettings: { b: { default: { integerValue: 3 } } },
    }
    expect(apply(config, 'create', {}).sent).toEqual({ a: 'bare', b: 3, c: true })
    expect(apply(config, 'update', {}).sent).toEqual({ a: 'bare', b: 3 })
    expect(apply(config, 'update', { c: false }).sent).toEqual({ b: 3, a: 'bare', c: false })
  })
})
