import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { apiEndpoints } from '../packages/server/src/features/index.ts'
import type { Endpoint } from '../packages/server/src/kernel/http/index.ts'
import { pagesInHeaders } from '../packages/server/src/kernel/http/page.ts'
import { startTestApp, type TestApp } from '../packages/server/src/testkit/test-app.ts'
import { signInBuilder } from '../packages/server/src/testkit/test-builder.ts'

/**
 * Lists that grow with what a project or an organisation holds come in pages; the others have a cap of their own, named
 * here.
 */

const bounded: Record<string, string> = {
  listApiKeys: '1,000 keys a project',
  listJWTKeys: '100 keys a project',
  listMySessions: '1,000 sessions',
  listOperationLogs: '5,000 lines',
  listReadSchedules: 'the objects of one installation',
  listRecordObjects: '1,000 objects a destination',
  listSchemaWatches: 'the objects of one installation',
  listTools: '2,000 tools',
  listTopInstallations: '100 installations',
}

test('every list has pages or a cap', () => {
  const lists = (apiEndpoints as Endpoint[]).filter(({ declaration: { id, reply, access } }) => {
    const schema = reply[200] as { type?: string } | undefined
    return access !== 'public' && id.startsWith('list') && schema?.type === 'array'
  })
  const whole = lists.filter(({ declaration }) => !pagesInHeaders(declaration)).map(({ declaration }) => declaration.id)
  expect(whole.toSorted()).toEqual(Object.keys(bounded).toSorted())
})

describe('page by page a list is what it is whole', () => {
  let app: TestApp
  let owner: { authorization: string }
  let orgId: string
  beforeAll(async () => {
    app = await startTestApp({ env: { MORTISE_ROLES: 'api' } })
    owner = (await signInBuilder(app, { email: 'owner@pages.example', role: 'owner' })).headers
    orgId = (await app.call<{ orgId: string }>('GET', '/projects/default')).body.orgId
    const system = app.testDatabase.database.system
    for (const at of [1, 2, 3, 4]) {
      await signInBuilder(app, { email: `member-${at}@pages.example`, role: 'developer' })
      await call('POST', '/projects', { name: `project-${at}`, appName: 'x', orgId })
      await call('POST', `/orgs/${orgId}/invites`, { email: `guest-${at}@pages.example` })
      await call('POST', '/claimed-domains', { domain: `d-${at}.example`, parentId: orgId, parentType: 'org' })
      const topic = await call('POST', '/projects/default/topics', { name: `topic-${at}` })
      const metadata = { url: 'https://203.0.114.5/hooks' }
      const destination = await call('POST', '/projects/default/destinations', {
        name: `hook-${at}`,
        type: 'webhook',
        metadata,
      })
      await call('POST', '/projects/default/notification-event-topic-routes', {
        eventType: 'connection.error',
        topicId: topic.id,
      })
      await call('POST', '/projects/default/topic-destination-routes', {
        topicId: topic.id,
        destinationId: destination.id,
      })
    }
    // Some who joined at the same moment, and some a microsecond apart.
    await sql`update memberships set create_time = '2026-01-01T00:00:00.000001Z' where role = 'member'`.execute(system)
    await sql`
      update memberships set create_time = '2026-01-01T00:00:00.000002Z' from builders b
       where b.id = builder_id and b.email = 'member-1@pages.example'`.execute(system)
  })
  afterAll(() => app?.stop())

  async function call(method: string, path: string, body?: unknown) {
    const answer = await app.call<{ id: string }>(method, path, body, { apiKey: null, headers: owner })
    expect([200, 201], JSON.stringify(answer.body)).toContain(answer.status)
    return answer.body
  }

  test.each([
    '/projects',
    '/orgs/{orgId}/builders',
    '/orgs/{orgId}/invites',
    '/orgs/{orgId}/claimed-domains',
    '/projects/default/topics',
    '/projects/default/destinations',
    '/projects/default/notification-event-topic-routes?eventType=connection.error',
    '/projects/default/topic-destination-routes',
  ])('%s', async (declared) => {
    const path = declared.replace('{orgId}', orgId)
    const join = path.includes('?') ? '&' : '?'
    const list = async (query: string) =>
      app.call<{ id: string }[]>('GET', query === '' ? path : `${path}${join}${query}`, undefined, {
        apiKey: null,
        headers: owner,
      })
    const whole = (await list('')).body
    expect(whole.length).toBeGreaterThanOrEqual(4)
    const items: object[] = []
    let token: string | null = null
    do {
      const page = await list(`pageSize=1${token === null ? '' : `&pageToken=${token}`}`)
      expect([page.status, page.body.length]).toEqual([200, 1])
      items.push(...page.body)
      token = page.headers.get('x-next-page-token')
    } while (token !== null && items.length <= whole.length)
    expect(items).toEqual(whole)
    expect((await list('pageToken=bm9uZQ')).status).toBe(400)
  })
})
