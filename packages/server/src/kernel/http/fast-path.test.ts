import { request } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import type { Identity } from './caller.ts'
import { type PassThrough, type PassThroughInput, passThrough, problem } from './index.ts'
import { fullKey, projectId, startTestServer, type TestServer } from './test-server.testkit.ts'

const Refused = problem({
  code: 'refused',
  status: 409,
  title: 'Refused',
  detail: 'No.',
  retryable: false,
  subsystem: 'proxy',
})

const identity: Identity = {
  caller: { kind: 'apiKey', keyId: 'key', scope: 'full', createdBy: 'builder:1' },
  project: { id: projectId, name: 'shop', orgId: '0198c0de-0000-7000-8000-00000000000f' },
}

/** A server with a relay at `/proxy`, and how often it looked a key up. */
async function start(run: (input: PassThroughInput) => Promise<void>, rateLimit = 0) {
  const asked = { lookUps: 0 }
  const authenticate = Object.assign(
    async ({ value }: { value: string }) => {
      asked.lookUps++
      return value === fullKey ? identity : undefined
    },
    { known: ({ value }: { value: string }) => (asked.lookUps > 0 && value === fullKey ? identity : undefined) },
  )
  const relayed: PassThrough<unknown> = passThrough({
    id: 'proxy',
    path: '//proxy',
    access: 'develop',
    projectIn: 'header',
    summary: 'x',
    problems: [Refused],
    run,
  })
  const server = await startTestServer([], { authenticate, relays: [relayed], rateLimit, now: () => new Date() })
  const call = (path: string, options: Parameters<TestServer['call']>[2] = {}) =>
    server.call('GET', path, { ...options, headers: { 'x-mortise-project-id': 'shop', ...options.headers } })
  return { asked, server, call }
}

const echo = async ({ url, response, caller, project, credential }: PassThroughInput) =>
  void response.end(
    JSON.stringify({ url, keyId: 'keyId' in caller ? caller.keyId : undefined, project: project.name, credential }),
  )

test('a caller that is remembered is served as one that is looked up, without a look-up', async () => {
  const { asked, call } = await start(echo)
  const first = await call('/proxy/a%20b?c=%2F')
  const second = await call('/proxy/a%20b?c=%2F')
  expect(asked.lookUps).toBe(1)
  expect(second.status).toBe(200)
  expect(second.text).toBe(first.text)
  expect(JSON.parse(second.text)).toEqual({
    url: '/proxy/a%20b?c=%2F',
    keyId: 'key',
    project: 'shop',
    credential: fullKey,
  })
})

test('a problem is answered alike on both ways, and names its own request', async () => {
  const seen: string[] = []
  const { asked, call } = await start(async ({ requestId }) => {
    seen.push(requestId)
    throw new Refused()
  }, 100)
  const answers = [await call('/proxy/x'), await call('/proxy/x')]
  expect(asked.lookUps).toBe(1)
  expect(answers.map(({ body }) => body['requestId'])).toEqual(seen)
  const shapes = answers.map(({ status, headers, body }) => [
    status,
    [...headers.keys()].toSorted(),
    { ...body, requestId: '', instance: '', time: '' },
  ])
  expect(shapes[1]).toEqual(shapes[0])
  expect(shapes[1]?.[0]).toBe(409)
})

test('headers that were set stand in the problem', async () => {
  const { call } = await start(async (input) => {
    input.setHeader('X-Told', 'yes')
    throw new Refused()
  })
  for (let n = 0; n < 2; n++) expect((await call('/proxy/x')).headers.get('x-told')).toBe('yes')
})

test('another project is not found, and a wrong key is none', async () => {
  const { call } = await start(echo)
  await call('/proxy/x')
  const other = await call('/proxy/x', { headers: { 'x-mortise-project-id': 'other' } })
  expect([other.status, other.body.context['code']]).toEqual([404, 'not-found'])
  expect((await call('/proxy/x', { key: 'mortise_wrong' })).status).toBe(401)
  expect((await call('/proxy/x', { key: null })).status).toBe(401)
})

test('whoever asks too often is refused on either way, and is counted once', async () => {
  const { call } = await start(echo, 3)
  const statuses: number[] = []
  // Windows of a second: on a machine that is too slow for one, in the next.
  await expect
    .poll(async () => {
      statuses.length = 0
      for (let n = 0; n < 5; n++) statuses.push((await call('/proxy/x')).status)
      return statuses
    })
    .toEqual([200, 200, 200, 429, 429])
})

test('an answer that breaks after it began closes the connection', async () => {
  const { server, call } = await start(async ({ url, response }) => {
    response.writeHead(200, { 'content-length': 10 })
    response.write('half')
    if (url !== '/proxy/whole') throw new Error('broken')
    response.end('of it.')
  })
  await call('/proxy/whole')
  const broken = Promise.withResolvers<Error>()
  const asked = request(`${server.url}/proxy/x`, {
    headers: { 'x-api-key': fullKey, 'x-mortise-project-id': 'shop' },
  })
  onTestFinished(() => void asked.destroy())
  asked.on('response', (answer) => answer.on('error', broken.resolve).resume())
  asked.on('error', broken.resolve).end()
  expect(await broken.promise).toMatchObject({ code: 'ECONNRESET' })
})
