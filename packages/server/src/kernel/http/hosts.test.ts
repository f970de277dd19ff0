import { request } from 'node:http'
import { Type } from 'typebox'
import { beforeEach, describe, expect, test } from 'vitest'
import { hostRewriter } from './hosts.ts'
import { endpoint, Path, ProjectPath, Ref, reply } from './index.ts'
import { fullKey, startTestServer, type TestServer } from './test-server.testkit.ts'

const rewrite = hostRewriter('https://search.example.com')

describe('where a request leads', () => {
  test.each([
    ['mortise.example.com', '/v1/projects', '/v1/projects'],
    ['read.mortise.example.com', '/v1/projects/a', '/read/v1/projects/a'],
    ['READ.mortise.example.com:8443', '/v1/projects/a?x=1', '/read/v1/projects/a?x=1'],
    ['write.localhost', '/v1/a', '/write/v1/a'],
    ['search.other.com', '/v1/a', '/search/v1/a'],
    // The service itself may be called so.
    ['search.example.com', '/v1/a', '/v1/a'],
    ['read.example.com', '/read/v1/a', '/read/v1/a'],
    ['read.example.com', '/health', '/health'],
    ['readonly.example.com', '/v1/a', '/v1/a'],
    ['read', '/v1/a', '/v1/a'],
    ['proxy.example.com', '/services/data?q=1', '/proxy/services/data?q=1'],
    ['proxy.example.com', '/proxy/x', '/proxy/proxy/x'],
    ['proxy.example.com', '/v1/a', '/proxy/v1/a'],
    ['[::1]:4100', '/v1/a', '/v1/a'],
    [undefined, '/v1/a', '/v1/a'],
    ['read.example.com', '*', '*'],
  ])('%s%s is %s', (host, url, expected) => {
    expect(rewrite({ url, headers: { host } } as never)).toBe(expected)
  })

  test.each(['x-mortise-proxy-version', 'x-amp-proxy-version'])('%s makes it one to the proxy', (name) => {
    const to = (url: string, host = 'mortise.example.com') => rewrite({ url, headers: { host, [name]: '1' } } as never)
    expect(to('/services/data')).toBe('/proxy/services/data')
    expect(to('/proxy/services/data')).toBe('/proxy/services/data')
    expect(to('/v1/x', 'read.example.com')).toBe('/proxy/v1/x')
    expect(to('/x', 'proxy.example.com')).toBe('/proxy/x')
  })
})

const common = { method: 'POST', access: 'develop', summary: 'x', tag: 'x' } as const
const Which = Type.Object({ which: Type.String(), mode: Type.String() })
const declare = (id: string, prefix: string) =>
  endpoint({
    ...common,
    id,
    path: `//${prefix}/v1/projects/{projectIdOrName}/objects/{objectName}`,
    params: Path({ ...ProjectPath.properties, objectName: Ref }),
    body: Type.Object({ mode: Type.String(), size: Type.Optional(Type.Integer()) }),
    reply: { 200: Which },
    run: async ({ body }) => reply(200, { which: id, mode: body.mode }),
  })

let server: TestServer
beforeEach(async () => {
  server = await startTestServer([declare('reads', 'read'), declare('writes', 'write')], {
    sharedPaths: [
      {
        method: 'POST',
        path: '/projects/{projectIdOrName}/objects/{objectName}',
        endpoints: ['reads', 'writes'],
        choose: (body) => {
          const mode = (body as { mode?: unknown } | undefined)?.mode
          return mode === 'r' ? 'reads' : mode === 'w' ? 'writes' : [{ in: 'body', name: 'mode', detail: 'r or w.' }]
        },
      },
    ],
  })
})

const post = (path: string, body: unknown, key: string | null = fullKey) => server.call('POST', path, { body, key })

/** `fetch` sets Host itself. */
function postTo(host: string, path: string): Promise<{ status: number | undefined; text: string }> {
  return new Promise((resolve, reject) => {
    const headers = { host, 'x-api-key': fullKey, 'content-type': 'application/json' }
    const sent = request({ port: server.port, host: '127.0.0.1', method: 'POST', path, headers }, (answer) => {
      let text = ''
      answer.on('data', (chunk) => {
        text += chunk
      })
      answer.on('end', () => resolve({ status: answer.statusCode, text }))
    })
    sent.on('error', reject)
    sent.end('{"mode":"x"}')
  })
}

test('an endpoint answers by its host as by its prefix', async () => {
  expect(await postTo('read.shop.example', '/v1/projects/shop/objects/a')).toEqual({
    status: 200,
    text: '{"which":"reads","mode":"x"}',
  })
  expect((await postTo('write.shop.example', '/v1/projects/shop/objects/a')).text).toContain('writes')
})

test('without host and prefix the body tells which endpoint is meant', async () => {
  const path = '/v1/projects/shop/objects/a%2Fb'
  expect(await post(path, { mode: 'r' })).toMatchObject({ status: 200, body: { which: 'reads' } })
  expect(await post(path, { mode: 'w' })).toMatchObject({ status: 200, body: { which: 'writes' } })
  expect(await post(path, { mode: 'x' })).toMatchObject({ status: 400, body: { issues: [{ name: 'mode' }] } })
  expect(await post(path, undefined)).toMatchObject({ status: 400, body: { issues: [{ name: 'mode' }] } })
  expect((await post(path, '{"mode":')).body.context['code']).toBe('malformed-body')
  // The chosen endpoint checks its own input.
  expect(await post(path, { mode: 'r', size: 'x' })).toMatchObject({
    status: 400,
    body: { issues: [{ name: 'size' }] },
  })
  expect((await post(path, { mode: 'r' }, null)).status).toBe(401)
})

test('the shared path stands in no document', async () => {
  const { body } = await server.call('GET', '/v1/openapi.json')
  expect(Object.keys(body['paths'] as object)).toEqual([
    '/read/v1/projects/{projectIdOrName}/objects/{objectName}',
    '/write/v1/projects/{projectIdOrName}/objects/{objectName}',
  ])
})
