import { createServer } from 'node:net'
import pg from 'pg'
import { Type } from 'typebox'
import { describe, expect, test } from 'vitest'
import type { Endpoint } from './endpoint.ts'
import { endpoint, InvalidInput, type Issue, problem, reply } from './index.ts'
import { startTestServer } from './test-server.testkit.ts'

const Taken = problem({
  code: 'name-taken',
  status: 409,
  title: 'The name is taken',
  detail: 'There is one of that name already.',
  remedy: 'Choose another name.',
  retryable: false,
  subsystem: 'things',
})
const Busy = problem({
  code: 'busy',
  status: 429,
  title: 'Too much at once',
  detail: 'Slow down.',
  retryable: true,
  subsystem: 'things',
})

/** An endpoint that fails in the way given. */
const failing = (fail: () => unknown): Endpoint<unknown>[] => [
  endpoint({
    id: 'fail',
    method: 'GET',
    path: '/fail',
    access: 'develop',
    summary: 'x',
    tag: 'Test',
    reply: { 200: Type.Object({ n: Type.Integer() }) },
    problems: [Taken, Busy],
    run: async () => {
      await fail()
      return reply(200, { n: 1 })
    },
  }),
]
const throws = (error: unknown) => failing(() => Promise.reject(error))

describe('a problem', () => {
  test('shows a URL that it refuses without its user and password', async () => {
    const value = 'https://me:hunter2@example.com/a?b=c@d'
    const issues = [{ in: 'body' as const, name: 'url', detail: 'No.', value }]
    const server = await startTestServer(throws(new InvalidInput({ issues })))
    const { body } = await server.call('GET', '/v1/fail')
    expect(body['issues']).toMatchObject([{ value: 'https://…@example.com/a?b=c@d' }])
  })

  test('has what is wrong with each input, and the remedy if it is the same for all, outside of the issues, too', async () => {
    const at = { in: 'body', name: 'updateMask[0]', detail: 'There is no such path: x.', remedy: 'Use y.' } as const
    const answer = async (...issues: Issue[]) =>
      (await (await startTestServer(throws(new InvalidInput({ issues })))).call('GET', '/v1/fail')).body
    expect(await answer(at)).toMatchObject({ causes: [at.detail], remedy: 'Use y.' })
    expect(await answer(at, { ...at, name: 'updateMask[1]' })).toMatchObject({ causes: [at.detail], remedy: 'Use y.' })
    const other = { in: 'query', name: 'n', detail: 'n is required.' } as const
    expect(await answer(at, other)).toMatchObject({
      causes: [at.detail, other.detail],
      remedy: InvalidInput.declaration.remedy,
    })
    expect(await answer(...Array.from({ length: 150 }, (_, n) => ({ ...other, detail: `${n}` })))).toMatchObject({
      causes: { length: 100 },
    })
  })

  test('has every field of the interface that there is something to say in', async () => {
    const server = await startTestServer(throws(new Taken()))
    const answer = await server.call('GET', '/v1/fail')
    expect(answer.status).toBe(409)
    expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json(;|$)/)
    const requestId = answer.headers.get('x-request-id')
    expect(requestId).toMatch(/^request-\d+$/)
    expect(answer.body).toEqual({
      type: 'about:blank',
      href: 'https://mortise.example.com/problems/name-taken',
      title: 'The name is taken',
      status: 409,
      detail: 'There is one of that name already.',
      instance: `urn:uuid:${requestId}`,
      subsystem: 'things',
      time: '2026-01-02T03:04:05.678Z',
      requestId,
      remedy: 'Choose another name.',
      retryable: false,
      context: { code: 'name-taken' },
    })
    expect(answer.headers.has('retry-after')).toBe(false)
  })

  test('says of its occurrence what the thrower made public, and nothing of the cause', async () => {
    const server = await startTestServer(
      throws(
        new Busy({
          detail: 'The provider asks for a pause.',
          remedy: 'Wait for the provider.',
          causes: ['quota used up'],
          retryAfter: new Date('2026-01-02T03:04:15.100Z'),
          context: { provider: 'crm' },
          cause: new Error('hidden-cause'),
        }),
      ),
    )
    const answer = await server.call('GET', '/v1/fail')
    expect(answer.status).toBe(429)
    expect(answer.headers.get('retry-after')).toBe('10')
    expect(answer.body).toMatchObject({
      detail: 'The provider asks for a pause.',
      remedy: 'Wait for the provider.',
      causes: ['quota used up'],
      retryable: true,
      retryAfter: '2026-01-02T03:04:15.100Z',
      context: { code: 'busy', provider: 'crm' },
    })
    expect(answer.text).not.toContain('hidden-cause')
  })

  test('of which the time to try again has passed says zero seconds', async () => {
    const server = await startTestServer(throws(new Busy({ retryAfter: new Date('2020-01-01T00:00:00Z') })))
    expect((await server.call('GET', '/v1/fail')).headers.get('retry-after')).toBe('0')
  })

  test('names the support contacts that the operator set', async () => {
    const support = { email: 'help@example.com', phone: '+49 30 1', url: 'https://example.com/help' }
    const server = await startTestServer(throws(new Taken()), { problems: { publicUrl: 'http://x', support } })
    expect((await server.call('GET', '/v1/fail')).body).toMatchObject({
      supportEmail: support.email,
      supportPhone: support.phone,
      supportUrl: support.url,
    })
  })

  test('has another request id each time', async () => {
    const server = await startTestServer(throws(new Taken()))
    const first = await server.call('GET', '/v1/fail')
    const second = await server.call('GET', '/v1/fail', { headers: { 'x-request-id': 'mine' } })
    expect(first.body['requestId']).not.toBe(second.body['requestId'])
    expect(second.body['requestId']).toBe(second.headers.get('x-request-id'))
    expect(second.body['requestId']).not.toBe('mine')
  })
})

