import type { ReadObject } from '@mortise/manifest'
import { describe, expect, test } from 'vitest'
import type { ReadConfigObject } from './content.ts'
import { effectiveReadObjects, overlay, requestedFields } from './effective.ts'

const definition: ReadObject = {
  objectName: 'contacts',
  mapToName: 'people',
  destination: 'hook',
  schedule: '0 * * * *',
  backfill: { defaultPeriod: { days: 3 } },
}
const of = (change: Partial<ReadObject>, config: ReadConfigObject = {}) => overlay({ ...definition, ...change }, config)

describe('what is absent in the config is inherited, what is there counts', () => {
  test.each<[string, ReadConfigObject, object]>([
    [
      'nothing',
      {},
      { schedule: '0 * * * *', destination: 'hook', backfill: { defaultPeriod: { days: 3 } }, disabled: false },
    ],
    ['a schedule', { schedule: '5 5 * * *' }, { schedule: '5 5 * * *', destination: 'hook' }],
    ['a destination', { destination: 'other' }, { schedule: '0 * * * *', destination: 'other' }],
    [
      'a backfill',
      { backfill: { defaultPeriod: { fullHistory: true } } },
      { backfill: { defaultPeriod: { fullHistory: true } } },
    ],
    ['disabled', { disabled: true }, { disabled: true }],
    ['value mappings', { selectedValueMappings: { a: { b: 'c' } } }, { valueMappings: { a: { b: 'c' } } }],
  ])('%s', (_, config, expected) => {
    expect(of({}, config)).toMatchObject({ objectName: 'contacts', mapToName: 'people', ...expected })
  })

  test('delivery is the manifest’s, automatic where it says nothing', () => {
    expect(of({}).delivery).toEqual({ mode: 'auto' })
    expect(of({ delivery: { mode: 'onRequest', pageSize: 50 } }).delivery).toEqual({ mode: 'onRequest', pageSize: 50 })
  })
})

describe('fields', () => {
  test.each<[string, Partial<ReadObject>, ReadConfigObject, 'all' | string[], [string, string][]]>([
    ['required ones', { requiredFields: [{ fieldName: 'a' }] }, {}, ['a'], []],
    [
      'a fixed mapping leaves the fields',
      { requiredFields: [{ fieldName: 'a', mapToName: 'b' }] },
      {},
      [],
      [['a', 'b']],
    ],
    ['selected ones, not deselected ones', {}, { selectedFields: { a: true, b: false } }, ['a'], []],
    [
      'a selected one that the manifest maps',
      { optionalFields: [{ fieldName: 'a', mapToName: 'b' }] },
      { selectedFields: { a: true } },
      [],
      [['a', 'b']],
    ],
    ['an optional one that nobody selected', { optionalFields: [{ fieldName: 'a' }] }, {}, [], []],
    [
      'a mapping that the user chose',
      { requiredFields: [{ mapToName: 'b' }] },
      { selectedFieldMappings: { b: 'a' } },
      [],
      [['a', 'b']],
    ],
    ['the default of a required mapping', { requiredFields: [{ mapToName: 'b', default: 'd' }] }, {}, [], [['d', 'b']]],
    [
      'a choice over the default',
      { requiredFields: [{ mapToName: 'b', default: 'd' }] },
      { selectedFieldMappings: { b: 'a' } },
      [],
      [['a', 'b']],
    ],
    ['no default of an optional mapping', { optionalFields: [{ mapToName: 'b', default: 'd' }] }, {}, [], []],
    ['an empty choice', {}, { selectedFieldMappings: { b: '' } }, [], []],
    ['a mapping that no manifest knows', {}, { selectedFieldMappings: { dynamic: 'x' } }, [], [['x', 'dynamic']]],
    ['all', { requiredFields: [{ fieldName: 'a' }] }, { selectedFieldsAuto: 'all' }, 'all', []],
    [
      'required and selected once',
      { requiredFields: [{ fieldName: 'a' }] },
      { selectedFields: { a: true } },
      ['a'],
      [],
    ],
  ])('%s', (_, change, config, fields, mappings) => {
    const effective = of(change, config)
    expect(effective.fields).toEqual(fields)
    expect(effective.mappings).toEqual(mappings.map(([from, to]) => ({ from, to })))
  })

  test('sources of mappings are asked for too, each once', () => {
    expect(
      requestedFields({
        fields: ['a', 'b'],
        mappings: [
          { from: 'b', to: 'x' },
          { from: 'c', to: 'y' },
        ],
      }),
    ).toEqual(['a', 'b', 'c'])
    expect(requestedFields({ fields: 'all', mappings: [{ from: 'c', to: 'y' }] })).toBe('all')
  })
})

describe('which objects are read', () => {
  const read = {
    objects: [
      definition,
      { ...definition, objectName: 'always', enabled: 'always' as const },
      { ...definition, objectName: 'left' },
    ],
  }
  const names = (input: Parameters<typeof effectiveReadObjects>[0]) => [...effectiveReadObjects(input).keys()]

  test('those of the config, and those that are always read', () => {
    expect(names({ integration: { read }, content: { read: { objects: { contacts: {} } } } })).toEqual([
      'contacts',
      'always',
    ])
    expect(names({ integration: { read }, content: {} })).toEqual(['always'])
    expect(names({ integration: {}, content: {} })).toEqual([])
  })

  test('one that a deploy left out goes on with its old definition', () => {
    const gone = { ...definition, objectName: 'gone', schedule: '9 9 * * *' }
    const effective = effectiveReadObjects({
      integration: { read },
      removedReadObjects: [gone],
      content: { read: { objects: { gone: { selectedFields: { a: true } } } } },
    })
    expect(effective.get('gone')).toMatchObject({ schedule: '9 9 * * *', fields: ['a'] })
  })

  test('a config that names what no manifest has, or a prototype’s member, reads nothing', () => {
    const objects = JSON.parse('{"__proto__":{},"toString":{},"nobody":{}}') as Record<string, ReadConfigObject>
    expect(names({ integration: { read }, content: { read: { objects } } })).toEqual(['always'])
  })
})
