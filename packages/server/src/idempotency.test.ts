import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { sql } from 'kysely'
import pg from 'pg'
import { Type } from 'typebox'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { retentionTicks } from './features/platform/retention/index.ts'
import {
  Contended,
  createIdempotency,
  deleteOldIdempotencyKeys,
  Empty,
  endpoint,
  Forbidden,
  ProjectPath,
  RateLimited,
  type Reply,
  reply,
  Unavailable,
} from './kernel/http/index.ts'
import { startTestServer, type TestServer } from './kernel/http/test-server.testkit.ts'
import { startTestApp, startTestNode, type TestAnswer, type TestApp } from './testkit/test-app.ts'
import { signInBuilder } from './testkit/test-builder.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ env: { MORTISE_ROLES: 'api' } })
})
afterAll(() => app?.stop())

let key: string
let name: string
beforeEach(() => {
  key = randomUUID()
  name = `hook-${key}`
})

interface Body {
  id: string
  requestId: string
  context: { code: string }
  issues: { in: string; name: string }[]
}
const path = '/projects/default/destinations'
const hook = (more: object = {}) => ({ name, type: 'webhook', metadata: { url: 'https://203.0.114.5/hook' }, ...more })
const post = (
  body: unknown = hook(),
  {
    to = app,
    headers = {},
    ...options
  }: { to?: TestApp; apiKey?: string | null; headers?: Record<string, string> } = {},
): Promise<TestAnswer<Body>> =>
  to.call('POST', path, body, { ...options, headers: { 'idempotency-key': key, ...headers } })
const made = async (): Promise<number> => {
  const { rows } = await sql`select from destinations where name = ${name}`.execute(app.testDatabase.database.system)
  return rows.length
}
const system = () => app.testDatabase.database.system
const isReplay = ({ headers }: TestAnswer) => headers.get('idempotency-replayed') === 'true'

describe('a request that comes again with its key', () => {
  it('takes effect once, and is answered what the first was', async () => {
    const first = await post()
    const second = await post()
    expect([first.status, isReplay(first), second.status, isReplay(second)]).toEqual([201, false, 201, true])
    expect(second.body).toEqual(first.body)
    expect(second.headers.get('content-type')).toBe(first.headers.get('content-type'))
    expect(second.headers.get('x-request-id')).not.toBe(first.headers.get('x-request-id'))
    expect(await made()).toBe(1)
  })

  it('takes effect once when a thousand come at the same moment', async () => {
    const answers = await Promise.all(Array.from({ length: 1_000 }, () => post()))
    const firsts = answers.filter((answer) => answer.status === 201 && !isReplay(answer))
    const replays = answers.filter((answer) => answer.status === 201 && isReplay(answer))
    const waiting = answers.filter(({ status }) => status === 409)
    expect(firsts).toHaveLength(1)
    expect(replays.length + waiting.length).toBe(999)
    expect(new Set([...firsts, ...replays].map(({ body }) => body.id)).size).toBe(1)
    for (const { body } of waiting)
      expect(body).toMatchObject({ retryable: true, context: { code: 'idempotency-key-in-use' } })
    expect(await made()).toBe(1)
    expect(isReplay(await post())).toBe(true)
  })

  it('is refused with another body, path, query or method', async () => {
    expect((await post()).status).toBe(201)
    const headers = { 'idempotency-key': key }
    const rotate = (query: string) =>
      app.call<Body>('POST', `${path}/${name}:rotateSecret${query}`, undefined, {
        headers: { 'idempotency-key': `${key}-2` },
      })
    expect((await rotate('')).status).toBe(200)
    for (const answer of [
      await post(hook({ name: `${name}-2` })),
      await post(` ${JSON.stringify(hook())}`),
      await rotate('?includeSecrets=true'),
      await app.call<Body>('PATCH', `${path}/${name}`, { destination: {}, updateMask: ['name'] }, { headers }),
    ])
      expect([answer.status, answer.body.context.code]).toEqual([422, 'idempotency-key-reused'])
  })

  it('is answered by another node, and after a restart', async () => {
    const first = await post()
    const node = await startTestNode(app, { MORTISE_ROLES: 'api' })
    try {
      const again = await post(hook(), { to: node })
      expect([again.status, isReplay(again), again.body]).toEqual([201, true, first.body])
    } finally {
      await node.stop()
    }
  })

  it('is told of a refusal that would be the same again, and which request it was', async () => {
    await app.call('POST', path, hook())
    const first = await post()
    const second = await post()
    expect(first.body.context.code).toBe('destination-name-taken')
    expect([second.status, second.body, isReplay(second)]).toEqual([first.status, first.body, true])
    expect(second.headers.get('content-type')).toMatch(/^application\/problem\+json/)
  })
})

