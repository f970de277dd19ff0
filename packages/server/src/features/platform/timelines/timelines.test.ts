import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newId } from '../../../kernel/db/index.ts'
import { startInstallationKit } from '../../../testkit/installation-kit.ts'
import { beginOperation, endOperation, insertEndedReads } from '../operations/index.ts'
import { deleteOldEvents } from './event-store.ts'
import type { TimelineEntry } from './model.ts'

interface Page {
  results: TimelineEntry[]
  pagination: { done: boolean; nextPageToken?: string }
}

let kit: Awaited<ReturnType<typeof startInstallationKit>>
beforeAll(async () => {
  kit = await startInstallationKit()
})
afterAll(() => kit?.stop())

const timeline = async (query: Record<string, string>) =>
  (await kit.app.call<Page>('GET', `${kit.base}/timeline?${new URLSearchParams(query)}`)).body
const entries = async (query: Record<string, string>) => (await timeline(query)).results
const kindsOf = async (query: Record<string, string>) => (await entries(query)).map(({ kind }) => kind)

const objects = { contacts: { objectName: 'contacts', destination: 'hook', schedule: '0 * * * *' } }

async function installed(groupRef: string) {
  const connectionId = await kit.connect(groupRef)
  const { status, body } = await kit.create(groupRef, objects, { connectionId }, '?skipSampling=true')
  expect(status, JSON.stringify(body)).toBe(201)
  return { groupRef, connectionId, ...body }
}

const read = (kind: string, installationId: string) =>
  kit.app.call('POST', `//read/v1${kit.base}/integrations/crm/installations/${installationId}:${kind}`)

/** Stores a read of an installation that has ended. */
async function ended(of: { id: string; integrationId: string; config: { id: string } }, status: 'success' | 'failure') {
  const operation = {
    id: newId(),
    integrationId: of.integrationId,
    installationId: of.id,
    configId: of.config.id,
    actionType: 'read' as const,
    readType: 'scheduled' as const,
    resource: 'contacts',
  }
  await kit.app.db.transaction(async (tx) => {
    await beginOperation(tx, operation)
    await endOperation(tx, operation.id, { status, result: '[contacts] Found 3 records.' })
  })
  return operation
}

