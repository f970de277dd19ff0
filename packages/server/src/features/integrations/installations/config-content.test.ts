import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  emptyMaps,
  type InstallationKit,
  type ProblemBody,
  startInstallationKit,
} from '../../../testkit/installation-kit.ts'

let kit: InstallationKit
let groups = 0
let groupRef = ''
let installationId = ''

beforeAll(async () => {
  kit = await startInstallationKit()
})
afterAll(() => kit?.stop())
beforeEach(async () => {
  groupRef = `group-${++groups}`
  await kit.connect(groupRef)
  const answer = await kit.create(groupRef, { contacts: { selectedFields: { score: true }, destination: 'mine' } })
  installationId = answer.body.id
})

const replace = (path: string, value: unknown) => ({ op: 'replace', path, value })
const add = (path: string, value: unknown) => ({ op: 'add', path, value })
const remove = (path: string) => ({ op: 'remove', path })
const changed = async (changes: object[], object = 'contacts', action: 'read' | 'write' | 'subscribe' = 'read') => {
  const answer = await kit.patch(object, { groupRef, action, changes })
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
  return answer.body.config.content[action]?.objects
}
const refused = async (changes: unknown, more: object = {}, object = 'contacts') => {
  const before = (await kit.get(installationId)).body.config.id
  const answer = await kit.patch<ProblemBody>(object, { groupRef, action: 'read', changes, ...more })
  expect((await kit.get(installationId)).body.config.id).toBe(before)
  return answer
}

describe('a patch applies to the effective config, and what differs from the manifest is stored', () => {
  test('a value that is only inherited can be replaced, and takes effect at once', async () => {
    expect(await changed([replace('/schedule', '30 4 * * *')])).toEqual({
      contacts: {
        ...emptyMaps,
        objectName: 'contacts',
        selectedFields: { score: true },
        destination: 'mine',
        schedule: '30 4 * * *',
      },
    })
    const { rows } = await sql<{
      schedule: string
    }>`select schedule from read_states where installation_id = ${installationId}`.execute(kit.app.db.sql)
    expect(rows).toEqual([{ schedule: '30 4 * * *' }])
  })

  test('what becomes equal to the manifest is not stored', async () => {
    expect(await changed([replace('/destination', 'hook')])).toEqual({
      contacts: { ...emptyMaps, objectName: 'contacts', selectedFields: { score: true } },
    })
    expect(await changed([replace('/backfill/defaultPeriod/days', 3)])).toEqual({
      contacts: { ...emptyMaps, objectName: 'contacts', selectedFields: { score: true } },
    })
    expect(await changed([replace('/backfill/defaultPeriod/days', 9)])).toMatchObject({
      contacts: { backfill: { defaultPeriod: { days: 9 } } },
    })
  })

  test('removing what is stored brings the manifest’s value back', async () => {
    expect(await changed([remove('/destination'), remove('/selectedFields/score')])).toEqual({
      contacts: { ...emptyMaps, objectName: 'contacts' },
    })
  })

  test('choices can be added where none were', async () => {
    const objects = await changed([
      add('/selectedFieldMappings/stage', 'stage'),
      add('/selectedValueMappings/stage', { hot: 'lead' }),
      add('/selectedFields/a~1b~0c', true),
    ])
    expect(objects?.['contacts']).toMatchObject({
      selectedFields: { score: true, 'a/b~c': true },
      selectedFieldMappings: { stage: 'stage' },
      selectedValueMappings: { stage: { hot: 'lead' } },
    })
  })

  test('an object that the manifest declares but the config lacks is added, by either of its names', async () => {
    expect(await changed([add('/disabled', true)], 'price/list.items')).toHaveProperty(['price/list.items'], {
      ...emptyMaps,
      objectName: 'price/list.items',
      disabled: true,
    })
    expect(await changed([add('/disabled', true)], 'people')).toMatchObject({ contacts: { disabled: true } })
  })

  test('write and subscribe objects are configured too', async () => {
    expect(
      await changed([add('/selectedFieldSettings/score', { writeOnUpdate: 'never' })], 'contacts', 'write'),
    ).toEqual({
      contacts: { objectName: 'contacts', selectedFieldSettings: { score: { writeOnUpdate: 'never' } } },
    })
    // What was prepared does not stand in the way of other changes.
    const update = { config: { content: { read: { objects: { contacts: {} } } } } }
    expect((await kit.update(installationId, ['config.content.read.objects.contacts'], update)).status).toBe(200)
    expect(
      await changed(
        [replace('/createEvent/enabled', 'never'), replace('/inheritFieldsAndMappings', false)],
        'contacts',
        'subscribe',
      ),
    ).toEqual({
      contacts: { objectName: 'contacts', createEvent: { enabled: 'never' }, inheritFieldsAndMappings: false },
    })
  })
})

