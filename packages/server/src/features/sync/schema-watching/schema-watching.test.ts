import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { newId } from '../../../kernel/db/index.ts'
import { checkInstallation } from './check-installation.ts'
import { deleteOldChanges } from './claim-due.ts'
import type { SchemaChange } from './model.ts'
import { startWatchingKit, type WatchingKit, watchAll } from './schema-watching.testkit.ts'

let kit: WatchingKit
let count = 0
let name = ''
beforeAll(async () => {
  kit = await startWatchingKit()
})
afterAll(() => kit?.stop())
beforeEach(() => {
  name = `watched-${++count}`
  kit.provider.fields = [email, score]
  kit.provider.custom = []
  kit.provider.rows = []
  kit.provider.failing.clear()
})

const email = { name: 'email', label: 'Email', type: 'text' }
const score = { name: 'score', label: 'Score', type: 'number' }
const tier = { name: 'tier', label: 'Tier', type: 'text' }

const changes = async (id: string, query = '') =>
  (
    await kit.app.call<SchemaChange[]>(
      'GET',
      `/projects/default/integrations/${name}/installations/${id}/schema-changes${query}`,
    )
  ).body

async function watched(objects = ['things'], watchSchema: object = watchAll): Promise<string> {
  await kit.deploy(name, watchSchema, objects)
  const id = await kit.install(name, objects)
  await kit.settled(id)
  return id
}

describe('what changed is told', () => {
  test('the first look is silent, and so is one that finds the same', async () => {
    const id = await watched()
    expect(await kit.watches(name, id)).toEqual([
      {
        objectName: 'things',
        schedule: '0 * * * *',
        nextCheckTime: expect.stringMatching(/:00:00\.000Z$/),
        checkTime: expect.any(String),
        fieldCount: 2,
      },
    ])
    await kit.look(id)
    expect([await kit.messages(id), await changes(id)]).toEqual([[], []])
  })

  test('one message of an object tells what is new, gone and changed; the history lists it', async () => {
    const id = await watched()
    kit.provider.fields = [{ ...email, label: 'E-mail' }, tier]
    await kit.look(id)
    const result = {
      createdFields: [{ fieldName: 'tier', displayName: 'Tier', valueType: 'string', providerType: 'text' }],
      deletedFields: [{ fieldName: 'score', displayName: 'Score', valueType: 'other', providerType: 'number' }],
      changedFields: [
        {
          oldSchema: { fieldName: 'email', displayName: 'Email', valueType: 'string', providerType: 'text' },
          newSchema: { fieldName: 'email', displayName: 'E-mail', valueType: 'string', providerType: 'text' },
        },
      ],
    }
    const [message, ...others] = await kit.messages(id)
    expect(others).toEqual([])
    expect(message).toMatchObject({
      action: 'schema.watch',
      projectId: kit.app.projectId,
      provider: 'shifty',
      installationId: id,
      objectName: 'items',
      rawObjectName: 'things',
      resultInfo: { type: 'inline', numRecords: 3 },
      result,
    })
    await expect
      .poll(() => kit.receiver.bodies.filter((body) => (body as { installationId: string }).installationId === id), {
        timeout: 30_000,
      })
      .toEqual([message])
    expect(await changes(id)).toEqual([
      { id: expect.any(String), installationId: id, objectName: 'things', createTime: expect.any(String), ...result },
    ])
    await kit.look(id)
    expect(await kit.messages(id)).toHaveLength(1)
  })

  test('a kind that the manifest does not watch is in the history and in no message', async () => {
    const id = await watched(['things'], { destination: 'hook', allObjects: { fieldCreated: { enabled: 'always' } } })
    expect((await kit.watches(name, id))[0]?.schedule).toBe('0 */24 * * *')
    kit.provider.fields = [email]
    await kit.look(id)
    kit.provider.fields = [email, tier]
    await kit.look(id)
    expect((await kit.messages(id)).map(({ result }) => Object.keys(result as object))).toEqual([['createdFields']])
    expect((await changes(id)).map(({ deletedFields }) => deletedFields?.length)).toEqual([0, 1])
  })

  test('the message waits for a destination that is not there yet', async () => {
    const id = await watched(['things'], { ...watchAll, destination: `later-${count}` })
    kit.provider.fields = [email]
    await kit.look(id)
    expect(await kit.messages(id)).toHaveLength(1)
  })

  test('names that a database could stumble over are kept', async () => {
    const id = await watched()
    kit.provider.fields = [
      email,
      score,
      { ...tier, name: 'a\0b' },
      { ...tier, name: '__proto__' },
      { ...tier, name: '\ud800' },
    ]
    await kit.look(id)
    expect((await changes(id))[0]?.createdFields?.map(({ fieldName }) => fieldName)).toHaveLength(3)
    await kit.look(id)
    expect(await changes(id)).toHaveLength(1)
  })
})

