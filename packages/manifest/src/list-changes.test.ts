import { describe, expect, it } from 'vitest'
import { diffContent } from './diff.ts'
import { listChanges } from './list-changes.ts'
import type { IntegrationContent, ReadObject } from './manifest.ts'

const object = (objectName: string, more: Partial<ReadObject> = {}): ReadObject => ({
  objectName,
  destination: 'hook',
  schedule: '0 * * * *',
  ...more,
})
const content = (...objects: ReadObject[]): IntegrationContent => ({ name: 'a', provider: 'p', read: { objects } })

describe('listChanges', () => {
  it('tells what differs inside an object, down to the field', () => {
    const before = object('contacts', {
      requiredFields: [{ fieldName: 'email' }, { fieldName: 'phone' }, { mapToName: 'stage' }],
      backfill: { defaultPeriod: { days: 30 } },
    })
    const after = object('contacts', {
      schedule: '0 0 * * *',
      requiredFields: [{ fieldName: 'email' }, { fieldName: 'phone', mapToName: 'tel' }, { fieldName: 'city' }],
      backfill: { defaultPeriod: { days: 60 } },
      delivery: { mode: 'auto' },
    })
    const path = (...below: string[]) => ['read', 'contacts', ...below]
    expect(listChanges(content(before), content(after))).toEqual([
      { kind: 'changed', path: path('schedule'), before: '0 * * * *', after: '0 0 * * *' },
      { kind: 'added', path: path('requiredFields', 'phone', 'mapToName'), after: 'tel' },
      { kind: 'added', path: path('requiredFields', 'city'), after: { fieldName: 'city' } },
      { kind: 'removed', path: path('requiredFields', 'stage'), before: { mapToName: 'stage' } },
      { kind: 'changed', path: path('backfill', 'defaultPeriod', 'days'), before: 30, after: 60 },
      { kind: 'added', path: path('delivery'), after: { mode: 'auto' } },
    ])
  })

  it('tells objects that come and go as a whole', () => {
    expect(listChanges(content(object('a'), object('b')), content(object('b'), object('c')))).toEqual([
      { kind: 'removed', path: ['read', 'a'], before: object('a') },
      { kind: 'added', path: ['read', 'c'], after: object('c') },
    ])
  })

  it('of a new integration lists objects and parts', () => {
    const after: IntegrationContent = { ...content(object('a')), displayName: 'A', proxy: { enabled: true } }
    expect(listChanges(undefined, after).map(({ kind, path }) => [kind, path.join('.')])).toEqual([
      ['added', 'read.a'],
      ['added', 'proxy'],
    ])
  })

  it('finds a field again that stands twice', () => {
    const twice = (mapToName: string) =>
      content(
        object('a', {
          optionalFields: [
            { fieldName: 'x', mapToName: 'one' },
            { fieldName: 'x', mapToName },
          ],
        }),
      )
    expect(listChanges(twice('two'), twice('three'))).toMatchObject([
      { kind: 'changed', path: ['read', 'a', 'optionalFields', 'x (2)', 'mapToName'], after: 'three' },
    ])
  })

  it('has something to tell exactly when diffContent has', () => {
    const fields = (...names: string[]) => object('a', { optionalFields: names.map((fieldName) => ({ fieldName })) })
    const contents: IntegrationContent[] = [
      content(),
      content(object('a')),
      content(object('A')),
      content(fields('x', 'y')),
      content(fields('y', 'x')),
      { ...content(object('a')), displayName: 'A', module: 'm' },
      { ...content(object('a')), proxy: { enabled: true } },
      { ...content(object('a')), write: { objects: [{ objectName: 'a', inheritMapping: true }] } },
      {
        ...content(object('a')),
        watchSchema: { destination: 'd', allObjects: { fieldCreated: { enabled: 'always' } } },
      },
    ]
    for (const before of contents)
      for (const after of contents)
        expect(listChanges(before, after).length === 0, JSON.stringify([before, after])).toBe(
          diffContent(before, after).same,
        )
  })
})
