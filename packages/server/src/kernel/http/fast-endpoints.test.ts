import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { Type } from 'typebox'
import { expect, test } from 'vitest'
import type { Identity } from './caller.ts'
import { endpoint, problem, reply } from './index.ts'
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

const greet = endpoint({
  id: 'greet',
  method: 'POST',
  path: '/projects/{projectIdOrName}/people/{name}:greet',
  access: 'agent',
  summary: 'x',
  tag: 'x',
  fastPath: true,
  params: Type.Object({ projectIdOrName: Type.String(), name: Type.String({ maxLength: 10 }) }),
  body: Type.Object({ words: Type.String({ maxLength: 5 }), fails: Type.Optional(Type.String()) }),
  bodyBytesMax: 200,
  reply: { 200: Type.Object({ said: Type.String(), by: Type.String() }) },
  problems: [Refused],
  run: async ({ params, body, project, caller, requestId, log }) => {
    log.info('greeted')
    if (body.fails === 'problem') throw new Refused()
    if (body.fails === 'bug') throw new Error('broken')
    const by = 'keyId' in caller ? caller.keyId : ''
    return reply(200, { said: `${body.words} ${params.name} of ${project.name}`, by, requestId, left: 'out' })
  },
})

/** A server with the endpoint, and how often a key was looked up: the fast path takes a key that was. */
async function start(rateLimit = 0) {
  const asked = { lookUps: 0 }
  const authenticate = Object.assign(
    async ({ value }: { value: string }) => {
      asked.lookUps++
      return value === fullKey ? identity : undefined
    },
    { known: ({ value }: { value: string }) => (asked.lookUps > 0 && value === fullKey ? identity : undefined) },
  )
  const server = await startTestServer([greet], { authenticate, rateLimit, now: () => new Date() })
  return { asked, server, path: '/v1/projects/shop/people/Ann:greet' }
}

/** Leaves out what differs between two requests. */
function shapeOf({ status, headers, body }: Awaited<ReturnType<TestServer['call']>>) {
  const kept = [...headers].filter(([name]) => !['date', 'x-request-id', 'content-length', 'ratelimit'].includes(name))
  return { status, headers: kept.toSorted(), body: { ...body, requestId: '', instance: '', time: '' } }
}

test.each([
  ['a result', {}, 200],
  ['a problem', { fails: 'problem' }, 409],
  ['an unexpected error', { fails: 'bug' }, 500],
  ['input that does not fit', { words: 'too long' }, 400],
  ['a key that is given twice', '{"words":"Hi","words":"Ho"}', 400],
  ['text that is not JSON', '{"words', 400],
  ['a body that is too large', { words: 'x'.repeat(300) }, 413],
  ['another project', {}, 404, '/v1/projects/other/people/Ann:greet'],
  ['a path that has to be decoded', {}, 200, '/v1/projects/shop/people/An%6e:greet'],
  ['a path that is too long', {}, 400, `/v1/projects/shop/people/${'A'.repeat(11)}:greet`],
])('%s is the same for a key that is looked up and for one that is known', async (_, more, status, other?: string) => {
  const { server, path } = await start(100)
  const body = typeof more === 'string' ? more : { words: 'Hi', ...more }
  const first = await server.call('POST', other ?? path, { body })
  const second = await server.call('POST', other ?? path, { body })
  expect(first.status).toBe(status)
  expect(shapeOf(second)).toEqual(shapeOf(first))
  expect(second.headers.get('x-request-id')).not.toBe(first.headers.get('x-request-id'))
})

test('a plain request of a known key is not looked up; any other is', async () => {
  const { asked, server, path } = await start()
  const call = (headers: Record<string, string> = {}) => server.call('POST', path, { body: { words: 'Hi' }, headers })
  await call()
  expect((await call()).body).toEqual({ said: 'Hi Ann of shop', by: 'key' })
  expect(asked.lookUps).toBe(1)
  for (const headers of [
    { 'idempotency-key': 'one' },
    { 'content-type': 'application/json; charset=utf-8' },
    { authorization: 'Bearer a.b.c' },
  ]) {
    const before = asked.lookUps
    expect((await call(headers)).status).toBe(200)
    expect(asked.lookUps).toBe(before + 1)
  }
  expect((await server.call('POST', path, { body: { words: 'Hi' }, key: 'mortise_wrong' })).status).toBe(401)
  expect((await server.call('POST', path, { body: { words: 'Hi' }, key: null })).status).toBe(401)
})

test('lines of the log name the request', async () => {
  const { server, path } = await start()
  for (let n = 0; n < 2; n++) {
    const { headers } = await server.call('POST', path, { body: { words: 'Hi' } })
    const line = server.logs.findLast(({ msg }) => msg === 'greeted')
    expect(line).toMatchObject({ requestId: headers.get('x-request-id') })
  }
})

test('a key that asks too often is refused, and each request is counted once', async () => {
  const { server, path } = await start(3)
  const statuses: number[] = []
  // Windows of a second: on a machine that is too slow for one, in the next.
  await expect
    .poll(
      async () => {
        statuses.length = 0
        for (let n = 0; n < 5; n++) {
          const { status, headers } = await server.call('POST', path, { body: { words: 'Hi', fails: 'problem' } })
          expect(headers.get('access-control-expose-headers')).toContain('Retry-After')
          statuses.push(status)
        }
        return statuses
      },
      { timeout: 10_000 },
    )
    .toEqual([409, 409, 409, 429, 429])
})

test('a body that arrives after its head is read', async () => {
  const { server, path } = await start()
  await server.call('POST', path, { body: { words: 'Hi' } })
  const socket = connect(server.port, '127.0.0.1').setNoDelay(true)
  const body = '{"words":"Hi"}'
  const head = [`POST ${path} HTTP/1.1`, 'Host: x', `X-Api-Key: ${fullKey}`, 'Content-Type: application/json']
  socket.write([...head, `Content-Length: ${body.length}`, 'Connection: close', '', ''].join('\r\n'))
  const answered = text(socket)
  // The server has read the head when it answers a later request.
  await server.call('POST', path, { body: { words: 'Ho' } })
  socket.write(body.slice(0, 5))
  await server.call('POST', path, { body: { words: 'Ho' } })
  socket.end(body.slice(5))
  expect(await answered).toContain('200 OK')
  expect(await answered).toContain('{"said":"Hi Ann of shop","by":"key"}')
})