describe('a key that was not used up', () => {
  it('a request that was not valid used up nothing', async () => {
    expect((await post({ name })).status).toBe(400)
    expect((await post()).status).toBe(201)
  })

  it('who may not call uses up nothing', async () => {
    expect((await post(hook(), { apiKey: app.frontendKey })).status).toBe(403)
    expect((await post(hook(), { apiKey: null })).status).toBe(401)
    const { rows } = await sql`select from idempotency_keys where create_time > now() - interval '1 second'
      and status in (401, 403)`.execute(system())
    expect(rows).toHaveLength(0)
    expect(isReplay(await post())).toBe(false)
  })

  it('a request that failed here may be sent again', async () => {
    const owner = new pg.Client(app.testDatabase.url)
    await owner.connect()
    try {
      await owner.query('alter table mortise.destinations add constraint away check (false) not valid')
      const failed = await post()
      expect([failed.status, isReplay(failed)]).toEqual([500, false])
      await owner.query('alter table mortise.destinations drop constraint away')
      const again = await post()
      expect([again.status, isReplay(again)]).toEqual([201, false])
    } finally {
      await owner.end()
    }
  })
})

describe('a request that never ended', () => {
  it('is never run again: first it may still run, then it is told that it never ended', async () => {
    await post()
    // As a process leaves it that dies before it answers.
    await sql`update idempotency_keys set status = null, encrypted_answer = null`.execute(system())
    const early = await post()
    expect([early.status, early.body.context.code]).toEqual([409, 'idempotency-key-in-use'])
    expect(Number(early.headers.get('retry-after'))).toBeGreaterThanOrEqual(0)
    await sql`update idempotency_keys set create_time = now() - interval '61 seconds'`.execute(system())
    const late = await post()
    expect(late.body).toMatchObject({ status: 409, retryable: false, context: { code: 'idempotency-key-unfinished' } })
    expect(await made()).toBe(1)
    await sql`delete from idempotency_keys`.execute(system())
  })

  it('whose client went away meanwhile keeps its answer', async () => {
    await sql`delete from idempotency_keys`.execute(system())
    const controller = new AbortController()
    const sent = fetch(`${app.url}/v1${path}`, {
      method: 'POST',
      headers: { 'x-api-key': app.apiKey, 'content-type': 'application/json', 'idempotency-key': key },
      body: JSON.stringify(hook()),
      signal: controller.signal,
    })
    await vi.waitFor(async () => {
      const { rows } = await sql`select from idempotency_keys`.execute(system())
      expect(rows).toHaveLength(1)
    }, 20_000)
    controller.abort()
    await sent.catch(() => {})
    await vi.waitFor(async () => expect((await post()).status).toBe(201), 20_000)
    expect(await made()).toBe(1)
  })
})

describe('whose key it is', () => {
  it('projects, scopes and builders have their own', async () => {
    const body = { groupRef: key, consumerRef: key, provider: 'none', apiKey: 'x' }
    const headers = { 'idempotency-key': key }
    const connect = (project: string, options: { apiKey: string | null; headers?: Record<string, string> }) =>
      app.call('POST', `/projects/${project}/connections:generate`, body, {
        ...options,
        headers: { ...headers, ...options.headers },
      })
    const builder = await signInBuilder(app, { email: `a-${key}@example.com`, role: 'developer' })
    const other = await signInBuilder(app, { email: `b-${key}@example.com`, role: 'developer' })
    const callers = [
      ['default', { apiKey: app.apiKey }],
      ['default', { apiKey: app.frontendKey }],
      ['other', { apiKey: app.otherProject.apiKey }],
      ['default', { apiKey: null, headers: builder.headers }],
      ['default', { apiKey: null, headers: other.headers }],
    ] as const
    for (const [project, options] of callers) expect(isReplay(await connect(project, options))).toBe(false)
    for (const [project, options] of callers) expect(isReplay(await connect(project, options))).toBe(true)
  })

  it('what is kept can be read by nobody who reads the table', async () => {
    await post()
    const { rows } = await sql`select * from idempotency_keys`.execute(system())
    const text = JSON.stringify(rows.map((row) => Object.values(row as object).map((value) => `${value}`)))
    for (const part of [key, name, 'webhook', '203.0.114.5']) expect(text).not.toContain(part)
  })
})