test('an answer that is no problem has a request id too', async () => {
  const server = await startTestServer(failing(() => undefined))
  expect((await server.call('GET', '/v1/fail')).headers.get('x-request-id')).toMatch(/^request-/)
})

describe('an error that nobody expected', () => {
  test.each([
    new Error('secret-detail at /home/me/secret.ts'),
    Object.assign(new TypeError('secret-detail'), { statusCode: 418, code: 'SECRET' }),
    { secret: 'secret-detail' },
    'secret-detail',
    undefined,
    null,
  ])('becomes a problem that leaks nothing: %o', async (error) => {
    const server = await startTestServer(throws(error))
    const answer = await server.call('GET', '/v1/fail')
    expect(answer).toMatchObject({ status: 500, body: { context: { code: 'unexpected' }, retryable: true } })
    expect(answer.text + JSON.stringify([...answer.headers])).not.toMatch(/secret|SECRET/)
  })

  test('is logged once, with its stack and the request id', async () => {
    const server = await startTestServer(throws(new Error('secret-detail')))
    const answer = await server.call('GET', '/v1/fail')
    const lines = server.logs.filter((line) => JSON.stringify(line).includes('secret-detail'))
    expect(lines).toHaveLength(1)
    expect(lines[0]).toMatchObject({ level: 50, requestId: answer.body['requestId'] })
    expect(JSON.stringify(lines[0])).toContain('problem-document.test.ts')
  })

  test('in an answer that does not keep its own schema becomes one as well', async () => {
    const server = await startTestServer([
      endpoint({
        id: 'broken',
        method: 'GET',
        path: '/fail',
        access: 'develop',
        summary: 'x',
        tag: 'Test',
        reply: { 200: Type.Object({ n: Type.Integer() }) },
        run: async () => reply(200, {} as { n: number }),
      }),
    ])
    const answer = await server.call('GET', '/v1/fail')
    expect(answer).toMatchObject({ status: 500, body: { context: { code: 'unexpected' } } })
    expect(server.logs.filter((line) => line['level'] === 50)).toHaveLength(1)
  })
})

describe('a database that is away', () => {
  const pool = (options: pg.PoolConfig) => new pg.Pool({ connectionTimeoutMillis: 300, ...options })

  test.each([
    ['a port that nobody listens on', { host: '127.0.0.1', port: 1 }],
    ['a name with several addresses, none listening', { host: 'localhost', port: 1 }],
    ['a socket that is not there', { host: '/nonexistent', port: 5432 }],
  ])('answers 503: %s', async (_, address) => {
    const server = await startTestServer(failing(() => pool(address).query('select 1')))
    const answer = await server.call('GET', '/v1/fail')
    expect(answer).toMatchObject({ status: 503, body: { context: { code: 'unavailable' }, retryable: true } })
    expect(answer.text).not.toMatch(/127\.0\.0\.1|nonexistent|ECONN|ENOENT/)
  })

  test.each([
    ['hangs up', true],
    ['never answers', false],
  ])('answers 503 when the server %s', async (_, hangsUp) => {
    const sockets = new Set<{ destroy(): void }>()
    const silent = createServer((socket) => {
      sockets.add(socket)
      if (hangsUp) socket.destroy()
    })
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    const { port } = silent.address() as { port: number }
    try {
      const server = await startTestServer(failing(() => pool({ host: '127.0.0.1', port }).query('select 1')))
      expect((await server.call('GET', '/v1/fail')).status).toBe(503)
    } finally {
      for (const socket of sockets) socket.destroy()
      silent.close()
    }
  })

  test.each(['57P01', '57P03', '08006', '53300', '25006'])('answers 503 for SQLSTATE %s', async (sqlState) => {
    const error = Object.assign(new pg.DatabaseError('gone', 4, 'error'), { code: sqlState, severity: 'FATAL' })
    const server = await startTestServer(throws(error))
    expect((await server.call('GET', '/v1/fail')).status).toBe(503)
  })

  test.each(['40001', '40P01'])('asks to send a request again that met another one: SQLSTATE %s', async (sqlState) => {
    const error = Object.assign(new pg.DatabaseError('gone', 4, 'error'), { code: sqlState, severity: 'FATAL' })
    const server = await startTestServer(throws(error))
    expect(await server.call('GET', '/v1/fail')).toMatchObject({
      status: 503,
      body: { context: { code: 'contended' }, retryable: true },
    })
  })

  test.each([
    Object.assign(new pg.DatabaseError('duplicate key', 4, 'error'), { code: '23505', severity: 'ERROR' }),
    Object.assign(new Error('no such file'), { code: 'ENOENT', syscall: 'open' }),
  ])('is not what every error with a code means: %s', async (error) => {
    const server = await startTestServer(throws(error))
    expect((await server.call('GET', '/v1/fail')).status).toBe(500)
  })
})
