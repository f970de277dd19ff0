import { expect, test } from 'vitest'
import { changesOf, type Integration, integrationPath, isSame, manifestOf } from './manifest.ts'

const content = {
  name: 'crm',
  provider: 'hubspot',
  read: { objects: [{ objectName: 'contacts', destination: 'hook' }] },
}
const latestRevision = { id: 'r', specVersion: '1.0.0', createTime: '2026-01-01T00:00:00Z', content }
const crm: Integration = {
  id: 'i',
  projectId: 'p',
  name: 'crm',
  provider: 'hubspot',
  createTime: '2026-01-01T00:00:00Z',
  latestRevision,
}

test('the manifest of a revision, deployed again, changes nothing', () => {
  expect(changesOf(manifestOf(latestRevision), [crm])?.map(({ kind }) => kind)).toEqual(['same'])
})

test('the order of keys and the notation make no difference', () => {
  const yaml =
    'integrations: [{ read: { objects: [{ destination: hook, objectName: contacts }] }, provider: hubspot, name: crm }]\nspecVersion: 1.0.0'
  expect(changesOf(yaml, [crm])?.map(({ kind }) => kind)).toEqual(['same'])
})

test('a new integration, a changed one with its objects, and another version of the format', () => {
  const yaml = `specVersion: 1.0.0
integrations:
  - { name: crm, provider: hubspot, read: { objects: [{ objectName: deals, destination: hook }] } }
  - { name: new, provider: hubspot }`
  const changes = changesOf(yaml, [crm])
  expect(changes?.map(({ name, kind, addedReads, removedReads }) => [name, kind, addedReads, removedReads])).toEqual([
    ['crm', 'changed', ['deals'], ['contacts']],
    ['new', 'new', [], []],
  ])
  expect(isSame(latestRevision, { ...latestRevision, specVersion: '1.1.0' })).toBe(false)
})

test.each(['', '{', 'a: [', 'integrations: no', '- 1', 'specVersion: 1.0.0', 'integrations: [1, null, {}]'])(
  'the text %j is no manifest with integrations, and no error',
  (yaml) => {
    expect(changesOf(yaml, [crm]) ?? []).toEqual([])
  },
)

test('an integration whose name is that of a page is linked by its id', () => {
  expect(integrationPath('default', { id: 'i', name: 'deploy' })).toBe('/default/integrations/i')
  expect(integrationPath('default', { id: 'i', name: 'a/b' })).toBe('/default/integrations/a%2Fb')
})
