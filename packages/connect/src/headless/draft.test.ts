import { describe, expect, test } from 'vitest'
import { revisions } from '../../stories/scenarios.ts'
import { createDraft, type Draft, draftChange, draftContent, draftIssues, type ObjectDraft } from './draft.ts'
import { indexed, search } from './search.ts'

const contacts = (draft: Draft): ObjectDraft => draft.objects.find(({ objectName }) => objectName === 'contacts')!
const changed = (draft: Draft, change: Partial<ObjectDraft>): Draft => ({
  ...draft,
  objects: draft.objects.map((object) => (object.objectName === 'contacts' ? { ...object, ...change } : object)),
})
const mapped = (draft: Draft, name: string, field: string): Draft =>
  changed(draft, {
    mappings: contacts(draft).mappings.map((one) => (one.name === name ? { ...one, field, isSuggested: false } : one)),
  })
const revision = revisions['rev-1']!

describe('a new installation', () => {
  test('required fields are fixed, optional ones are those of the account, a default is a suggestion', () => {
    const { required, optional, mappings } = contacts(createDraft(revision))
    expect(required.map(({ label, mapTo }) => [label, mapTo])).toEqual([
      ['Email', undefined],
      ['Phone', 'Phone number'],
    ])
    expect(optional).toHaveLength(8)
    expect(mappings.map(({ name, field, isSuggested, isRequired }) => [name, field, isSuggested, isRequired])).toEqual([
      ['priority', undefined, false, true],
      ['lifecycle', 'stage', true, false],
    ])
  })

  test('a field of the same name is suggested', () => {
    const draft = createDraft(revision, undefined, { contacts: [{ mapToName: 'first_name' }] })
    expect(contacts(draft).mappings.at(-1)).toMatchObject({ field: 'firstName', isSuggested: true, isDynamic: true })
  })

  test('every missing choice is named', () => {
    const draft = createDraft(revision)
    expect(draftIssues(draft)).toEqual([{ kind: 'mapping', objectName: 'contacts', name: 'priority' }])
    expect(draftIssues(changed(draft, { isOn: false }))).toEqual([])
    const none = { ...draft, objects: [], writes: draft.writes.map((one) => ({ ...one, isOn: false })) }
    expect(draftIssues(none)).toEqual([{ kind: 'empty' }])
  })

  test('a value of the account cannot mean two things', () => {
    const draft = mapped(createDraft(revision), 'priority', 'cf_priority')
    const mappings = contacts(draft).mappings.map((one) => ({ ...one, valueMap: { hot: 'lead', cold: 'lead' } }))
    expect(draftIssues(changed(draft, { mappings })).map(({ kind }) => kind)).toEqual(['value', 'value'])
  })

  test('the config holds what was chosen, and nothing that is off', () => {
    const draft = mapped(changed(createDraft(revision), { selected: new Set(['birthday']) }), 'priority', 'cf_priority')
    const off = { ...draft, objects: draft.objects.map((one) => ({ ...one, isOn: one.objectName === 'contacts' })) }
    expect(draftContent(off)).toEqual({
      provider: 'sampleCrm',
      read: {
        objects: {
          contacts: {
            objectName: 'contacts',
            selectedFields: { birthday: true },
            selectedFieldMappings: { priority: 'cf_priority', lifecycle: 'stage' },
          },
        },
      },
      write: { objects: { contacts: { objectName: 'contacts' } } },
    })
  })
})

describe('an installation that is changed', () => {
  const content = {
    provider: 'sampleCrm',
    read: {
      objects: {
        contacts: {
          objectName: 'contacts',
          schedule: '*/5 * * * *',
          selectedFields: { visits: true },
          selectedFieldMappings: { priority: 'cf_priority', fromAnotherPage: 'lastName' },
          selectedValueMappings: { lastName: { a: 'b' } },
        },
      },
    },
  }
  const saved = createDraft(revision, content)

  test('what is stored is chosen, and nothing is suggested over it', () => {
    expect(saved.objects.map(({ isOn }) => isOn)).toEqual([true, false])
    expect(contacts(saved).mappings.map(({ field }) => field)).toEqual(['cf_priority', undefined])
    expect(draftChange(saved, saved)).toBeUndefined()
  })

  test('only changed objects are sent, with all that a customer cannot choose', () => {
    expect(draftChange(changed(saved, { selected: new Set(['visits', 'birthday']) }), saved)).toEqual({
      updateMask: ['config.content.read.objects.contacts'],
      read: {
        contacts: {
          objectName: 'contacts',
          schedule: '*/5 * * * *',
          selectedFields: { birthday: true, visits: true },
          selectedFieldMappings: { fromAnotherPage: 'lastName', priority: 'cf_priority' },
          selectedValueMappings: { lastName: { a: 'b' } },
        },
      },
    })
  })

  test('an object that is switched off is disabled, and keeps its choices', () => {
    expect(draftChange(changed(saved, { isOn: false }), saved)?.read?.['contacts']).toMatchObject({
      disabled: true,
      selectedFields: { visits: true },
    })
  })
})

test('a key press searches 5,000 fields without a pause', () => {
  const fields = contacts(createDraft(revision)).optional
  const many = Array.from({ length: 5_000 }, (_, index) => ({ ...fields[0]!, label: `Field ${index}` }))
  const index = indexed(many, ({ label }) => label)
  expect(search(index, 'field 499').map(({ label }) => label)).toContain('Field 4999')
  expect(search(index, '')).toHaveLength(5_000)
})
