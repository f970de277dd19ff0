import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { newId } from '../../../kernel/db/index.ts'
import { startTestApp, type TestApp } from '../../../testkit/test-app.ts'
import { beginOperation, endOperation, logOperation, type Operation, progressOperation } from './index.ts'

let app: TestApp
const integrationId = newId()
const configId = newId()
let installationId: string
beforeAll(async () => {
  app = await startTestApp({ env: { MORTISE_ROLES: 'api' } })
})
afterAll(() => app?.stop())

/** An installation of its own for each test; what it consists of does not matter here. */
beforeEach(async () => {
  installationId = newId()
  const config = newId()
  const connectionId = newId()
  const revision = newId()
  const project = app.projectId
  const ref = `ref-${installationId}`
  await app.db.transaction(async (tx) => {
    await sql`insert into integrations (project_id, id, name, provider, latest_revision_id) values (${project}, ${integrationId}, 'crm', 'sampleCrm', ${revision}) on conflict do nothing`.execute(
      tx.sql,
    )
    await sql`insert into revisions (project_id, id, integration_id, spec_version, content, content_hash) values (${project}, ${revision}, ${integrationId}, '1.0.0', '{}', '')`.execute(
      tx.sql,
    )
    await sql`insert into groups (project_id, group_ref, group_name) values (${project}, ${ref}, 'G')`.execute(tx.sql)
    await sql`insert into consumers (project_id, consumer_ref, consumer_name) values (${project}, ${ref}, 'C')`.execute(
      tx.sql,
    )
    await sql`insert into connections (project_id, id, provider, group_ref, consumer_ref, auth_scheme, status) values (${project}, ${connectionId}, 'sampleCrm', ${ref}, ${ref}, 'none', 'created')`.execute(
      tx.sql,
    )
    await sql`insert into installations (project_id, id, integration_id, group_ref, connection_id, config_id, created_by) values (${project}, ${installationId}, ${integrationId}, ${ref}, ${connectionId}, ${config}, 'consumer:c')`.execute(
      tx.sql,
    )
    await sql`insert into configs (project_id, id, installation_id, version, revision_id, content, created_by) values (${project}, ${config}, ${installationId}, 1, ${revision}, '{}', 'consumer:c')`.execute(
      tx.sql,
    )
  })
})

async function begin(resource = 'contacts'): Promise<string> {
  const id = newId()
  await app.db.transaction((tx) =>
    beginOperation(tx, {
      id,
      integrationId,
      installationId,
      configId,
      actionType: 'read',
      resource,
      metadata: { objects: [resource] },
    }),
  )
  return id
}
const get = (id: string) =>
  app.call<Operation & { context: { code: string } }>('GET', `/projects/default/operations/${id}`)
const shown = async () =>
  (
    await app.db.sql
      .selectFrom('last_operations')
      .select('status')
      .where('installation_id', '=', installationId)
      .executeTakeFirst()
  )?.status
const list = (query = '', integration = integrationId) =>
  app.call<{ results: Operation[]; pagination: { done: boolean; nextPageToken?: string } }>(
    'GET',
    `/projects/default/integrations/${integration}/installations/${installationId}/operations${query}`,
  )

