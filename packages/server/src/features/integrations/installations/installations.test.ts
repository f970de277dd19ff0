import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  emptyMaps,
  type InstallationKit,
  manifest,
  type ProblemBody,
  startInstallationKit,
} from '../../../testkit/installation-kit.ts'
import { effectiveReadObjects } from './effective.ts'
import { findInstallation } from './store.ts'

let kit: InstallationKit
let groups = 0
let group = ''
let connectionId = ''

beforeAll(async () => {
  kit = await startInstallationKit()
})
afterAll(() => kit?.stop())
beforeEach(async () => {
  group = `group-${++groups}`
  connectionId = await kit.connect(group)
})

const installed = async (objects: unknown = { contacts: {} }, change: object = {}) => {
  const answer = await kit.create(group, objects, change)
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  return answer.body
}
const refused = async (objects: unknown, change: object = {}) => {
  const answer = await kit.create<ProblemBody>(group, objects, change)
  return { status: answer.status, code: answer.body.context.code, issues: answer.body.issues, body: answer.body }
}
const rowsOf = async (id: string) =>
  (await sql`select from installations where id = ${id}`.execute(kit.app.db.sql)).rows.length

describe('installing', () => {
  test('an integration is installed on the newest connection of the group', async () => {
    const second = await kit.connect(group, { consumerRef: 'bob' })
    const installation = await installed({ contacts: { selectedFields: { score: true } } })
    expect(installation).toMatchObject({
      projectId: kit.app.projectId,
      healthStatus: 'healthy',
      createdBy: 'consumer:bob',
      connection: { id: second, status: 'working' },
      group: { groupRef: group },
      config: {
        content: {
          provider: 'sampleCrm',
          read: { objects: { contacts: { objectName: 'contacts', selectedFields: { score: true } } } },
        },
      },
    })
    expect(installation.config.createdBy).toMatch(/^builder:/)
    expect(installation.connection).not.toHaveProperty('apiKey')
    expect(installation).not.toHaveProperty('updateTime')
    expect(await kit.get(installation.id)).toMatchObject({ status: 200, body: installation })
  })

  test('every read object is answered with both of its maps, empty where nothing is chosen', async () => {
    const { id, config } = await installed({ contacts: {}, companies: { selectedFieldMappings: { title: 'name' } } })
    const objects = {
      contacts: { objectName: 'contacts', selectedFields: {}, selectedFieldMappings: {} },
      companies: { objectName: 'companies', selectedFields: {}, selectedFieldMappings: { title: 'name' } },
    }
    expect(config.content).toMatchObject({ read: { objects } })
    expect((await kit.get(id)).body.config.content).toMatchObject({ read: { objects } })
    const { rows } = await sql<{ content: object }>`select content from configs where id = ${config.id}`.execute(
      kit.app.db.sql,
    )
    expect(rows[0]?.content).toMatchObject({ read: { objects: { contacts: { objectName: 'contacts' } } } })
    expect(JSON.stringify(rows[0]?.content)).not.toContain('"selectedFields"')
  })

  test('what a caller says who made the config is kept', async () => {
    const content = { provider: 'sampleCrm', read: { objects: { contacts: {} } } }
    const { config } = await installed(undefined, {
      config: { content, createdBy: 'api:import', revisionId: 'ignored' },
    })
    expect(config.createdBy).toBe('api:import')
  })

  test('actions that are named carry their objects, others are left out', async () => {
    const content = { provider: 'sampleCrm', read: {}, subscribe: {}, proxy: { enabled: false } }
    const { config } = await installed(undefined, { config: { content } })
    expect(config.content).toEqual({
      provider: 'sampleCrm',
      read: { objects: {} },
      subscribe: { objects: {} },
      proxy: { enabled: false },
    })
  })

  test('the path takes the integration’s id or name, and object names of any characters', async () => {
    const { id, integrationId } = await installed({ 'price/list.items': { disabled: true } })
    expect((await kit.app.call('GET', `${kit.path(integrationId)}/${id}`)).status).toBe(200)
  })

  test('a group installs an integration once on each connection', async () => {
    const { id } = await installed()
    const again = await refused({ contacts: {} })
    expect(again).toMatchObject({ status: 400, issues: [{ in: 'body', context: { installationId: id } }] })
    await kit.connect(group, { consumerRef: 'bob' })
    expect((await installed()).id).not.toBe(id)
    const answers = await Promise.all(
      [1, 2, 3].map(async (n) =>
        kit.create(group, { contacts: {} }, { connectionId: await kit.connect(group, { consumerRef: 'eve' }), n }),
      ),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400, 400])
  })

  test('without a connection, or with one that does not fit, nothing is installed', async () => {
    const elsewhere = await kit.connect(`${group}-other`)
    const otherProvider = await kit.connect(group, { provider: 'pylon', apiKey: 'k' })
    const unconnected = await kit.create<ProblemBody>('nobody', { contacts: {} })
    expect(unconnected).toMatchObject({ status: 400, body: { issues: [{ name: 'groupRef' }] } })
    for (const id of [elsewhere, 'nope', '0190a0a0-0000-7000-8000-000000000000'])
      expect(await refused({ contacts: {} }, { connectionId: id })).toMatchObject({
        status: 400,
        issues: [{ name: 'connectionId' }],
      })
    expect((await refused({ contacts: {} }, { connectionId: otherProvider })).status).toBe(422)
  })

  test('a provider that can only be proxied to is installed for its proxy, and read from by no installation', async () => {
    await kit.deploy(
      'specVersion: 1.0.0\nintegrations:\n  - name: accu\n    provider: pylon\n    proxy: { enabled: true }\n',
    )
    await kit.connect(group, { provider: 'pylon', apiKey: 'k' })
    const answer = await kit.app.call('POST', kit.path('accu'), {
      groupRef: group,
      config: { content: { provider: 'pylon', proxy: { enabled: true } } },
    })
    expect(answer).toMatchObject({ status: 201, body: { config: { content: { proxy: { enabled: true } } } } })

    await kit.deploy(
      'specVersion: 1.0.0\nintegrations:\n  - name: accuRead\n    provider: pylon\n    read: { objects: [{ objectName: jobs, destination: crm, schedule: "*/10 * * * *" }] }\n',
    )
    const content = { provider: 'pylon', read: { objects: { jobs: { objectName: 'jobs' } } } }
    const reading = await kit.app.call<ProblemBody>('POST', kit.path('accuRead'), {
      groupRef: group,
      config: { content },
    })
    expect(reading).toMatchObject({ status: 422, body: { context: { code: 'capability-not-implemented' } } })
  })

  test('an action that no connector can do yet is not installed', async () => {
    const content = { provider: 'sampleCrm', subscribe: { objects: { contacts: { objectName: 'contacts' } } } }
    expect(await refused(undefined, { config: { content } })).toMatchObject({
      status: 422,
      code: 'capability-not-implemented',
    })
  })

  test('wrong types are a 400 with all of them, at their places', async () => {
    const answer = await refused({
      contacts: { schedule: 5, selectedFields: { a: 'yes' }, backfill: { defaultPeriod: { days: -1 } } },
    })
    expect(answer.status).toBe(400)
    expect(answer.issues.map(({ name }) => name).sort()).toEqual([
      'config.content.read.objects.contacts.backfill.defaultPeriod.days',
      'config.content.read.objects.contacts.schedule',
      'config.content.read.objects.contacts.selectedFields.a',
    ])
    expect((await kit.app.call('POST', kit.path(), {})).status).toBe(400)
  })

  test.each<[string, object, string]>([
    ['a cron that is none', { schedule: 'every day' }, 'schedule'],
    ['a cron that never fires', { schedule: '0 0 30 2 *' }, 'schedule'],
    [
      'days and full history',
      { backfill: { defaultPeriod: { days: 3, fullHistory: true } } },
      'backfill.defaultPeriod',
    ],
    ['neither days nor full history', { backfill: { defaultPeriod: {} } }, 'backfill.defaultPeriod'],
    ['a filter', { fieldFilters: [{ fieldName: 'a', operator: 'eq', value: 1 }] }, 'fieldFilters'],
    [
      'a filter of the backfill',
      { backfill: { defaultPeriod: { days: 1 }, fieldFilters: [{ fieldName: 'a', operator: 'eq', value: 1 }] } },
      'backfill.fieldFilters',
    ],
    [
      'a second source of one name',
      { selectedFieldMappings: { telephone: 'mobile' } },
      'selectedFieldMappings.telephone',
    ],
    ['a value mapped to two', { selectedValueMappings: { stage: { a: 'x', b: 'x' } } }, 'selectedValueMappings.stage'],
    ['a broken bracket path', { selectedFields: { "$['a": true } }, "selectedFields.$['a"],
  ])('%s is a 422, and nothing is saved', async (_, object, place) => {
    const answer = await refused({ contacts: object })
    expect(answer).toMatchObject({
      status: 422,
      issues: [{ in: 'body', name: `config.content.read.objects.contacts.${place}` }],
    })
    expect((await kit.app.call(`GET`, `${kit.path()}?groupRef=${group}`)).body).toEqual([])
  })

  test('objects that the manifest lacks, another provider and an empty choice are refused together', async () => {
    const content = { provider: 'hubspot', read: { objects: { contact: {}, companies: {} } } }
    const answer = await refused(undefined, { config: { content } })
    expect(answer.status).toBe(422)
    expect(answer.issues.map(({ name }) => name)).toEqual([
      'config.content.provider',
      'config.content.read.objects.contact',
      'config.content.read.objects.companies.selectedFields',
    ])
    expect(answer.issues[1]?.remedy).toBe('Did you mean "contacts"?')
  })

  test('a required mapping has to be chosen unless the manifest has a default', async () => {
    const yaml = (field: string) => `specVersion: 1.0.0
integrations:
  - name: mapped
    provider: sampleCrm
    read: { objects: [{ objectName: contacts, destination: hook, schedule: "0 * * * *", requiredFields: [${field}] }] }
`
    const post = (object: object) =>
      kit.app.call<ProblemBody>('POST', kit.path('mapped'), {
        groupRef: group,
        config: { content: { provider: 'sampleCrm', read: { objects: { contacts: object } } } },
      })
    await kit.deploy(yaml('{ mapToName: stage }'))
    expect(await post({})).toMatchObject({
      status: 422,
      body: { issues: [{ name: 'config.content.read.objects.contacts.selectedFieldMappings.stage' }] },
    })
    await kit.deploy(yaml('{ mapToName: stage, default: stage }'))
    expect((await post({})).status).toBe(201)
  })

  test('a prototype anywhere is refused', async () => {
    const body = `{"groupRef":"${group}","config":{"content":{"provider":"sampleCrm","read":{"objects":{"__proto__":{}}}}}}`
    expect((await kit.app.call('POST', kit.path(), body)).status).toBe(400)
  })
})