describe('the time line of an installation', () => {
  it('shows how it was connected, installed, configured, paused, resumed and deleted, and who did it', async () => {
    const { id, connectionId, config, groupRef } = await installed('of-a-life')
    expect((await read('pause', id)).status).toBe(204)
    expect((await read('unpause', id)).status).toBe(204)
    const content = { ...config.content, read: { objects: { contacts: { disabled: true } } } }
    const changed = await kit.update(
      id,
      ['config.content.read.objects.contacts.disabled'],
      { config: { content } },
      '?skipSampling=true',
    )
    expect(changed.status, JSON.stringify(changed.body)).toBe(200)
    const found = await entries({ installationId: id })
    expect(found.filter(({ kind }) => kind !== 'audit').map(({ kind }) => kind)).toEqual([
      'installation.config',
      'reads.resumed',
      'reads.paused',
      'operation.read',
      'installation.created',
      'connection.created',
    ])
    const paused = found.find(({ kind }) => kind === 'reads.paused')
    expect(paused).toMatchObject({
      title: 'Scheduled reads were paused on request.',
      groupRef,
      installationId: id,
      connectionId,
      details: { objectNames: ['contacts'], reason: 'request' },
    })
    expect(found.find(({ kind }) => kind === 'installation.config')).toMatchObject({
      details: { configId: changed.body.config.id, previousConfigId: config.id, version: 2 },
    })
    // Who did it.
    const requests = found
      .filter(({ kind }) => kind === 'audit')
      .map(({ details, actor }) => [details?.['action'], actor?.kind])
    expect(requests).toEqual([
      ['updateInstallation', 'apiKey'],
      ['unpauseReads', 'apiKey'],
      ['pauseReads', 'apiKey'],
      ['createInstallation', 'apiKey'],
      ['generateConnection', 'apiKey'],
    ])

    expect((await kit.app.call('DELETE', `${kit.path()}/${id}`)).status).toBe(204)
    expect((await kindsOf({ installationId: id, kind: 'installation' })).slice(0, 3)).toEqual([
      'installation.deleted',
      'installation.config',
      'installation.created',
    ])
    expect((await kindsOf({ groupRef, kind: 'connection' })).slice(0, 2)).toEqual([
      'connection.deleted',
      'connection.created',
    ])
  })

  it('shows a refused credential with its reason, what it paused, and the recovery', async () => {
    const { id, connectionId, groupRef } = await installed('of-a-refusal')
    const change = (from: 'working' | 'bad_credentials', to: 'working' | 'bad_credentials', error?: string) =>
      kit.app.db.transaction(async (tx) => {
        await sql`update connections set status = ${to} where id = ${connectionId}`.execute(tx.sql)
        const reason = error === undefined ? {} : { error }
        await kit.app.app.services.hooks.connectionStatusChanged(tx, { connectionId, from, to, ...reason })
      })
    await change('working', 'bad_credentials', 'The key was revoked.')
    await change('bad_credentials', 'working')
    const found = (await entries({ connectionId })).filter(({ kind }) => /status|health|paused/.test(kind))
    expect(found.map(({ kind, status, details }) => [kind, status, details])).toEqual([
      ['installation.health', 'success', { healthStatus: 'healthy' }],
      ['connection.status', 'success', { from: 'bad_credentials', to: 'working' }],
      ['reads.paused', undefined, { objectNames: ['contacts'], reason: 'credentials', error: 'The key was revoked.' }],
      ['installation.health', 'failure', { healthStatus: 'unhealthy' }],
      ['connection.status', 'failure', { from: 'working', to: 'bad_credentials', reason: 'The key was revoked.' }],
    ])
    expect(await kindsOf({ groupRef, kind: 'connection.status' })).toHaveLength(2)
    expect(await kindsOf({ installationId: id, kind: 'connection.status' })).toHaveLength(2)
  })

  it('does not show that a renewed token is used for the first time', async () => {
    const { connectionId } = await installed('of-a-renewal')
    const { hooks } = kit.app.app.services
    const change = (from: 'created' | 'working', to: 'created' | 'working') =>
      kit.app.db.transaction((tx) => hooks.connectionStatusChanged(tx, { connectionId, from, to }))
    for (let renewal = 0; renewal < 3; renewal++) {
      await change('working', 'created')
      await change('created', 'working')
    }
    expect(await kindsOf({ connectionId, kind: 'connection.status' })).toHaveLength(1)
  })

  it('shows reads that found records or failed, and leaves out the others', async () => {
    const { id, ...installation } = await installed('of-reads')
    await ended({ id, ...installation }, 'success')
    await ended({ id, ...installation }, 'failure')
    await insertEndedReads(kit.app.testDatabase.database.system, [
      {
        projectId: kit.app.projectId,
        operationId: newId(),
        installationId: id,
        integrationId: installation.integrationId,
        configId: installation.config.id,
        objectName: 'contacts',
        result: 'Found no records.',
        begun: new Date(),
      },
    ])
    const shown = await entries({ installationId: id, kind: 'operation.read' })
    expect(shown.map(({ status, title }) => [status, title])).toEqual([
      ['failure', 'Found 3 records.'],
      ['success', 'Found 3 records.'],
      ['in_progress', 'The read is in progress.'],
    ])
    expect(shown[0]).toMatchObject({ objectName: 'contacts', operationId: shown[0]?.id, installationId: id })
    expect(await kindsOf({ installationId: id, kind: 'operation.write' })).toEqual([])
  })
})

