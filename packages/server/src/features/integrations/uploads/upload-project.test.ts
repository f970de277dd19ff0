import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../testkit/test-app.ts'
import { signInBuilder, type TestBuilder } from '../../../testkit/test-builder.ts'
import { insertProject } from '../../../testkit/test-project.ts'

interface ProblemBody {
  detail: string
  issues?: { in: string; name: string; detail: string; remedy?: string }[]
}

let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ env: { MORTISE_ROLES: 'api' } })
})
afterAll(() => app?.stop())

const ask = (query: string, options: { apiKey?: string | null; headers?: Record<string, string> } = {}) =>
  app.call<ProblemBody>('GET', `/generate-upload-url${query}`, undefined, options)
const as = ({ headers }: TestBuilder) => ({ apiKey: null, headers })
const newest = async () => {
  const uploads = app.testDatabase.database.system.selectFrom('uploads').select('project_id')
  return (await uploads.orderBy('id', 'desc').executeTakeFirst())?.project_id
}

describe('an upload is for', () => {
  it('the project of the key, which may be named', async () => {
    for (const query of ['', '?projectIdOrName=DEFAULT', `?projectIdOrName=${app.projectId}`]) {
      expect((await ask(query)).status).toBe(200)
      expect(await newest()).toBe(app.projectId)
    }
    const theirs = await ask('?projectIdOrName=other')
    const nothing = await ask('?projectIdOrName=nothing')
    expect([theirs.status, nothing.status]).toEqual([404, 404])
    expect(theirs.body.detail).toBe(nothing.body.detail)
    expect((await ask('', { apiKey: app.frontendKey })).status).toBe(403)
  })

  it('the one project of a builder, or the one that they say', async () => {
    const builder = await signInBuilder(app, { email: 'one@example.com', role: 'developer' })
    expect((await ask('', as(builder))).status).toBe(200)
    expect(await newest()).toBe(app.projectId)
    const { database } = app.testDatabase
    const more = await insertProject({ database, keyring: app.keyring, name: 'further' })
    const { org_id: orgId } = await database.system
      .selectFrom('projects')
      .select('org_id')
      .where('id', '=', more.id)
      .executeTakeFirstOrThrow()
    await signInBuilder(app, { email: 'one@example.com', orgId, role: 'owner' })
    const unclear = await ask('', as(builder))
    expect([unclear.status, unclear.body.issues?.[0]?.name]).toEqual([400, 'projectIdOrName'])
    expect((await ask('?projectIdOrName=further', as(builder))).status).toBe(200)
    expect(await newest()).toBe(more.id)
    expect((await ask('?projectIdOrName=other', as(builder))).status).toBe(404)
  })

  it('nothing when a builder has no project', async () => {
    const builder = await signInBuilder(app, { email: 'none@example.com' })
    const answer = await ask('', as(builder))
    expect([answer.status, answer.body.issues?.[0]?.name]).toEqual([400, 'projectIdOrName'])
    expect((await ask('?projectIdOrName=default', as(builder))).status).toBe(404)
  })
})
