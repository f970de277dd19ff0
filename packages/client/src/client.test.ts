import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, onTestFinished, test } from 'vitest'
import { createClient, MortiseProblem, MortiseUnreachable } from './index.ts'

interface Seen {
  method: string
  url: string
  headers: IncomingMessage['headers']
  body: string
}

/** A service that answers as the script says, one entry for each request. */
async function service(script: ((answer: ServerResponse) => void)[]) {
  const seen: Seen[] = []
  const server = createServer(async (request, answer) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    seen.push({
      method: request.method!,
      url: request.url!,
      headers: request.headers,
      body: Buffer.concat(chunks).toString(),
    })
    script[Math.min(seen.length, script.length) - 1]!(answer)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { seen, baseUrl, client: createClient({ baseUrl, apiKey: 'mortise_test', project: 'shop', timeoutMs: 5_000 }) }
}

const json =
  (status: number, body: unknown, headers: Record<string, string> = {}) =>
  (answer: ServerResponse) => {
    answer.writeHead(status, {
      'content-type': status < 400 ? 'application/json' : 'application/problem+json',
      ...headers,
    })
    answer.end(JSON.stringify(body))
  }
const hangUp = (answer: ServerResponse) => answer.socket?.destroy()
const busy = json(503, { title: 'busy', status: 503, retryable: true }, { 'retry-after': '0' })

test('a GET is sent again until it is answered', async () => {
  const { client, seen } = await service([busy, hangUp, json(200, [])])
  expect(await client.listProjects()).toEqual([])
  expect(seen.map(({ method, url }) => `${method} ${url}`)).toEqual(Array(3).fill('GET /v1/projects'))
})

test('a POST is sent again under the same idempotency key, with the same body', async () => {
  const { client, seen } = await service([hangUp, json(201, { id: 't' })])
  const body = { name: 'hook', type: 'webhook' as const, metadata: { url: 'https://example.com' } }
  await client.createDestination({ body })
  expect(seen).toHaveLength(2)
  expect(seen[0]!.headers['idempotency-key']).toMatch(/^[0-9a-f-]{36}$/)
  expect(seen[1]!.headers['idempotency-key']).toBe(seen[0]!.headers['idempotency-key'])
  expect(seen.map((one) => JSON.parse(one.body))).toEqual([body, body])
})

test('a DELETE whose answer was lost has succeeded when the thing is gone', async () => {
  const gone = json(404, { title: 'Not found', status: 404 })
  const { client } = await service([hangUp, gone])
  expect(await client.deleteDestination({ destination: 'hook' })).toBeUndefined()
  const { client: other } = await service([gone])
  await expect(other.deleteDestination({ destination: 'hook' })).rejects.toThrow(MortiseProblem)
})

test('a problem is thrown with its code and every issue, and is not asked for again', async () => {
  const problem = {
    title: 'The request is not valid',
    detail: 'Some parts are not valid.',
    status: 400,
    requestId: 'r1',
    context: { code: 'invalid-input' },
    issues: [{ in: 'body', name: 'name', detail: 'name is required.' }],
  }
  const { client, seen } = await service([json(400, problem)])
  const error = await client.listDestinations().catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(MortiseProblem)
  expect(error).toMatchObject({
    status: 400,
    code: 'invalid-input',
    requestId: 'r1',
    retryable: false,
    issues: problem.issues,
  })
  expect((error as Error).message).toBe('Some parts are not valid.\n- body name: name is required.')
  expect(seen).toHaveLength(1)
})

test('an answer of a proxy in between is a problem too', async () => {
  const { client } = await service([(answer) => answer.writeHead(418, { 'x-request-id': 'r2' }).end('<h1>teapot</h1>')])
  await expect(client.listProjects()).rejects.toMatchObject({ status: 418, code: 'unknown', requestId: 'r2' })
})

test('a service that says to wait for long is not waited for', async () => {
  const { client, seen } = await service([json(429, { title: 'slow down', status: 429 }, { 'retry-after': '3600' })])
  await expect(client.listProjects()).rejects.toMatchObject({ status: 429 })
  expect(seen).toHaveLength(1)
})

test('a service that is not there is unreachable, and its address is named', async () => {
  const { client, baseUrl } = await service([hangUp])
  const error = await client.listProjects().catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(MortiseUnreachable)
  expect((error as Error).message).toContain(baseUrl)
})

test('a call ends when its caller no longer waits', async () => {
  const { client, seen } = await service([() => {}])
  const controller = new AbortController()
  const call = client.listProjects({}, { signal: controller.signal })
  await expect.poll(() => seen.length).toBe(1)
  controller.abort(new Error('enough'))
  await expect(call).rejects.toThrow('enough')
})

test('names in a path are encoded, and the project of the client is filled in', async () => {
  const { client, seen } = await service([json(200, {})])
  await client.getIntegration({ integrationIdOrName: 'a/b c:d' })
  await client.pauseReads({ projectIdOrName: 'other', integrationId: 'i', installationId: 'x', body: {} })
  expect(seen.map(({ url }) => url)).toEqual([
    '/v1/projects/shop/integrations/a%2Fb%20c%3Ad',
    '/read/v1/projects/other/integrations/i/installations/x:pause',
  ])
  const { client: homeless } = { client: createClient({ baseUrl: 'http://127.0.0.1:9' }) }
  await expect(homeless.listDestinations()).rejects.toThrow('works in a project')
})

test('a list is walked page by page, and only as far as it is iterated', async () => {
  const { client, seen } = await service([
    json(200, [{ id: '1' }, { id: '2' }], { 'x-next-page-token': 'second' }),
    json(200, [{ id: '3' }]),
  ])
  const ids: unknown[] = []
  for await (const connection of client.each('listConnections', { query: { groupRef: 'g' } }, { pageSize: 2 }))
    ids.push(connection.id)
  expect(ids).toEqual(['1', '2', '3'])
  expect(seen.map(({ url }) => url)).toEqual([
    '/v1/projects/shop/connections?groupRef=g&pageSize=2',
    '/v1/projects/shop/connections?groupRef=g&pageSize=2&pageToken=second',
  ])
})

test('a stream goes on behind its last event after an interruption', async () => {
  const events = (text: string) => (answer: ServerResponse) =>
    answer.writeHead(200, { 'content-type': 'text/event-stream' }).end(text)
  const { client, seen } = await service([
    events(': hello\n\nid: 1\nevent: log\ndata: {"n":1}\n\n'),
    events('id: 2\nevent: log\ndata: {"n":2}\n\n'),
  ])
  const got: unknown[] = []
  for await (const event of client.follow('listOperationLogs', { operationId: 'o' })) {
    got.push(event)
    if (got.length === 2) break
  }
  expect(got).toEqual([
    { id: '1', event: 'log', data: { n: 1 } },
    { id: '2', event: 'log', data: { n: 2 } },
  ])
  expect(seen[1]!.headers['last-event-id']).toBe('1')
})

test('a token is asked for before every call', async () => {
  const { baseUrl, seen } = await service([json(200, [])])
  let asked = 0
  const client = createClient({ baseUrl, token: async () => `t${++asked}` })
  await client.listProjects()
  await client.listProjects()
  expect(seen.map(({ headers }) => headers.authorization)).toEqual(['Bearer t1', 'Bearer t2'])
})

test('a stream that is followed ends with its signal, though memory was collected meanwhile', async () => {
  const { client } = await service([
    (answer) => answer.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n'),
  ])
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const controller = new AbortController()
  const events = client
    .follow('listOperationLogs', { operationId: 'o' }, { signal: controller.signal })
    [Symbol.asyncIterator]()
  expect((await events.next()).value?.data).toBe(1)
  const ended = events.next()
  // Signals that depend on others are held weakly once their request has an answer.
  for (let round = 0; round < 5; round++) {
    await new Promise((resolve) => setImmediate(resolve))
    collect()
  }
  controller.abort()
  expect(await ended).toEqual({ done: true, value: undefined })
})
