import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { serviceLog } from '../../../kernel/http/index.ts'
import { startTestApp, type TestApp } from '../../../testkit/test-app.ts'
import { signInBuilder, type TestBuilder } from '../../../testkit/test-builder.ts'
import type { AuditEntry } from './model.ts'

let app: TestApp
let owner: TestBuilder
let member: TestBuilder
let orgId: string
beforeAll(async () => {
  app = await startTestApp({ env: { MORTISE_ROLES: 'api' } })
  owner = await signInBuilder(app, { email: 'ada@example.com', role: 'owner', password: 'correct horse battery' })
  member = await signInBuilder(app, { email: 'bob@example.com', role: 'developer' })
  const { body } = await app.call<{ orgId: string }>('GET', '/projects/default')
  orgId = body.orgId
})
afterAll(() => app?.stop())

const ofProject = async (query = '') =>
  (await app.call<AuditEntry[]>('GET', `/projects/default/audit-log${query}`)).body
const as = (person: TestBuilder) => ({ apiKey: null, headers: person.headers })
const ofOrg = async (query = '') =>
  (await app.call<AuditEntry[]>('GET', `/orgs/${orgId}/audit-log${query}`, undefined, as(owner))).body

interface Topic {
  id: string
  name: string
}
const createTopic = async (name: string) =>
  (await app.call<Topic>('POST', '/projects/default/topics', { name }, { headers: { 'user-agent': 'x'.repeat(500) } }))
    .body

describe('a change', () => {
  it('leaves one entry that says who, what, when and from where', async () => {
    const topic = await createTopic('created')
    const entries = await ofProject(`?resourceId=${topic.id}`)
    expect(entries).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        time: expect.stringMatching(/^\d{4}-.*Z$/),
        actor: { kind: 'apiKey', id: expect.any(String), name: expect.any(String) },
        action: 'createTopic',
        verb: 'create',
        outcome: 'success',
        resource: { kind: 'topic', id: topic.id },
        address: '127.0.0.1',
        userAgent: 'x'.repeat(200),
        requestId: expect.any(String),
        after: expect.objectContaining({ name: 'created' }),
      },
    ])
  })

  it('shows what an update changed, and what a deletion removed', async () => {
    const key = await app.call<{ id: string }>('POST', '/projects/default/api-keys', {
      label: 'first',
      scopes: ['full'],
    })
    const path = `/projects/default/api-keys/${key.body.id}`
    await app.call('PATCH', path, { updateMask: ['label'], apiKey: { label: 'second' } })
    await app.call('DELETE', path)
    const [deleted, updated] = await ofProject(`?resourceId=${key.body.id}`)
    expect(updated).toMatchObject({ action: 'updateApiKey', before: { label: 'first' }, after: { label: 'second' } })
    expect(deleted).toMatchObject({ action: 'deleteApiKey', before: { label: 'second' } })
  })

  it('leaves no entry when it is refused, and none for the replay of its response', async () => {
    const before = (await ofProject('?pageSize=1000')).length
    await app.call('POST', '/projects/default/topics', { name: '' })
    await app.call('DELETE', `/projects/default/topics/${app.projectId}`)
    expect(await ofProject('?pageSize=1000')).toHaveLength(before)
    const headers = { 'idempotency-key': 'once' }
    for (const _ of [1, 2]) await app.call('POST', '/projects/default/topics', { name: 'once' }, { headers })
    expect(await ofProject('?pageSize=1000')).toHaveLength(before + 1)
  })

  it('never shows a secret', async () => {
    const key = await app.call<{ id: string; key: string }>('POST', '/projects/default/api-keys', {
      label: 'secret',
      scopes: ['full'],
    })
    const { body: destination } = await app.call<{ id: string }>('POST', '/projects/default/destinations', {
      name: 'hook',
      type: 'webhook',
      metadata: { url: 'http://127.0.0.1:4999/?token=hidden-1', headers: { 'x-token': 'hidden-2' } },
    })
    await app.call('POST', `/projects/default/destinations/${destination.id}:rotateSecret`, {})
    await app.call('POST', '/projects/default/provider-apps', {
      provider: 'salesforce',
      clientId: 'client',
      clientSecret: 'hidden-3',
    })
    await app.call('DELETE', `/projects/default/api-keys/${key.body.key}`)
    await app.call('POST', '/sessions', { email: 'ada@example.com', password: 'hidden-4' }, { apiKey: null })
    const { rows } = await sql<{ entry: string }>`select audit_entries::text as entry from audit_entries`.execute(
      app.testDatabase.database.system,
    )
    const text = rows.map(({ entry }) => entry).join('\n')
    expect(text).toContain('deleteApiKey')
    for (const action of ['rotateDestinationSecret', 'createProviderApp']) expect(text).toContain(action)
    for (const secret of [key.body.key, 'hidden-', 'whsec_', key.body.key.slice(0, 20)])
      expect(text).not.toContain(secret)
  })
})