describe('the sample read', () => {
  test('what the provider refuses is a 422 with its words, and nothing is saved', async () => {
    kit.crm.failNext(1, 400)
    const answer = await refused({ contacts: {} })
    expect(answer).toMatchObject({
      status: 422,
      code: 'sample-read-failed',
      issues: [{ name: 'config.content.read.objects.contacts' }],
    })
    expect((await kit.app.call('GET', `${kit.path()}?groupRef=${group}`)).body).toEqual([])
  })

  test.each([401, 403, 404, 429, 500, 503])('an answer %i says nothing about the config', async (status) => {
    kit.crm.failNext(1, status)
    await installed()
    kit.crm.failNext(0, 500)
  })

  test('it is left out on request, and for what is not read on a schedule', async () => {
    kit.crm.failNext(5, 400)
    expect((await kit.create(group, { contacts: {} }, {}, '?skipSampling=true')).status).toBe(201)
    await kit.connect(group, { consumerRef: 'bob' })
    kit.crm.failNext(1, 400)
    expect((await kit.create(group, { contacts: { disabled: true } })).status).toBe(201)
    kit.crm.failNext(0, 400)
  })

  test('an object that the connector does not know is refused', async () => {
    expect(await refused({ 'price/list.items': {} })).toMatchObject({ status: 422, code: 'sample-read-failed' })
  })

  test('an update tries what is new or reads other fields, and nothing else', async () => {
    const { id } = await installed({ contacts: {} }, {})
    const tried = async (mask: string[], objects: unknown, more: object = {}) => {
      kit.crm.failNext(9, 400)
      const { status } = await kit.update(id, mask, { ...more, config: { content: { read: { objects } } } })
      kit.crm.failNext(0, 400)
      return status === 422
    }
    const contacts = ['config.content.read.objects.contacts']
    expect(await tried(contacts, { contacts: { schedule: '5 * * * *' } })).toBe(false)
    expect(await tried(contacts, { contacts: { selectedFields: { score: true } } })).toBe(true)
    expect(await tried(['config.content.read.objects.companies'], { companies: { selectedFieldsAuto: 'all' } })).toBe(
      true,
    )
    expect(await tried(contacts, { contacts: { disabled: true, selectedFields: { score: true } } })).toBe(false)
    expect(await tried(['config.content.read.objects.contacts.disabled'], { contacts: { disabled: false } })).toBe(true)
    const other = await kit.connect(group, { consumerRef: 'bob' })
    expect(
      (
        await kit.update(id, ['config.content.read.objects.contacts.disabled'], {
          config: { content: { read: { objects: { contacts: { disabled: false } } } } },
        })
      ).status,
    ).toBe(200)
    kit.crm.failNext(9, 400)
    expect((await kit.update(id, ['connectionId'], { connectionId: other })).status).toBe(422)
    kit.crm.failNext(0, 400)
  })
})

