import { afterAll, beforeAll, expect, test } from 'vitest'
import { startWatchingKit, type WatchingKit, watchAll } from './schema-watching.testkit.ts'

let kit: WatchingKit
beforeAll(async () => {
  kit = await startWatchingKit()
  kit.provider.fields = [
    { name: 'Email', label: 'Email', type: 'text' },
    { name: 'tier', label: 'Tier', type: 'text' },
  ]
})
afterAll(() => kit?.stop())

/** What a destination would know of the fields of an object. */
const typesOf = (installation: string, object: string) =>
  kit.app.app.services.hooks.fieldTypes(kit.app.db, [{ installation, object }])

test('types are those of the provider file and of the last check, and cost the provider no request', async () => {
  await kit.deploy('typed', watchAll, ['things', 'notes'])
  const id = await kit.install('typed', ['things', 'notes'])
  expect(await typesOf(id, 'notes')).toEqual([
    { field: 'id', valueType: 'string' },
    { field: 'title', valueType: 'string' },
  ])
  await kit.settled(id)
  kit.provider.failing.set('/fields', { status: 500 })
  expect(await typesOf(id, 'things')).toEqual([
    { field: 'email', valueType: 'string' },
    { field: 'tier', valueType: 'string' },
  ])
  kit.provider.failing.clear()
})

test('a mapped field has its name in messages, and mapped values have no type', async () => {
  await kit.deploy('mapped', undefined, ['notes'])
  const id = await kit.install('mapped', ['notes'])
  const change = (content: object) =>
    kit.app.call('PATCH', `/projects/default/integrations/mapped/installations/${id}`, {
      updateMask: ['config.content.read.objects.notes'],
      installation: { config: { content: { read: { objects: { notes: content } } } } },
    })
  const fields = { selectedFields: { id: true }, selectedFieldMappings: { headline: 'title', "$['a']['b']": 'id' } }
  expect((await change(fields)).status).toBe(200)
  expect(await typesOf(id, 'notes')).toEqual([{ field: 'headline', valueType: 'string' }])
  expect((await change({ ...fields, selectedValueMappings: { title: { A: 'a' } } })).status).toBe(200)
  expect(await typesOf(id, 'notes')).toEqual([])
})

test('of other installations and objects, nothing is known', async () => {
  await kit.deploy('other', undefined, ['things'])
  const id = await kit.install('other', ['things'])
  expect(await typesOf(id, 'things')).toEqual([])
  expect(await typesOf(id, 'none')).toEqual([])
  expect(await typesOf('0197b1c0-0000-7000-8000-00000000000f', 'things')).toEqual([])
})
