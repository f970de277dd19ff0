import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../../../testkit/test-app.ts'
import { callback, type SignInKit, startSignInKit } from './sign-in.testkit.ts'

const publicUrl = 'https://mortise.example'

let app: TestApp
let kit: SignInKit
let server: Server
let answers: RequestListener
let requests = 0
beforeAll(async () => {
  app = await startTestApp({ env: { MORTISE_ROLES: 'api', MORTISE_PUBLIC_URL: publicUrl } })
  kit = await startSignInKit(app, publicUrl)
  server = createServer((request, response) => {
    requests++
    answers(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
afterAll(async () => {
  server?.closeAllConnections()
  server?.close()
  await app?.stop()
})

const url = (path: string) => `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`
const json = { 'content-type': 'application/json' }
const documentOf = (path: string, more: object = {}) =>
  JSON.stringify({ client_id: url(path), client_name: 'Doc', redirect_uris: [callback], ...more })

test('is read once by concurrent and by later requests, and again after five minutes', async () => {
  answers = (request, response) => response.writeHead(200, json).end(documentOf(request.url ?? ''))
  requests = 0
  const opened = await Promise.all([1, 2, 3].map(() => kit.authorize(url('/good'))))
  expect(opened.map(({ shown }) => shown.status)).toEqual([303, 303, 303])
  expect((await kit.authorize(url('/good'))).shown.status).toBe(303)
  expect(requests).toBe(1)
})

test('decides which redirect URIs are the client’s', async () => {
  answers = (request, response) => response.writeHead(200, json).end(documentOf(request.url ?? ''))
  const { shown } = await kit.authorize(url('/other'), { change: { redirect_uri: 'https://evil.example/cb' } })
  expect([shown.status, shown.location]).toEqual([400, null])
})

test.each<[string, RequestListener]>([
  ['HTML', (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>')],
  ['JSON that is none', (_, response) => response.writeHead(200, json).end('<p>')],
  ['a list', (_, response) => response.writeHead(200, json).end('[]')],
  ['nothing', (_, response) => response.writeHead(200, json).end()],
  ['half', (_, response) => response.writeHead(200, { ...json, 'content-length': '500' }).end('{"client_id"')],
  ['a redirect', (_, response) => response.writeHead(302, { location: url('/good') }).end()],
  ['404', (_, response) => response.writeHead(404, json).end('{}')],
  ['500', (_, response) => response.writeHead(500, json).end('{}')],
  [
    'too much',
    (request, response) => response.writeHead(200, json).end(documentOf(request.url ?? '', { x: 'x'.repeat(20_000) })),
  ],
  ['another client_id', (_, response) => response.writeHead(200, json).end(documentOf('/else'))],
  [
    'a secret',
    (request, response) => response.writeHead(200, json).end(documentOf(request.url ?? '', { client_secret: 's' })),
  ],
  [
    'a client with a key',
    (request, response) =>
      response
        .writeHead(200, json)
        .end(documentOf(request.url ?? '', { token_endpoint_auth_method: 'private_key_jwt' })),
  ],
  [
    'no redirect URIs',
    (request, response) => response.writeHead(200, json).end(documentOf(request.url ?? '', { redirect_uris: [] })),
  ],
  [
    'a script as redirect URI',
    (request, response) =>
      response.writeHead(200, json).end(documentOf(request.url ?? '', { redirect_uris: ['javascript:alert(1)'] })),
  ],
  ['a success that is an error', (_, response) => response.writeHead(200, json).end('{"error":"not found"}')],
  ['repeated names', (_, response) => response.writeHead(200, json).end('{"client_id":"a","client_id":"b"}')],
])('that is %s is refused with a page', async (what, listener) => {
  answers = listener
  const { shown } = await kit.authorize(url(`/${encodeURIComponent(what)}`))
  expect([shown.status, shown.location]).toEqual([400, null])
  expect(shown.text).toMatch(/document/)
})

test('that hangs is given up after five seconds', async () => {
  answers = () => undefined
  const { shown } = await kit.authorize(url('/hangs'))
  expect([shown.status, shown.location]).toEqual([400, null])
})

test.each([
  'http://10.0.0.1/client.json',
  'https://10.0.0.1/client.json',
  'https://169.254.169.254/latest/meta-data',
  'https://[fd00::1]/client.json',
  'https://2130706433/client.json',
  'http://client.example/client.json',
  'https://client.example',
  'https://client.example/',
  'https://client.example/a#b',
  'https://client.example/a/../b',
  'https://user:word@client.example/a',
  'https://CLIENT.example/a',
  'file:///etc/passwd',
  'ftp://client.example/a',
  `https://client.example/${'x'.repeat(2_000)}`,
])('cannot be at %s', async (clientId) => {
  const { shown } = await kit.authorize(clientId)
  expect([shown.status, shown.location]).toEqual([400, null])
})