describe('updating', () => {
  const object = (objects: unknown) => ({ config: { content: { read: { objects } } } })

  test('a mask replaces its subtree and nothing else; values that it does not name are ignored', async () => {
    const { id, config } = await installed({
      contacts: { selectedFields: { score: true } },
      companies: { selectedFields: { name: true } },
    })
    const answer = await kit.update(id, ['config.content.read.objects.contacts'], {
      config: {
        createdBy: 'ignored',
        content: { read: { objects: { contacts: { schedule: '5 5 * * *' }, companies: { disabled: true } } } },
      },
    })
    expect(answer.status).toBe(200)
    expect(answer.body.config.content.read?.objects).toEqual({
      contacts: { ...emptyMaps, objectName: 'contacts', schedule: '5 5 * * *' },
      companies: { ...emptyMaps, objectName: 'companies', selectedFields: { name: true } },
    })
    expect(answer.body.config.id).not.toBe(config.id)
    expect(answer.body.config.createdBy).toMatch(/^builder:/)
    expect(answer.body).toHaveProperty('updateTime')
  })

  test('reading stops and goes on by a flag of its own', async () => {
    const { id } = await installed({ contacts: { selectedFields: { score: true } } })
    const path = ['config.content.read.objects.contacts.disabled']
    const stopped = await kit.update(id, path, object({ contacts: { disabled: true } }))
    expect(stopped.body.config.content.read?.objects['contacts']).toEqual({
      ...emptyMaps,
      objectName: 'contacts',
      selectedFields: { score: true },
      disabled: true,
    })
    const { rows } = await sql<{
      paused: string
    }>`select paused from read_states where installation_id = ${id}`.execute(kit.app.db.sql)
    expect(rows).toEqual([{ paused: 'config' }])
    expect((await kit.update(id, path, object({ contacts: { disabled: false } }))).status).toBe(200)
  })

  test('object names with dots and slashes are found unescaped and escaped', async () => {
    const { id } = await installed()
    const name = 'price/list.items'
    for (const path of [name, 'price/list\\.items', `${name}.disabled`, 'price/list\\.items.disabled']) {
      const answer = await kit.update(
        id,
        [`config.content.read.objects.${path}`],
        object({ [name]: { disabled: true } }),
      )
      expect(answer.status, path).toBe(200)
      expect(answer.body.config.content.read?.objects[name]).toEqual({ ...emptyMaps, objectName: name, disabled: true })
    }
  })

  test('the author and the connection are changed when they are named', async () => {
    const { id, createdBy } = await installed()
    const other = await kit.connect(group, { consumerRef: 'bob' })
    const answer = await kit.update(id, ['connectionId', 'config.createdBy'], {
      connectionId: other,
      config: { createdBy: 'builder:x' },
    })
    expect(answer.body).toMatchObject({ createdBy, connection: { id: other }, config: { createdBy: 'builder:x' } })
  })

  test('masks that are unknown or have no value are refused together', async () => {
    const { id, config } = await installed()
    const mask = [
      'nope',
      'config.content.read.objects',
      'config.content.read.objects.contacts',
      'connectionId',
      'config.content.proxy.enabled',
      'config.content.read.objects.contacts.disabled',
    ]
    const answer = await kit.update<ProblemBody>(id, mask, {})
    expect(answer.status).toBe(400)
    expect(answer.body.issues.map(({ name }) => name)).toEqual(mask.map((_, index) => `updateMask[${index}]`))
    expect(answer.body.issues[0]?.remedy).toContain('config.content.write.objects')
    expect((await kit.update(id, [], {})).status).toBe(400)
    expect((await kit.get(id)).body.config.id).toBe(config.id)
  })

  test('every config is kept as it was, under the revision of its moment', async () => {
    const { id, config } = await installed()
    await kit.deploy(manifest.replace('days: 3', 'days: 4'))
    const after = (
      await kit.update(id, ['config.content.read.objects.contacts'], object({ contacts: { schedule: '1 1 * * *' } }))
    ).body.config
    expect(after.revisionId).not.toBe(config.revisionId)
    const { rows } = await sql<{ version: number; revision_id: string }>`
      select version, revision_id from configs where installation_id = ${id} order by version`.execute(kit.app.db.sql)
    expect(rows).toEqual([
      { version: 1, revision_id: config.revisionId },
      { version: 2, revision_id: after.revisionId },
    ])
    await kit.deploy(manifest)
  })

  test('two updates at the same moment are both there afterwards', async () => {
    const { id } = await installed()
    const answers = await Promise.all([
      kit.update(id, ['config.content.read.objects.contacts'], object({ contacts: { schedule: '7 7 * * *' } })),
      kit.update(id, ['config.content.read.objects.companies'], object({ companies: { selectedFieldsAuto: 'all' } })),
    ])
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    expect(Object.keys((await kit.get(id)).body.config.content.read?.objects ?? {}).sort()).toEqual([
      'companies',
      'contacts',
    ])
  })

  test('an object that a deploy left out is read on, can be stopped, and leaves the rest changeable', async () => {
    const { id } = await installed({ contacts: {}, companies: { selectedFieldsAuto: 'all' } })
    await kit.deploy(manifest.replace(/ {8}- objectName: companies[\s\S]*?(?= {8}- objectName: price)/, ''))
    const record = await findInstallation(kit.app.db, id)
    expect(record && effectiveReadObjects(record).get('companies')).toMatchObject({
      schedule: '0 3 * * *',
      destination: 'hook',
    })
    expect(
      (await kit.update(id, ['config.content.read.objects.contacts'], object({ contacts: { schedule: '1 1 * * *' } })))
        .status,
    ).toBe(200)
    expect(
      (
        await kit.update(
          id,
          ['config.content.read.objects.companies.disabled'],
          object({ companies: { disabled: true } }),
        )
      ).status,
    ).toBe(200)
    await kit.deploy(manifest)
  })
})

