import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newId } from '../../../kernel/db/index.ts'
import { startTestApp, type TestApp } from '../../../testkit/test-app.ts'
import { signInBuilder } from '../../../testkit/test-builder.ts'

interface Body {
  id: string
  name: string
  appName: string
  orgId: string
  updateTime?: string
  detail: string
  context: { code: string }
  issues: { in: string; name: string; detail: string; remedy?: string }[]
}

let app: TestApp
let orgId: string
type Call = (method: string, path: string, body?: unknown) => Promise<{ status: number; body: Body }>
let owner: Call
let member: Call
let stranger: Call
beforeAll(async () => {
  app = await startTestApp()
  orgId = (await app.call<Body>('GET', '/projects/default')).body.orgId
  const signIn = async (email: string, role?: 'developer' | 'owner'): Promise<Call> => {
    const { headers } = await signInBuilder(app, { email, ...(role && { role }) })
    return (method, path, body) => app.call<Body>(method, path, body, { apiKey: null, headers })
  }
  owner = await signIn('owner@example.com', 'owner')
  member = await signIn('member@example.com', 'developer')
  stranger = await signIn('stranger@example.com')
})
afterAll(() => app?.stop())

const names = async (call: Call) => ((await call('GET', '/projects')).body as unknown as Body[]).map(({ name }) => name)
const told = ({ status, body }: { status: number; body: Body }) => [
  status,
  body.context.code,
  ...(body.issues ?? []).map((issue) => issue.name),
]

describe('creating a project', () => {
  it('is for owners of the organisation, and the project works at once', async () => {
    const refused = await member('POST', '/projects', { name: 'Zebra-1', appName: 'Zebra', orgId })
    expect(refused).toMatchObject({
      status: 403,
      body: { context: { code: 'forbidden', neededRole: 'owner', role: 'developer' } },
    })
    const made = await owner('POST', '/projects', { name: 'Zebra-1', appName: 'Zebra', orgId })
    expect(made.status).toBe(201)
    expect(made.body).toEqual({
      id: expect.any(String),
      name: 'zebra-1',
      appName: 'Zebra',
      orgId,
      createTime: expect.any(String),
    })
    expect((await member('GET', '/projects/ZEBRA-1')).body).toEqual(made.body)
    expect((await owner('POST', '/projects', { name: 'apple', appName: 'Apple', orgId })).status).toBe(201)
    expect(await names(owner)).toEqual(['apple', 'default', 'zebra-1'])
    expect(await names(stranger)).toEqual([])
    expect((await stranger('GET', '/projects/zebra-1')).status).toBe(404)
  })

  it('is not for API keys', async () => {
    expect((await app.call('POST', '/projects', { name: 'by-key', appName: 'x', orgId })).status).toBe(403)
  })

  it('says all that is wrong at once, as 422', async () => {
    expect(told(await owner('POST', '/projects', { name: '-a', appName: ' ', orgId: newId() }))).toEqual([
      422,
      'unacceptable-input',
      'name',
      'appName',
      'orgId',
    ])
    for (const name of ['a', '', 'a_b', 'a-', 'a b', 'é1', 'x'.repeat(129), newId()])
      expect(told(await owner('POST', '/projects', { name, appName: 'x', orgId }))).toEqual([
        422,
        'unacceptable-input',
        'name',
      ])
    expect(told(await owner('POST', '/projects', { name: 'Default', appName: 'x', orgId }))).toEqual([
      422,
      'unacceptable-input',
      'name',
    ])
    expect(told(await owner('POST', '/projects', {}))).toEqual([422, 'unacceptable-input', 'name', 'appName', 'orgId'])
    const control = { name: 'zebra-2', appName: 'Zebra\u202e', orgId }
    expect(told(await owner('POST', '/projects', control))).toEqual([422, 'unacceptable-input', 'appName'])
  })

  it('tells an unknown organisation from a foreign one by nothing', async () => {
    const issue = async (id: string) => {
      const { status, body } = await stranger('POST', '/projects', { name: 'mine', appName: 'x', orgId: id })
      return JSON.stringify([status, body.detail, body.issues]).replaceAll(id, '(id)')
    }
    const foreign = await issue(orgId)
    expect(foreign).toContain('422')
    for (const id of [newId(), 'no-id']) expect(await issue(id)).toBe(foreign)
  })

  it('of which two take the same name at the same moment makes one', async () => {
    const both = await Promise.all([1, 2].map(() => owner('POST', '/projects', { name: 'race', appName: 'x', orgId })))
    expect(both.map(({ status }) => status).toSorted()).toEqual([201, 422])
  })
})