describe('nothing is taken for deleted', () => {
  test.each([
    ['the provider fails', 500],
    ['the credential may not ask', 403],
    ['the object is not there', 404],
    ['the provider is asked too often', 429],
  ])('while %s; the look is made again', async (_, status) => {
    const id = await watched()
    kit.provider.failing.set('/fields', { status, headers: status === 429 ? { 'retry-after': '5' } : {} })
    await kit.look(id)
    expect(await kit.watches(name, id)).toMatchObject([{ fieldCount: 2, error: expect.any(String) }])
    expect(await changes(id)).toEqual([])
    kit.provider.failing.clear()
    await kit.look(id)
    expect((await kit.watches(name, id))[0]).not.toHaveProperty('error')
    expect(await changes(id)).toEqual([])
  })

  test('because the answer lists no field at all', async () => {
    const id = await watched()
    kit.provider.fields = []
    await kit.look(id)
    expect(await changes(id)).toEqual([])
    expect(await kit.watches(name, id)).toMatchObject([{ fieldCount: 2, error: expect.stringContaining('any field') }])
  })

  test('because a source that may be refused is refused', async () => {
    kit.provider.custom = [{ name: 'shade', label: 'Shade' }]
    const id = await watched(['notes'])
    kit.provider.failing.set('/custom', { status: 403 })
    await kit.look(id)
    expect(await changes(id)).toEqual([])
    kit.provider.failing.clear()
    kit.provider.custom = []
    await kit.look(id)
    expect(await changes(id)).toMatchObject([{ deletedFields: [{ fieldName: 'shade' }] }])
  })

  test('because the sampled record has fewer fields', async () => {
    kit.provider.rows = [{ id: 1, a: 1 }]
    const id = await watched(['rows'])
    for (const rows of [[], [{ id: 2, b: 1 }], [{ id: 1, a: 1 }]]) {
      kit.provider.rows = rows
      await kit.look(id)
    }
    expect(await changes(id)).toMatchObject([{ createdFields: [{ fieldName: 'b' }], deletedFields: [] }])
  })

  test('because another account, or another provider file, describes the object', async () => {
    const id = await watched()
    kit.provider.fields = [email]
    await sql`update schema_watches set declaration = 'an older file' where installation_id = ${id}`.execute(
      kit.app.db.sql,
    )
    await kit.look(id)
    await sql`update schema_watches set connection_id = ${newId()} where installation_id = ${id}`.execute(
      kit.app.db.sql,
    )
    kit.provider.fields = [email, tier]
    await kit.look(id)
    expect(await changes(id)).toEqual([])
    expect((await kit.watches(name, id))[0]?.fieldCount).toBe(2)
  })

  test('of one object because another one cannot be described', async () => {
    kit.provider.custom = [{ name: 'shade', label: 'Shade' }]
    const id = await watched(['things', 'notes'])
    kit.provider.failing.set('/fields', { status: 500 })
    kit.provider.custom = []
    await kit.look(id)
    expect(await changes(id)).toMatchObject([{ objectName: 'notes', deletedFields: [{ fieldName: 'shade' }] }])
    expect(await changes(id, '?objectName=things')).toEqual([])
  })
})

describe('when it looks', () => {
  test('after a failure that may pass, soon again and later each time, but no later than its schedule', async () => {
    const id = await watched(['things'], { ...watchAll, schedule: '0 0 1 1 *' })
    kit.provider.failing.set('/fields', { status: 500 })
    const waits: number[] = []
    for (let n = 0; n < 3; n++) {
      await kit.look(id)
      const next = new Date((await kit.watches(name, id))[0]?.nextCheckTime ?? 0).getTime()
      waits.push((next - kit.app.clock.now().getTime()) / 60_000)
    }
    for (const [n, least] of [3, 7, 15].entries()) {
      expect(waits[n]).toBeGreaterThan(least)
      expect(waits[n]).toBeLessThanOrEqual(least * 2.1)
    }
  })

  test('a credential that is refused is not asked with again', async () => {
    const id = await watched()
    // The check of the new connection may come late: it is refused too.
    for (const path of ['/fields', '/me']) kit.provider.failing.set(path, { status: 401 })
    await kit.look(id)
    await kit.look(id)
    // What is said where nothing was asked.
    expect((await kit.watches(name, id))[0]?.error).toBe('The provider refused the credential of the connection.')
  })

  test('only what is due, and each once on however many nodes', async () => {
    const id = await watched(['things', 'notes'])
    // The next tick may be the end of this hour, which may be now.
    await sql`update schema_watches set next_check_at = ${kit.app.clock.now()}::timestamptz + interval '1 hour'
               where installation_id = ${id}`.execute(kit.app.db.sql)
    kit.app.clock.advance(60_000)
    kit.provider.fields = [email]
    const check = () => {
      const { services } = kit.app.app
      const signal = new AbortController().signal
      return checkInstallation({ projectId: kit.app.projectId, installationId: id }, services, signal, services.log)
    }
    await check()
    expect(await changes(id)).toEqual([])
    await sql`update schema_watches set next_check_at = now() - interval '1 hour' where installation_id = ${id}`.execute(
      kit.app.db.sql,
    )
    await Promise.all([check(), check(), check()])
    await kit.settled(id)
    expect(await changes(id)).toHaveLength(1)
    expect(await kit.messages(id)).toHaveLength(1)
  })

  test('what a node took and never settled is due again when its lease has ended', async () => {
    const id = await watched()
    const lease = (seconds: number) =>
      sql`update schema_watches set fence = ${newId()}, lease_until = now() + ${seconds} * interval '1 s',
            next_check_at = ${kit.app.clock.now()}
           where installation_id = ${id}`.execute(kit.app.db.sql)
    kit.app.clock.advance(60_000)
    await lease(3_600)
    kit.provider.fields = [email, score, tier]
    const { services } = kit.app.app
    const { signal } = new AbortController()
    await checkInstallation({ projectId: kit.app.projectId, installationId: id }, services, signal, services.log)
    expect(await changes(id)).toEqual([])
    await lease(0)
    await kit.settled(id)
    expect(await changes(id)).toHaveLength(1)
  })

  test('a second node looks too', async () => {
    const id = await watched()
    const node = await kit.node()
    kit.provider.fields = [email]
    await kit.look(id)
    await node.stop()
    expect(await changes(id)).toHaveLength(1)
  })
})

