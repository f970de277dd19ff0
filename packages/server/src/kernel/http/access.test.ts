import { Type } from 'typebox'
import { describe, expect, test, vi } from 'vitest'
import { endpoint, ProjectPath, reply } from './index.ts'
import {
  type Answer,
  frontendKey,
  fullKey,
  otherKey,
  otherProjectId,
  projectId,
  startTestServer,
} from './test-server.testkit.ts'

const Who = Type.Object({ key: Type.String(), project: Type.String(), boundTo: Type.String() })
const declare = (id: string, access: 'develop' | 'frontendView') =>
  endpoint({
    id,
    method: 'POST',
    path: `/projects/{projectIdOrName}/${id}`,
    access,
    summary: id,
    tag: 'Test',
    params: ProjectPath,
    query: Type.Object({ flag: Type.Optional(Type.Boolean()) }),
    reply: { 200: Who },
    run: async ({ caller, project, db }) =>
      reply(200, { key: caller.kind === 'apiKey' ? caller.keyId : '', project: project.name, boundTo: db.projectId }),
  })
const open = endpoint({
  id: 'open',
  method: 'GET',
  path: '/open',
  access: 'public',
  summary: 'x',
  tag: 'Test',
  reply: { 200: Type.Object({ open: Type.Boolean() }) },
  run: async (input) => reply(200, { open: !('caller' in input) }),
})
const endpoints = [declare('full', 'develop'), declare('frontend', 'frontendView'), open]
const code = ({ body }: Answer) => body.context['code']

describe('who is calling', () => {
  test.each([
    { 'x-api-key': fullKey },
    { authorization: `Bearer ${fullKey}` },
    { authorization: `bearer  ${fullKey}` },
  ])('a key is accepted in %j', async (headers) => {
    const server = await startTestServer(endpoints)
    const answer = await server.call('POST', '/v1/projects/shop/full', { key: null, headers })
    expect(answer).toMatchObject({ status: 200, body: { key: 'key-shop', project: 'shop', boundTo: projectId } })
  })

  test.each([
    {},
    { 'x-api-key': '' },
    { 'x-api-key': 'mortise_wrong' },
    { 'x-api-key': `${fullKey}, ${fullKey}` },
    { authorization: 'Bearer mortise_wrong' },
    { authorization: 'Bearer eyJhbGciOiJub25lIn0.e30.' },
    { authorization: fullKey },
    { authorization: `Basic ${Buffer.from(`x:${fullKey}`).toString('base64')}` },
  ])('no key is accepted in %j', async (headers) => {
    const server = await startTestServer(endpoints)
    const answer = await server.call('POST', '/v1/projects/shop/full', {
      key: null,
      headers: headers as Record<string, string>,
    })
    expect(answer.status).toBe(401)
    expect(code(answer)).toBe('unauthenticated')
    const sent = 'authorization' in headers && headers.authorization.startsWith('Bearer eyJ')
    expect(answer.headers.get('www-authenticate')).toBe(sent ? 'Bearer error="invalid_token"' : 'Bearer')
  })

  test('a bearer value is looked up as a key or as a token, never as both', async () => {
    const authenticate = vi.fn(async () => undefined)
    const server = await startTestServer(endpoints, { authenticate })
    for (const value of ['eyJh.e30.x', fullKey])
      await server.call('POST', '/v1/projects/shop/full', { key: null, headers: { authorization: `Bearer ${value}` } })
    expect(authenticate.mock.calls).toMatchObject([
      [{ kind: 'bearer', value: 'eyJh.e30.x' }],
      [{ kind: 'apiKey', value: fullKey }],
    ])
  })

  test('a public endpoint asks for nothing, and knows no caller', async () => {
    const server = await startTestServer(endpoints)
    for (const key of [null, fullKey, 'mortise_wrong'])
      expect(await server.call('GET', '/v1/open', { key })).toMatchObject({ status: 200, body: { open: true } })
  })
})

describe('what the caller may do', () => {
  test('a frontend key calls frontend endpoints, and is refused by full ones', async () => {
    const server = await startTestServer(endpoints)
    expect((await server.call('POST', '/v1/projects/shop/frontend', { key: frontendKey })).status).toBe(200)
    expect((await server.call('POST', '/v1/projects/shop/frontend', { key: fullKey })).status).toBe(200)
    const refused = await server.call('POST', '/v1/projects/shop/full', { key: frontendKey })
    expect(refused.status).toBe(403)
    expect(code(refused)).toBe('forbidden')
  })

  test('the project goes by id and by name, in any case', async () => {
    const server = await startTestServer(endpoints)
    for (const project of ['shop', 'SHOP', 'Shop', projectId, projectId.toUpperCase()])
      expect((await server.call('POST', `/v1/projects/${project}/full`)).status, project).toBe(200)
  })

  test("another project's id or name and one that does not exist look exactly the same", async () => {
    const server = await startTestServer(endpoints)
    const answers: Answer[] = []
    for (const project of ['missing', 'other', otherProjectId, '0198c0de-0000-7000-8000-00000000ffff', '__proto__'])
      answers.push(await server.call('POST', `/v1/projects/${project}/full`))
    const comparable = answers.map(({ status, body: { requestId, time, instance, ...body } }) => ({ status, body }))
    expect(comparable[0]?.status).toBe(404)
    for (const answer of comparable) expect(answer).toEqual(comparable[0])
    expect((await server.call('POST', '/v1/projects/other/full', { key: otherKey })).status).toBe(200)
  })
})

describe('the order', () => {
  test('who is calling is asked before anything is checked', async () => {
    const server = await startTestServer(endpoints)
    const answer = await server.call('POST', '/v1/projects/shop/full?flag=maybe', { key: null })
    expect(code(answer)).toBe('unauthenticated')
  })

  test('a body is not read before it is known who is calling', async () => {
    const server = await startTestServer(endpoints)
    const answer = await server.call('POST', '/v1/projects/shop/full', { key: null, body: '{' })
    expect(code(answer)).toBe('unauthenticated')
  })

  test('the request is checked before permission', async () => {
    const server = await startTestServer(endpoints)
    const answer = await server.call('POST', '/v1/projects/shop/full?flag=maybe', { key: frontendKey })
    expect(code(answer)).toBe('invalid-input')
  })

  test('the scope is asked before the project, so that a frontend key learns nothing of names', async () => {
    const server = await startTestServer(endpoints)
    const answer = await server.call('POST', '/v1/projects/missing/full', { key: frontendKey })
    expect(code(answer)).toBe('forbidden')
  })
})