it('keys are forgotten after a day', async () => {
  const first = await post()
  await sql`update idempotency_keys set create_time = create_time - interval '23 hours'`.execute(system())
  expect(isReplay(await post())).toBe(true)
  await sql`update idempotency_keys set create_time = create_time - interval '1 hour 1 minute'`.execute(system())
  const again = await post()
  expect([again.body.context?.code, isReplay(again)]).toEqual(['destination-name-taken', false])
  expect(first.status).toBe(201)
  await sql`update idempotency_keys set create_time = create_time - interval '25 hours'`.execute(system())
  expect(await deleteOldIdempotencyKeys(system(), 1)).toBe(1)
  const tick = retentionTicks(app.app.services).find((one) => one.name === 'upkeep.idempotency-keys')
  while (await tick?.run(new AbortController().signal));
  const { rows } = await sql`select from idempotency_keys`.execute(system())
  expect(rows).toHaveLength(0)
})

it.each(['', 'a b', 'ü', 'x'.repeat(256)])('the key %j is refused', async (bad) => {
  const answer = await post(hook(), { headers: { 'idempotency-key': Buffer.from(bad).toString('latin1') } })
  expect(answer.status).toBe(400)
  expect(answer.body.issues).toMatchObject([{ in: 'header', name: 'Idempotency-Key' }])
})

it('a bad key is told together with everything else', async () => {
  const answer = await post({ name: 1 }, { headers: { 'idempotency-key': 'a b' } })
  expect(new Set(answer.body.issues.map((issue) => issue.in))).toEqual(new Set(['header', 'body']))
})

it('what is safe to repeat anyway takes no notice', async () => {
  const { headers } = await app.call('GET', path, undefined, { headers: { 'idempotency-key': key } })
  expect(headers.get('idempotency-replayed')).toBeNull()
  expect((await app.call('GET', path, undefined, { headers: { 'idempotency-key': 'a b' } })).status).toBe(200)
})

describe('answers of other kinds', () => {
  /** Endpoints of this test alone, which keep their answers in the same database. */
  const serve = (id: string, run: () => Promise<Reply>, more: object = {}) =>
    startTestServer(
      [
        endpoint({
          id,
          method: 'POST',
          path: '/projects/{projectIdOrName}/things',
          access: 'develop',
          summary: 'x',
          tag: 'x',
          params: ProjectPath,
          reply: { 204: Empty, 200: Type.String() },
          ...more,
          run: run as never,
        }),
      ],
      {
        authenticate: async () => ({
          caller: { kind: 'apiKey', keyId: 'key', scope: 'full', createdBy: 'builder:1' },
          project: { id: app.projectId, name: 'default', orgId: 'org' },
        }),
        idempotency: createIdempotency({
          database: app.testDatabase.database,
          keyring: app.keyring,
          now: () => new Date(),
          unfinishedAfterMs: 60_000,
        }),
      },
    )
  const send = (server: TestServer) =>
    server.call('POST', '/v1/projects/default/things', { headers: { 'idempotency-key': key } })

  it('an answer without a body is kept', async () => {
    let runs = 0
    const server = await serve('empty', async () => {
      runs++
      return reply(204, null)
    })
    const [first, second] = [await send(server), await send(server)]
    expect([first.status, second.status, second.text, runs]).toEqual([204, 204, '', 1])
    expect(second.headers.get('idempotency-replayed')).toBe('true')
  })

  it('plain text is kept as it is', async () => {
    const server = await serve('text', async () => reply(200, 'https://example.com/a?b'), { produces: 'text/plain' })
    const [first, second] = [await send(server), await send(server)]
    expect([first.text, second.text]).toEqual(['https://example.com/a?b', 'https://example.com/a?b'])
    expect(second.headers.get('content-type')).toBe(first.headers.get('content-type'))
    expect(second.headers.get('idempotency-replayed')).toBe('true')
  })

  it('a stream is not kept: the request runs again', async () => {
    let runs = 0
    const server = await serve(
      'stream',
      async () => {
        runs++
        return reply(200, Readable.from(['a', 'b']))
      },
      { produces: 'text/plain' },
    )
    const [first, second] = [await send(server), await send(server)]
    expect([first.text, second.text, runs]).toEqual(['ab', 'ab', 2])
  })

  it.each([Contended, Unavailable, RateLimited, Forbidden])('%o used up nothing', async (refusal) => {
    let runs = 0
    const server = await serve('refused', async () => {
      if (++runs === 1) throw new refusal()
      return reply(204, null)
    })
    const [first, second] = [await send(server), await send(server)]
    expect([first.status, second.status]).toEqual([refusal.declaration.status, 204])
    expect(second.headers.get('idempotency-replayed')).toBeNull()
  })
})
