import { describe, expect, test } from 'vitest'
import { countChanges, diffFields, watchedFields } from './diff-fields.ts'
import type { WatchedField } from './model.ts'
import { retryDelayMs } from './model.ts'
import { enabledChanges, watchMessage } from './watch-message.ts'

const email: WatchedField = { fieldName: 'email', displayName: 'Email', valueType: 'string', providerType: 'text' }
const score: WatchedField = { fieldName: 'score', displayName: 'Score', valueType: 'int' }
const whole = (...fields: WatchedField[]) => ({ fields, incomplete: false })

describe('what changed', () => {
  test('nothing, whatever the order', () => {
    const { changes, remembered } = diffFields([email, score], whole(score, email))
    expect(countChanges(changes)).toBe(0)
    expect(remembered).toEqual([score, email])
  })

  test('a field is new, one is gone', () => {
    expect(diffFields([email], whole(score)).changes).toEqual({
      createdFields: [score],
      deletedFields: [email],
      changedFields: [],
    })
  })

  test.each<[string, Partial<WatchedField>]>([
    ['its label', { displayName: 'E-mail' }],
    ['its type', { valueType: 'singleSelect' }],
    ['the provider’s word for the type', { providerType: 'longtext' }],
  ])('a field changed: %s', (_, change) => {
    const newSchema = { ...email, ...change }
    expect(diffFields([email], whole(newSchema)).changes.changedFields).toEqual([{ oldSchema: email, newSchema }])
  })

  test.each<[string, Partial<WatchedField>]>([
    ['whether it can be written', { readOnly: true }],
    ['who made it', { isCustom: true }],
  ])('%s is remembered and is no change', (_, change) => {
    const { changes, remembered } = diffFields([email], whole({ ...email, ...change }))
    expect(countChanges(changes)).toBe(0)
    expect(remembered).toEqual([{ ...email, ...change }])
  })

  test('an incomplete look adds, and neither removes nor changes', () => {
    const poorer = { ...email, displayName: 'email' }
    const custom: WatchedField = { fieldName: 'tier', displayName: 'Tier' }
    const { changes, remembered } = diffFields([email, score], { fields: [poorer, custom], incomplete: true })
    expect(changes).toEqual({ createdFields: [custom], deletedFields: [], changedFields: [] })
    expect(remembered).toEqual([email, score, custom])
  })

  test('names of a prototype’s members are names like others', () => {
    const fields = JSON.parse(
      '{"__proto__":{"fieldName":"__proto__","displayName":"P"},"toString":{"fieldName":"toString","displayName":"T"}}',
    )
    const seen = watchedFields(fields)
    expect(seen.map(({ fieldName }) => fieldName)).toEqual(['__proto__', 'toString'])
    expect(diffFields([], whole(...seen)).changes.createdFields).toEqual(seen)
    expect(countChanges(diffFields(seen, whole(...seen)).changes)).toBe(0)
  })

  test('choices and references are not kept', () => {
    const [field] = watchedFields({
      a: { fieldName: 'a', displayName: 'A', valueType: 'singleSelect', values: [{ value: 'x', displayValue: 'X' }] },
    })
    expect(field).toEqual({ fieldName: 'a', displayName: 'A', valueType: 'singleSelect' })
  })
})

describe('the message', () => {
  const header = {
    action: 'schema.watch' as const,
    projectId: 'p',
    provider: 'hubspot',
    groupRef: 'g',
    groupName: 'G',
    consumerRef: 'c',
    consumerName: 'C',
    installationId: 'i',
    installationUpdateTime: '2026-01-01T00:00:00.000Z',
    objectName: 'people',
    rawObjectName: 'contacts',
  }
  const changes = { createdFields: [score], deletedFields: [email], changedFields: [] }
  const enabled = { enabled: 'always' as const }

  test('has an array for each kind that is watched, and no other', () => {
    const watch = { destination: 'hook', allObjects: { fieldCreated: enabled, fieldChanged: enabled } }
    const message = watchMessage(header, enabledChanges(changes, watch))
    expect(JSON.parse(String(message?.payload))).toEqual({
      ...header,
      resultInfo: { type: 'inline', numRecords: 1 },
      result: { createdFields: [score], changedFields: [] },
    })
  })

  test('is not made where nothing that is watched changed', () => {
    const watch = { destination: 'hook', allObjects: { fieldChanged: enabled } }
    expect(watchMessage(header, enabledChanges(changes, watch))).toBeUndefined()
  })

  test('is fetched by URL where it would be too large', () => {
    const many = Array.from({ length: 5_000 }, (_, n) => ({ ...email, fieldName: `field_${n}` }))
    const message = watchMessage(header, { createdFields: many })
    expect(String(message?.payload)).toMatch(/"resultInfo":\{"type":"url","numRecords":5000,"downloadUrl":""\}\}$/)
    expect(JSON.parse(String(message?.result))).toEqual([{ createdFields: many }])
  })
})

test('waits longer after each failure, and no longer than two weeks and a bit', () => {
  expect([1, 2, 3].map((failures) => retryDelayMs(failures, 0.5) / 60_000)).toEqual([5, 10, 20])
  expect(retryDelayMs(1, 0)).toBe(240_000)
  expect(retryDelayMs(1_000, 0.5)).toBe(retryDelayMs(13, 0.5))
})