describe('people', () => {
  it('leave entries in the log of their organization when they sign in, and when they fail to', async () => {
    const signIn = (email: string, password: string) =>
      app.call('POST', '/sessions', { email, password }, { apiKey: null })
    expect((await signIn('ada@example.com', 'correct horse battery')).status).toBe(200)
    expect((await signIn('ada@example.com', 'wrong')).status).toBe(401)
    const [failed, succeeded] = await ofOrg(`?actorId=${owner.builderId}&action=createSession`)
    const actor = { kind: 'person', id: owner.builderId, name: 'ada@example.com' }
    expect(failed).toMatchObject({ actor, verb: 'signIn', outcome: 'failure' })
    expect(succeeded).toMatchObject({ actor, verb: 'signIn', outcome: 'success' })
  })

  it('leave an entry in the log of the service, without the address, when nobody knows it', async () => {
    await app.call('POST', '/sessions', { email: 'unknown@example.com', password: 'x' }, { apiKey: null })
    const { rows } = await sql<{ actor_kind: string; outcome: string; entry: string }>`
      select actor_kind, outcome, audit_entries::text as entry from audit_entries
       where project_id = ${serviceLog}`.execute(app.testDatabase.database.system)
    expect(rows).toMatchObject([{ actor_kind: 'anonymous', outcome: 'failure' }])
    expect(rows[0]?.entry).not.toContain('unknown@example.com')
  })

  it('leave entries of invites and roles, without the link of the invite', async () => {
    await app.call('POST', `/orgs/${orgId}/invites`, { email: 'eve@example.com' }, as(owner))
    await app.call(
      'PATCH',
      `/orgs/${orgId}/builders/${member.builderId}`,
      { updateMask: ['role'], builder: { role: 'owner' } },
      as(owner),
    )
    const [role, invite] = await ofOrg(`?actorId=${owner.builderId}&pageSize=2`)
    expect(role).toMatchObject({ action: 'updateOrgBuilder', resource: { kind: 'builder', id: member.builderId } })
    expect(role).toMatchObject({ before: { role: expect.any(String) }, after: { role: 'owner' } })
    expect(invite).toMatchObject({ action: 'createOrgInvite', resource: { kind: 'invite' } })
    expect(JSON.stringify(invite)).not.toContain('token=')
  })
})

describe('a list', () => {
  it('pages through the entries, newest first, and filters them', async () => {
    for (const name of ['one', 'two', 'three']) await createTopic(`paged-${name}`)
    const first = await app.call<AuditEntry[]>('GET', '/projects/default/audit-log?action=createTopic&pageSize=2')
    const token = first.headers.get('x-next-page-token')
    const second = await ofProject(`?action=createTopic&pageSize=2&pageToken=${token}`)
    const names = [...first.body, ...second].map(({ after }) => (after as Topic).name)
    expect(names.slice(0, 3)).toEqual(['paged-three', 'paged-two', 'paged-one'])
    const [newest] = first.body
    const time = String(newest?.time)
    expect(await ofProject(`?action=createTopic&endTime=${time}`)).not.toContainEqual(newest)
    expect(await ofProject(`?action=createTopic&startTime=${time}`)).toContainEqual(newest)
    expect(await ofProject('?resourceKind=nothing')).toEqual([])
  })

  it('never shows the entries of another project', async () => {
    const { apiKey, id } = app.otherProject
    const theirs = await app.call<Topic>('POST', `/projects/${id}/topics`, { name: 'theirs' }, { apiKey })
    expect(await ofProject(`?resourceId=${theirs.body.id}`)).toEqual([])
  })

  it.each(['update', 'delete'])('is of entries that the roles of the service cannot %s', async (verb) => {
    const { database } = app.testDatabase
    const change = verb === 'update' ? sql`update audit_entries set verb = 'x'` : sql`delete from audit_entries`
    await expect(change.execute(database.system)).rejects.toThrow('permission denied')
    await expect(change.execute(database.forProject(app.projectId).sql)).rejects.toThrow('permission denied')
  })
})
