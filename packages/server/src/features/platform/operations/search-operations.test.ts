import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newId, timeOfId } from '../../../kernel/db/index.ts'
import { startTestApp, type TestApp } from '../../../testkit/test-app.ts'
import { type EndedRead, insertEndedReads, type Operation } from './index.ts'

interface FoundPage {
  results: Operation[]
  pagination: { done: boolean; nextPageToken?: string }
  examinedTime?: string
}

let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ env: { MORTISE_ROLES: 'api' } })
})
afterAll(() => app?.stop())

const list = async (query: Record<string, string>) =>
  (await app.call<FoundPage>('GET', `/projects/default/operations?${new URLSearchParams(query)}`)).body
const results = async (query: Record<string, string>) =>
  (await list(query)).results.map(({ result = '' }) => result.replace(/^.* /, ''))

/** Stores an operation that is named by its result. */
async function store(name: string, more: Partial<Record<string, string>> = {}): Promise<string> {
  const {
    installation = newId(),
    integration = newId(),
    action = 'read',
    object = 'contacts',
    status = 'success',
  } = more
  const id = newId()
  await sql`
    insert into operations (project_id, id, integration_id, installation_id, config_id, action_type, read_type, resource, status, result)
    values (${app.projectId}, ${id}, ${integration}, ${installation}, ${newId()}, ${action}, ${more['read'] ?? null}, ${object},
            ${status}, ${name})`.execute(app.db.sql)
  return id
}

/** Stores successful operations of one installation, in one statement. */
async function storeMany(count: number, installationId: string): Promise<void> {
  const ids = JSON.stringify(Array.from({ length: count }, newId))
  await sql`
    insert into operations (project_id, id, integration_id, installation_id, config_id, action_type, read_type, resource, status, result)
    select ${app.projectId}, id::uuid, ${installationId}, ${installationId}, ${installationId}, 'read', 'scheduled', 'leads',
           'success', 'many'
      from jsonb_array_elements_text(${ids}::jsonb) as id`.execute(app.db.sql)
}

describe('the operations of a project', () => {
  it('are found by each filter and by several', async () => {
    const installation = newId()
    const integration = newId()
    await store('backfill', { installation, integration, read: 'backfill' })
    await store('failed', { installation, status: 'failure', object: 'deals', read: 'scheduled' })
    await store('write', { integration, action: 'write', object: 'deals' })
    await store('running', { status: 'in_progress', read: 'triggered' })
    expect(await results({})).toEqual(['running', 'write', 'failed', 'backfill'])
    expect(await results({ installationId: installation })).toEqual(['failed', 'backfill'])
    expect(await results({ status: 'failure' })).toEqual(['failed'])
    expect(await results({ status: 'in_progress' })).toEqual(['running'])
    expect(await results({ actionType: 'write' })).toEqual(['write'])
    expect(await results({ readType: 'backfill' })).toEqual(['backfill'])
    expect(await results({ readType: 'scheduled' })).toEqual(['failed'])
    expect(await results({ objectName: 'deals' })).toEqual(['write', 'failed'])
    expect(await results({ objectName: 'deals', status: 'failure', installationId: installation })).toEqual(['failed'])
    expect(await results({ objectName: 'deals', status: 'failure', actionType: 'write' })).toEqual([])
    expect(await results({ integrationId: 'nothing' })).toEqual([])
    expect(await results({ installationId: 'nonsense' })).toEqual([])
    expect(await results({ groupRef: 'nobody' })).toEqual([])
  })

  it('of a time range are those that began in it', async () => {
    const [object, first] = ['of-a-range', await store('early', { object: 'of-a-range' })]
    const time = timeOfId(first)
    const after = new Date(time.getTime() + 1).toISOString()
    expect(await results({ objectName: object, createdAfter: time.toISOString(), createdBefore: after })).toEqual([
      'early',
    ])
    expect(await results({ objectName: object, createdAfter: after })).toEqual([])
    expect(await results({ objectName: object, createdBefore: time.toISOString() })).toEqual([])
  })

  it('have the kind of a scheduled read', async () => {
    const read: EndedRead = {
      projectId: app.projectId,
      operationId: newId(),
      installationId: newId(),
      integrationId: newId(),
      configId: newId(),
      objectName: 'of-a-schedule',
      result: 'nothing',
      begun: new Date(),
    }
    await insertEndedReads(app.testDatabase.database.system, [read])
    const { results: found } = await list({ objectName: 'of-a-schedule' })
    expect(found.map(({ id, readType }) => [id, readType])).toEqual([[read.operationId, 'scheduled']])
  })

  it('come in pages that say where to continue, also if a page found nothing', async () => {
    const installation = newId()
    const wanted = await store('sparse', { installation, object: 'rare' })
    await storeMany(10_500, installation)
    for (const filter of [{ objectName: 'rare' }, { objectName: 'rare', installationId: installation }]) {
      const first = await list(filter)
      expect([first.results, first.pagination.done, typeof first.examinedTime]).toEqual([[], false, 'string'])
      const second = await list({ ...filter, pageToken: first.pagination.nextPageToken ?? '' })
      expect(second.results.map(({ id }) => id)).toEqual([wanted])
      expect(second.pagination).toEqual({ done: true })
    }
    const pages: string[] = []
    let token: string | undefined
    do {
      const query = { installationId: installation, pageSize: '1000', ...(token !== undefined && { pageToken: token }) }
      const page = await list(query)
      pages.push(...page.results.map(({ id }) => id))
      token = page.pagination.nextPageToken
    } while (token !== undefined)
    expect([pages.length, new Set(pages).size, pages.at(-1)]).toEqual([10_501, 10_501, wanted])
  })
})