describe('listing, getting and deleting', () => {
  test('lists are newest first, by integration and over the project', async () => {
    const first = await installed()
    await kit.connect(group, { consumerRef: 'bob' })
    const second = await installed()
    for (const path of [kit.path(), `${kit.base}/installations`]) {
      const { body } = await kit.app.call<{ id: string }[]>('GET', `${path}?groupRef=${group}`)
      expect(body.map(({ id }) => id)).toEqual([second.id, first.id])
      expect(JSON.stringify(body)).not.toContain('demo-key')
    }
  })

  test('unknown, malformed, another integration’s and another project’s ids look the same', async () => {
    await kit.deploy(
      'specVersion: 1.0.0\nintegrations:\n  - { name: second, provider: sampleCrm, proxy: { enabled: true } }\n',
    )
    const { id } = await installed()
    const update = { updateMask: ['connectionId'], installation: { connectionId } }
    for (const path of [
      `${kit.path()}/nope`,
      `${kit.path()}/0190a0a0-0000-7000-8000-000000000000`,
      `${kit.path('second')}/${id}`,
    ])
      for (const [method, body] of [['GET'], ['DELETE'], ['PATCH', update]] as const)
        expect(await kit.app.call(method, path, body)).toMatchObject({
          status: 404,
          body: { context: { code: 'installation-not-found' } },
        })
    const other = await kit.app.call('GET', `/projects/other/integrations/crm/installations/${id}`, undefined, {
      apiKey: kit.app.otherProject.apiKey,
    })
    expect(other.status).toBe(404)
    expect((await kit.app.call('GET', `${kit.path('nope')}/${id}`)).body).toMatchObject({
      context: { code: 'integration-not-found' },
    })
    expect(
      (await kit.app.call('GET', '/projects/other/installations', undefined, { apiKey: kit.app.otherProject.apiKey }))
        .body,
    ).toEqual([])
  })

  test('a connection in use is not deleted; it goes with its last installation', async () => {
    await kit.deploy(`specVersion: 1.0.0
integrations:
  - { name: twin, provider: sampleCrm, read: { objects: [{ objectName: contacts, destination: hook, schedule: "0 * * * *" }] } }
`)
    const { id } = await installed()
    const twin = await kit.app.call<{ id: string }>('POST', kit.path('twin'), {
      groupRef: group,
      config: { content: { provider: 'sampleCrm', read: { objects: { contacts: {} } } } },
    })
    expect(twin.status).toBe(201)
    const connection = `${kit.base}/connections/${connectionId}`
    expect(await kit.app.call('DELETE', connection)).toMatchObject({
      status: 400,
      body: { context: { code: 'connection-in-use' } },
    })
    expect((await kit.app.call('DELETE', `${kit.path()}/${id}`)).status).toBe(204)
    expect((await kit.app.call('GET', connection)).status).toBe(200)
    expect((await kit.app.call('DELETE', `${kit.path('twin')}/${twin.body.id}`)).status).toBe(204)
    expect((await kit.app.call('GET', connection)).status).toBe(404)
    expect((await kit.app.call('DELETE', `${kit.path()}/${id}`)).status).toBe(404)
    expect(await rowsOf(id)).toBe(0)
  })
})