describe('a page of a time line', () => {
  it('continues where the last one ended, in any size, without gaps', async () => {
    const { id, ...installation } = await installed('of-pages')
    for (let number = 0; number < 5; number++) await ended({ id, ...installation }, 'success')
    await read('pause', id)
    const whole = await entries({ groupRef: 'of-pages', pageSize: '200' })
    expect(whole.length).toBeGreaterThan(10)
    const paged: TimelineEntry[] = []
    let token: string | undefined
    do {
      const query = { groupRef: 'of-pages', pageSize: '3', ...(token !== undefined && { pageToken: token }) }
      const page = await timeline(query)
      paged.push(...page.results)
      token = page.pagination.nextPageToken
    } while (token !== undefined)
    expect(paged).toEqual(whole)
    const middle = whole[5]
    if (!middle) throw new Error('there is no sixth entry')
    const later = await entries({ groupRef: 'of-pages', startTime: String(middle.time), pageSize: '200' })
    const earlier = await entries({ groupRef: 'of-pages', endTime: String(middle.time), pageSize: '200' })
    expect([...later, ...earlier]).toEqual(whole)
  })

  it('costs the same among many reads that found nothing', async () => {
    const { id, integrationId, config } = await installed('of-many')
    await sql`
      insert into operations (project_id, id, integration_id, installation_id, config_id, action_type, read_type, resource, status,
        result, is_quiet)
      select ${kit.app.projectId}, quiet::uuid, ${integrationId}, ${id}, ${config.id}, 'read', 'scheduled', 'contacts', 'success',
        'nothing', true
        from jsonb_array_elements_text(${JSON.stringify(Array.from({ length: 20_000 }, newId))}::jsonb) as quiet`.execute(
      kit.app.db.sql,
    )
    const { rows: plan } = await sql<{ 'QUERY PLAN': string }>`
      explain (analyze, buffers, costs off) select * from operations e
       where e.project_id = ${kit.app.projectId} and e.installation_id = ${id} and e.is_quiet is null
       order by e.id desc limit 51`.execute(kit.app.db.sql)
    const text = plan.map((line) => line['QUERY PLAN']).join('\n')
    expect(text).toMatch(/operations_shown|_project_id_installation_id_id_idx/)
    const removed = [...text.matchAll(/Rows Removed by Filter: (\d+)/g)].reduce(
      (sum, [, rows]) => sum + Number(rows),
      0,
    )
    expect(removed, text).toBe(0)
    expect((await entries({ installationId: id, kind: 'operation' })).length).toBe(1)
  })

  it('needs one group, installation or connection', async () => {
    for (const query of ['', '?groupRef=a&installationId=b', '?kind=nonsense&groupRef=a', '?groupRef=a&pageSize=900']) {
      const { status } = await kit.app.call('GET', `${kit.base}/timeline${query}`)
      expect([query, status]).toEqual([query, 400])
    }
    expect(await timeline({ groupRef: 'nobody' })).toEqual({ results: [], pagination: { done: true } })
    expect(await entries({ installationId: 'nonsense' })).toEqual([])
    expect(await entries({ connectionId: newId() })).toEqual([])
  })
})

it('the versions of a config are listed, newest first, with who made them', async () => {
  const { id, config } = await installed('of-versions')
  const content = { ...config.content, read: { objects: { contacts: { disabled: true } } } }
  await kit.update(id, ['config.content.read.objects.contacts.disabled'], { config: { content } }, '?skipSampling=true')
  const list = (query: string) => kit.app.call<{ version: number }[]>('GET', `${kit.path()}/${id}/configs${query}`)
  const { body, status } = await list('')
  expect(status).toBe(200)
  const { body: current } = await kit.get(id)
  expect(body).toMatchObject([
    { ...current.config, version: 2, isCurrent: true },
    { ...config, version: 1, isCurrent: false },
  ])
  const first = await list('?pageSize=1')
  expect(first.body.map(({ version }) => version)).toEqual([2])
  const token = first.headers.get('x-next-page-token') ?? ''
  expect((await list(`?pageSize=1&pageToken=${token}`)).body.map(({ version }) => version)).toEqual([1])
  expect((await list('?pageToken=nonsense')).status).toBe(400)
  expect((await kit.app.call('GET', `${kit.path('nothing')}/${id}/configs`)).status).toBe(404)
})

it('entries past retention are deleted', async () => {
  const { connectionId } = await installed('of-old')
  await kit.app.db.transaction((tx) =>
    kit.app.app.services.hooks.connectionStatusChanged(tx, { connectionId, from: 'bad_credentials', to: 'working' }),
  )
  const system = kit.app.testDatabase.database.system
  await deleteOldEvents(system, new Date(Date.now() - 60_000), 1_000)
  expect(await kindsOf({ connectionId, kind: 'connection.status' })).toHaveLength(1)
  await deleteOldEvents(system, new Date(Date.now() + 60_000), 1_000)
  expect(await kindsOf({ connectionId, kind: 'connection.status' })).toHaveLength(0)
})