describe('deploys', () => {
  test('taking the key away stops it, and putting it back begins with a new baseline', async () => {
    const id = await watched()
    await kit.deploy(name, undefined)
    await expect.poll(() => kit.watches(name, id), { timeout: 30_000 }).toEqual([])
    kit.provider.fields = [email, score, tier]
    kit.app.clock.advance(60_000)
    await kit.deploy(name, watchAll)
    await expect.poll(async () => (await kit.watches(name, id)).length, { timeout: 30_000 }).toBe(1)
    await kit.settled(id)
    expect(await changes(id)).toEqual([])
    expect((await kit.watches(name, id))[0]?.fieldCount).toBe(3)
  })

  test('another schedule counts at once, and what was seen stays', async () => {
    const id = await watched()
    await kit.deploy(name, { ...watchAll, schedule: '0 0 1 1 *' })
    await expect
      .poll(async () => (await kit.watches(name, id))[0], { timeout: 30_000 })
      .toMatchObject({ schedule: '0 0 1 1 *', nextCheckTime: expect.stringMatching(/-01-01T00:00/), fieldCount: 2 })
  })

  test('an object more is watched, one less is not', async () => {
    const id = await watched(['things'])
    await kit.deploy(name, watchAll, ['things', 'notes'])
    const config = { content: { provider: 'shifty', read: { objects: { notes: { selectedFieldsAuto: 'all' } } } } }
    const path = `/projects/default/integrations/${name}/installations/${id}`
    const { status, body } = await kit.app.call('PATCH', path, {
      updateMask: ['config.content.read.objects.notes'],
      installation: { config },
    })
    expect(status, JSON.stringify(body)).toBe(200)
    const names = async () => (await kit.watches(name, id)).map(({ objectName }) => objectName)
    expect(await names()).toEqual(['notes', 'things'])
    await kit.deploy(name, watchAll, ['things'])
    await expect.poll(names, { timeout: 30_000 }).toEqual(['things'])
  })

  test('deleting the installation takes its watches and its history along', async () => {
    const id = await watched()
    kit.provider.fields = [email]
    await kit.look(id)
    await kit.app.call('DELETE', `/projects/default/integrations/${name}/installations/${id}`)
    const { rows } = await sql`
      select 1 from schema_watches where installation_id = ${id}
      union all select 1 from schema_changes where installation_id = ${id}`.execute(kit.app.db.sql)
    expect(rows).toEqual([])
  })
})

describe('the history', () => {
  test('comes in pages, newest first', async () => {
    const id = await watched()
    for (const fields of [[email], [email, tier], [tier]]) {
      kit.provider.fields = fields
      await kit.look(id)
    }
    const whole = await changes(id)
    expect(whole).toHaveLength(3)
    const path = `/projects/default/integrations/${name}/installations/${id}/schema-changes`
    const first = await kit.app.call<SchemaChange[]>('GET', `${path}?pageSize=2`)
    const token = first.headers.get('x-next-page-token')
    const rest = await kit.app.call<SchemaChange[]>('GET', `${path}?pageSize=2&pageToken=${token}`)
    expect([...first.body, ...rest.body]).toEqual(whole)
  })

  test('of another integration, another project and no installation is not found', async () => {
    const id = await watched()
    const other = `${name}-other`
    await kit.deploy(other, undefined)
    for (const part of ['schema-changes', 'schema-watches'])
      for (const path of [
        `${other}/installations/${id}`,
        `${name}/installations/${newId()}`,
        `${name}/installations/x`,
      ])
        expect(await kit.app.call('GET', `/projects/default/integrations/${path}/${part}`)).toMatchObject({
          status: 404,
          body: { context: { code: 'installation-not-found' } },
        })
  })

  test('is forgotten when retention ends', async () => {
    const id = await watched()
    kit.provider.fields = [email]
    await kit.look(id)
    const { system } = kit.app.app.services.database
    await deleteOldChanges(system, new Date(0))
    expect(await changes(id)).toHaveLength(1)
    await deleteOldChanges(system, new Date(kit.app.clock.now().getTime() + 1))
    expect(await changes(id)).toEqual([])
  })
})
