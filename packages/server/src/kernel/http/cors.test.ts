import { Type } from 'typebox'
import { beforeEach, expect, test } from 'vitest'
import { endpoint, ProjectPath, reply } from './index.ts'
import { fullKey, startTestServer, type TestServer } from './test-server.testkit.ts'

const origin = 'https://app.example.com'
const things = endpoint({
  id: 'listThings',
  method: 'GET',
  path: '/projects/{projectIdOrName}/things:all',
  access: 'develop',
  summary: 'x',
  tag: 'x',
  params: ProjectPath,
  reply: { 200: Type.Array(Type.String()) },
  run: async () => reply(200, []),
})

let server: TestServer
beforeEach(async () => {
  server = await startTestServer([things])
})

test('a page of any origin may ask with any method and the headers that clients send', async () => {
  const asked = 'content-type,x-api-key,authorization,idempotency-key,if-none-match,x-amp-client,x-amp-client-version'
  const { status, headers, text } = await server.call('OPTIONS', '/v1/projects/shop/things:all', {
    key: null,
    headers: { origin, 'access-control-request-method': 'GET', 'access-control-request-headers': asked },
  })
  expect([status, text]).toEqual([204, ''])
  expect(headers.get('access-control-allow-origin')).toBe('*')
  for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])
    expect(headers.get('access-control-allow-methods')?.split(', ')).toContain(method)
  expect(headers.get('access-control-allow-headers')).toBe(asked)
  expect(headers.get('access-control-max-age')).toBe('86400')
  expect(headers.get('access-control-allow-credentials')).toBeNull()
})

test.each([
  ['/v1/projects/shop/things:all', fullKey, 200],
  ['/v1/projects/shop/things:all', null, 401],
  ['/v1/projects/none/things:all', fullKey, 404],
  ['/v1/nothing', fullKey, 404],
  ['/v1/projects/%ff/things:all', fullKey, 400],
] as const)('a page may read the answer to %s with %s, and what it tells in headers', async (path, key, expected) => {
  const { status, headers } = await server.call('GET', path, { key, headers: { origin } })
  expect(status).toBe(expected)
  expect(headers.get('access-control-allow-origin')).toBe('*')
  expect(headers.get('access-control-allow-credentials')).toBeNull()
  if (expected === 400) return
  expect(headers.get('access-control-expose-headers')?.split(', ')).toEqual([
    'X-Request-Id',
    'RateLimit',
    'RateLimit-Policy',
    'Retry-After',
    'ETag',
    'Idempotency-Replayed',
    'Link',
    'X-Next-Page-Token',
  ])
})
