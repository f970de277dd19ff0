import { describe, expect, it } from 'vitest'
import { recordEntry, type Selection, wantedFields } from './record-entry.ts'

const raw = { Email: 'a@example.com', stage: 'won', tags: ['x', 'y'], address: { 'the.city': 'Bern' } }
const record = { id: '1', fields: { email: 'a@example.com', stage: 'won', tags: ['x', 'y'] }, raw }
const plain: Selection = { fields: ['Email', 'stage'], mappings: [], valueMappings: {} }

function entry(selection: Partial<Selection>, of: Parameters<ReturnType<typeof recordEntry>>[0] = record) {
  return JSON.parse(recordEntry({ ...plain, ...selection })(of))
}

describe('an entry of a message', () => {
  it('holds the chosen fields under lower-cased names, and the record as it came', () => {
    expect(entry({})).toEqual({ fields: { email: 'a@example.com', stage: 'won' }, raw })
  })

  it('tells of the records that the record is linked with, where it knows them', () => {
    const associations = { accounts: [{ id: '001' }] }
    expect(entry({}, { ...record, associations })).toMatchObject({ associations })
    expect(entry({ mappings: [{ to: 'mail', from: 'Email' }] }, { ...record, associations })).toMatchObject({
      associations,
    })
    expect(entry({})).not.toHaveProperty('associations')
  })

  it('holds a mapped field under its new name alone', () => {
    expect(entry({ mappings: [{ to: 'mail', from: 'Email' }] })).toEqual({
      fields: { stage: 'won' },
      mappedFields: { mail: 'a@example.com' },
      raw,
    })
  })

  it('holds every field that is not mapped when all are chosen', () => {
    const { fields, mappedFields } = entry({ fields: 'all', mappings: [{ to: 'mail', from: 'Email' }] })
    expect(fields).toEqual({ stage: 'won', tags: ['x', 'y'] })
    expect(mappedFields).toEqual({ mail: 'a@example.com' })
  })

  it('takes nested sources and builds nested targets from bracket names', () => {
    const { mappedFields } = entry({ mappings: [{ to: "$['home']['city']", from: "$['address']['the.city']" }] })
    expect(mappedFields).toEqual({ home: { city: 'Bern' } })
  })

  it('delivers mapped values, in lists too, and leaves unmapped ones as they are', () => {
    const valueMappings = { stage: { closed: 'won' }, tags: { ex: 'x' } }
    const { fields, mappedFields } = entry({ mappings: [{ to: 'labels', from: 'tags' }], valueMappings })
    expect(fields).toEqual({ email: 'a@example.com', stage: 'closed' })
    expect(mappedFields).toEqual({ labels: ['ex', 'y'] })
  })

  it('leaves out what the record does not have', () => {
    expect(entry({ fields: ['phone'], mappings: [{ to: 'p', from: 'phone' }] }).mappedFields).toEqual({})
  })

  it('carries hostile names without reaching a prototype', () => {
    const hostile = JSON.parse('{"__proto__": {"polluted": true}}')
    const text = recordEntry({ fields: 'all', mappings: [], valueMappings: {} })({ fields: hostile, raw: hostile })
    expect(text).toContain('"fields":{"__proto__":{"polluted":true}}')
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
  })
})

describe('what a connector is asked for', () => {
  it('is every chosen field and every source of a mapping, once', () => {
    expect(
      wantedFields({
        fields: ['a', 'b'],
        mappings: [
          { to: 'x', from: 'b' },
          { to: 'y', from: 'c' },
        ],
        valueMappings: {},
      }),
    ).toEqual(['a', 'b', 'c'])
  })

  it('is everything when all fields are chosen', () => {
    expect(wantedFields({ fields: 'all', mappings: [{ to: 'x', from: 'b' }], valueMappings: {} })).toBe('all')
  })
})