describe('an operation', () => {
  it('is in progress, shows how far it is, and ends with its result', async () => {
    const id = await begin()
    const begun = await get(id)
    expect(begun.status).toBe(200)
    expect(begun.body).toEqual({
      id,
      projectId: app.projectId,
      integrationId,
      installationId,
      configId,
      actionType: 'read',
      resource: 'contacts',
      status: 'in_progress',
      metadata: { objects: ['contacts'] },
      createTime: expect.any(String),
    })
    const progress = {
      installationId,
      objectName: 'contacts',
      operationId: id,
      recordsProcessed: 50,
      recordsEstimatedTotal: 200,
    }
    await progressOperation(app.db, progress)
    expect((await get(id)).body.metadata).toEqual({ objects: ['contacts'], progress })
    await endOperation(app.db, id, { status: 'success', result: '[contacts] 200 records read' })
    expect((await get(id)).body).toMatchObject({
      status: 'success',
      result: '[contacts] 200 records read',
      updateTime: expect.any(String),
      metadata: { progress },
    })
  })

  it('ends once', async () => {
    const id = await begin()
    await endOperation(app.db, id, { status: 'failure', result: '[contacts] refused' })
    await endOperation(app.db, id, { status: 'success', result: 'late' })
    expect((await get(id)).body).toMatchObject({ status: 'failure', result: '[contacts] refused' })
    expect(await shown()).toBe('failure')
  })

  it('shows on its installation, the newest alone', async () => {
    expect(await shown()).toBeUndefined()
    const [older, newer] = [await begin(), await begin('companies')]
    expect(await shown()).toBe('in_progress')
    await endOperation(app.db, newer, { status: 'success', result: 'done' })
    expect(await shown()).toBe('success')
    await endOperation(app.db, older, { status: 'failure', result: 'failed' })
    expect(await shown()).toBe('success')
  })

  it('keeps its log in order', async () => {
    const id = await begin()
    await logOperation(
      app.db,
      { newId },
      id,
      { severity: 'INFO', msg: 'begun' },
      { severity: 'DEBUG', msg: 'page', details: { page: '1' } },
    )
    await logOperation(app.db, { newId }, id, { severity: 'ERROR', msg: 'failed', error: 'The provider answered 500.' })
    const path = `/projects/default/operations/${id}/logs`
    const logs = await app.call('GET', `${path}?severity=DEBUG`)
    expect(logs.status).toBe(200)
    const severities = async (query: string) =>
      (await app.call<{ severity: string }[]>('GET', path + query)).body.map(({ severity }) => severity)
    expect(await severities('')).toEqual(['INFO', 'ERROR'])
    expect(await severities('?severity=WARNING')).toEqual(['ERROR'])
    expect((await app.call('GET', `${path}?severity=loud`)).status).toBe(400)
    expect(logs.body).toEqual([
      { timestamp: expect.any(String), severity: 'INFO', message: { msg: 'begun', operation_id: id } },
      {
        timestamp: expect.any(String),
        severity: 'DEBUG',
        message: { msg: 'page', operation_id: id, details: { page: '1' } },
      },
      {
        timestamp: expect.any(String),
        severity: 'ERROR',
        message: { msg: 'failed', error: 'The provider answered 500.', operation_id: id },
      },
    ])
  })

  it('looks the same when it is missing, malformed or another project’s', async () => {
    const id = await begin()
    for (const path of ['', '/logs']) {
      const other = { apiKey: app.otherProject.apiKey }
      const answers = [
        await app.call<Record<string, never>>('GET', `/projects/default/operations/${newId()}${path}`),
        await app.call<Record<string, never>>('GET', `/projects/default/operations/nonsense${path}`),
        await app.call<Record<string, never>>(
          'GET',
          `/projects/${app.otherProject.id}/operations/${id}${path}`,
          undefined,
          other,
        ),
      ]
      for (const { status, body } of answers)
        expect([status, body['context'], body['detail']]).toEqual([
          404,
          { code: 'operation-not-found' },
          answers[0]?.body['detail'],
        ])
    }
  })
})

describe('the list of operations', () => {
  it('is empty and done for a new installation', async () => {
    expect((await list()).body).toEqual({ results: [], pagination: { done: true } })
  })

  it('pages from the newest, and what begins meanwhile moves nothing', async () => {
    const ids: string[] = []
    for (let n = 0; n < 5; n++) ids.unshift(await begin())
    const first = await list('?pageSize=2')
    expect(first.body.pagination.done).toBe(false)
    await begin()
    const second = await list(`?pageSize=2&pageToken=${first.body.pagination.nextPageToken}`, 'crm')
    const third = await list(`?pageSize=2&pageToken=${second.body.pagination.nextPageToken}`)
    expect(third.body.pagination).toEqual({ done: true })
    expect([first, second, third].flatMap(({ body }) => body.results.map(({ id }) => id))).toEqual(ids)
    expect((await list('?pageSize=6')).body.pagination).toEqual({ done: true })
  })

  it.each([
    'pageSize=0',
    'pageSize=1001',
    'pageSize=x',
    'pageToken=nonsense',
    'pageToken=%00',
    `pageToken=${'A'.repeat(22)}=`,
  ])('refuses %s', async (query) => {
    const answer = await app.call<{ issues: { in: string }[] }>(
      'GET',
      `/projects/default/integrations/crm/installations/${installationId}/operations?${query}`,
    )
    expect(answer.status).toBe(400)
    expect(answer.body.issues).toMatchObject([{ in: 'query' }])
  })

  it('is not there for another integration, another project, or a missing installation', async () => {
    const other = { apiKey: app.otherProject.apiKey }
    const path = (project: string, integration: string, installation: string) =>
      `/projects/${project}/integrations/${integration}/installations/${installation}/operations`
    expect((await app.call('GET', path('default', newId(), installationId))).status).toBe(404)
    expect((await app.call('GET', path('default', 'crm', newId()))).status).toBe(404)
    expect((await app.call('GET', path('default', 'crm', 'nonsense'))).status).toBe(404)
    expect(
      (await app.call('GET', path(app.otherProject.id, integrationId, installationId), undefined, other)).status,
    ).toBe(404)
  })
})