describe('updating a project', () => {
  it('changes what the mask lists, for builders and keys', async () => {
    await owner('POST', '/projects', { name: 'before', appName: 'Before', orgId })
    const renamed = await member('PATCH', '/projects/before', {
      updateMask: ['name'],
      project: { name: 'After', appName: 'ignored' },
    })
    expect([renamed.status, renamed.body.name, renamed.body.appName]).toEqual([200, 'after', 'Before'])
    expect(renamed.body.updateTime).toEqual(expect.any(String))
    expect((await member('GET', '/projects/after')).status).toBe(200)
    const byKey = await app.call<Body>('PATCH', '/projects/default', {
      updateMask: ['appName'],
      project: { appName: 'Shop' },
    })
    expect([byKey.status, byKey.body.name, byKey.body.appName]).toEqual([200, 'default', 'Shop'])
  })

  it('is known by its new name at once, and by its old one no more, to whoever has just called it', async () => {
    const frontend = (path: string) => app.call('GET', path, undefined, { apiKey: app.frontendKey })
    const asKey = (path: string) => app.call('GET', path)
    const asMember = (path: string) => member('GET', path)
    const everybody = (path: string) =>
      Promise.all([frontend, asKey, asMember].map(async (ask) => (await ask(path)).status))
    const rename = (from: string, name: string) =>
      app.call('PATCH', `/projects/${from}`, { updateMask: ['name'], project: { name } })
    expect(await everybody('/projects/default')).toEqual([200, 200, 200])
    expect((await rename('default', 'another-name')).status).toBe(200)
    expect(await everybody('/projects/another-name')).toEqual([200, 200, 200])
    expect(await everybody('/projects/default')).toEqual([404, 404, 404])
    expect((await rename('another-name', 'default')).status).toBe(200)
    expect(await everybody('/projects/default')).toEqual([200, 200, 200])
  })

  it('refuses what is no mask, and a mask without a value', async () => {
    const answer = await owner('PATCH', '/projects/default', {
      updateMask: ['orgId', 'name', 'appName'],
      project: { appName: '' },
    })
    expect(told(answer)).toEqual([400, 'invalid-input', 'updateMask[0]', 'project.name', 'project.appName'])
    expect(answer.body.issues[0]?.remedy).toMatch(/^List only appName, name, logoUrl, agentSignInUrl, connect,/)
    expect((await owner('PATCH', '/projects/default', { updateMask: [], project: {} })).status).toBe(400)
  })

  it('refuses a name that is taken, and keeps its own', async () => {
    const rename = (name: string) => owner('PATCH', '/projects/default', { updateMask: ['name'], project: { name } })
    expect(told(await rename('OTHER'))).toEqual([409, 'project-name-taken'])
    expect((await rename('default')).status).toBe(200)
  })

  it('finds no project of others', async () => {
    const body = { updateMask: ['appName'], project: { appName: 'x' } }
    expect((await stranger('PATCH', '/projects/default', body)).status).toBe(404)
    expect((await owner('PATCH', '/projects/other', body)).status).toBe(404)
    expect((await app.call('PATCH', '/projects/other', body)).status).toBe(404)
  })
})