describe('which installation', () => {
  test('of several of a group the newest is changed', async () => {
    await kit.connect(groupRef, { consumerRef: 'bob' })
    const newest = (await kit.create(groupRef, { contacts: {} })).body.id
    const answer = await kit.patch('contacts', { groupRef, action: 'read', changes: [add('/disabled', true)] })
    expect(answer.body.id).toBe(newest)
    const named = await kit.patch('contacts', { installationId, action: 'read', changes: [add('/disabled', true)] })
    expect(named.body.id).toBe(installationId)
    const both = await kit.patch('contacts', {
      groupRef,
      installationId,
      action: 'read',
      changes: [add('/disabled', true)],
    })
    expect(both.body.id).toBe(installationId)
  })

  test('neither is a 400, another group’s is a 400, one that is not there is a 404', async () => {
    const body = { action: 'read', changes: [add('/disabled', true)] }
    expect(await kit.patch('contacts', body)).toMatchObject({
      status: 400,
      body: { issues: [{ in: 'body', name: 'groupRef' }] },
    })
    expect(await kit.patch('contacts', { ...body, installationId, groupRef: 'other' })).toMatchObject({
      status: 400,
      body: { issues: [{ name: 'installationId' }] },
    })
    for (const which of [
      { groupRef: 'nobody' },
      { installationId: 'nope' },
      { installationId: '0190a0a0-0000-7000-8000-000000000000' },
    ])
      expect(await kit.patch('contacts', { ...body, ...which })).toMatchObject({
        status: 404,
        body: { context: { code: 'installation-not-found' } },
      })
  })
})

describe('what is refused, with nothing changed', () => {
  test.each<[string, object[], string]>([
    ['an unsupported operation', [{ op: 'move', from: '/schedule', path: '/destination' }], 'changes[0].op'],
    ['a pointer that is none', [replace('schedule', 'x')], 'changes[0].path'],
    ['the whole object', [replace('', {})], 'changes[0].path'],
    ['a value that is missing', [{ op: 'add', path: '/disabled' }], 'changes[0].value'],
    ['what is not there to replace', [replace('/selectedFields/nope', true)], 'changes[0].path'],
    ['what is not there to remove', [add('/disabled', true), remove('/selectedFields/nope')], 'changes[1].path'],
    ['what is only inherited', [remove('/schedule')], 'changes[0].path'],
    ['an inherited map', [remove('/selectedFieldMappings')], 'changes[0].path'],
    ['the name of the object', [replace('/objectName', 'companies')], 'changes[0].path'],
    ['removing the name', [remove('/objectName')], 'changes[0].path'],
    ['a wrong type', [add('/disabled', true), replace('/schedule', 5)], 'changes[1].path'],
    ['a cron that never fires', [replace('/schedule', '0 0 30 2 *')], 'changes[0].path'],
    ['a backfill of nothing', [remove('/backfill/defaultPeriod/days')], 'changes[0].path'],
    ['a prototype', [add('/__proto__/polluted', true)], 'changes[0].path'],
    ['a path into a text', [add('/schedule/x', 1)], 'changes[0].path'],
  ])('%s: 400', async (_, changes, name) => {
    const answer = await refused(changes)
    expect(answer).toMatchObject({ status: 400, body: { issues: [{ in: 'body', name }] } })
  })

  test('that a key is only inherited is said', async () => {
    expect((await refused([remove('/schedule')])).body.issues[0]?.detail).toContain('inherited from the manifest')
  })

  test('no changes, too many, and changes of another shape', async () => {
    expect((await refused([])).status).toBe(400)
    expect((await refused(Array(101).fill(add('/disabled', true)))).status).toBe(400)
    expect((await refused('nope')).status).toBe(400)
    expect((await refused([null, 5, {}])).status).toBe(400)
    expect((await refused([add('/selectedFields', { nested: { deep: true } })])).status).toBe(400)
  })

  test('an unknown object or action, and an action that the manifest does not have', async () => {
    const changes = [add('/disabled', true)]
    expect(await refused(changes, {}, 'contact')).toMatchObject({
      status: 400,
      body: { issues: [{ in: 'path', name: 'objectName', remedy: 'Did you mean "contacts"?' }] },
    })
    expect(await refused(changes, { action: 'write' }, 'companies')).toMatchObject({
      status: 400,
      body: { issues: [{ in: 'path', name: 'objectName' }] },
    })
    expect(await refused(changes, { action: 'proxy' })).toMatchObject({
      status: 400,
      body: { issues: [{ name: 'action' }] },
    })
    await kit.deploy(`specVersion: 1.0.0
integrations:
  - { name: reads, provider: sampleCrm, read: { objects: [{ objectName: contacts, destination: hook, schedule: "0 * * * *" }] } }
`)
    const config = { content: { provider: 'sampleCrm', read: { objects: { contacts: {} } } } }
    expect((await kit.app.call('POST', kit.path('reads'), { groupRef, config })).status).toBe(201)
    const path = `${kit.base}/integrations/reads/objects/contacts/config-content`
    const answer = await kit.app.call<ProblemBody>('PATCH', path, { groupRef, action: 'write', changes })
    expect(answer).toMatchObject({ status: 400, body: { issues: [{ in: 'body', name: 'action' }] } })
  })

  test('what the provider refuses to read: 422', async () => {
    kit.crm.failNext(1, 400)
    expect(await refused([add('/selectedFields/nope', true)])).toMatchObject({
      status: 422,
      body: { context: { code: 'sample-read-failed' } },
    })
  })
})
