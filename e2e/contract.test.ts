import { Validator } from '@seriousme/openapi-schema-validator'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { apiEndpoints, commonEndpoints } from '../packages/server/src/features/index.ts'
import { type Endpoint, permissions } from '../packages/server/src/kernel/http/index.ts'
import { type Checker, createChecker, type Document, type ReceivedAnswer } from './contract/checker.testkit.ts'
import { keepExample, writeExamples } from './contract/examples.testkit.ts'
import { type Request, type Row, rows, type Sent } from './contract/rows.testkit.ts'
import { createWorld, type World } from './contract/world.testkit.ts'
import { calls, type Ids, pathOf } from './tenant.testkit.ts'

/**
 * Every declared endpoint, called over HTTP: once well, once in vain. Requests and answers are held against the
 * OpenAPI document as the service serves it. A new endpoint needs its row in `contract/rows.testkit.ts`.
 *
 * With MORTISE_WRITE_EXAMPLES=1 what was sent and answered becomes the examples of the document.
 */
const endpoints = [...commonEndpoints, ...apiEndpoints] as Endpoint[]
let world: World
let document: Document
let checker: Checker

beforeAll(async () => {
  world = await createWorld()
  document = (await world.app.call<Document>('GET', '/openapi.json', undefined, { apiKey: null })).body
  checker = createChecker(document)
}, 120_000)
afterAll(async () => {
  await world?.stop()
})

const paramsOf = ({ declaration }: Endpoint, ids: Ids, params: Record<string, string> = {}) =>
  Object.fromEntries(
    [...declaration.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [
      name,
      params[name] ?? (ids as unknown as Record<string, string>)[name] ?? 'none',
    ]),
  )

/** Who calls unless the row says otherwise: the project's key, or an owner where keys may not. */
function credential({ declaration: { access } }: Endpoint): Record<string, string> {
  if (access === 'public') return {}
  return permissions[access].fullKey === 'allow' ? { 'x-api-key': world.app.apiKey } : world.tenant.owner
}

async function send(endpoint: Endpoint, request: Request, ids: Ids, headers: Record<string, string>) {
  const { method, path } = endpoint.declaration
  const { body, bytes, query = {} } = request
  const params = paramsOf(endpoint, ids, request.params)
  const answer = await fetch(`${world.app.url}${pathOf(path, { ...ids, ...params } as Ids, query)}`, {
    method,
    redirect: 'manual',
    headers: {
      ...headers,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...request.headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(bytes && { body: new Uint8Array(bytes) }),
  })
  const received: ReceivedAnswer = { status: answer.status, headers: answer.headers, text: await answer.text() }
  return { sent: { params, query, ...(body !== undefined && { body }) }, received }
}

async function exchange(endpoint: Endpoint, make: Row['request'], status: number) {
  const { id } = endpoint.declaration
  const request: Request | Sent = make ? await make(world) : (calls(world.tenant.ids, world.crm.url)[id] ?? {})
  if ('answer' in request) {
    const { query = {}, body, answer } = request as Sent
    return { sent: { params: {}, query, ...(body !== undefined && { body }) }, received: answer }
  }
  const ask = () => send(endpoint, request, world.tenant.ids, credential(endpoint))
  // What the engine brings about takes a moment.
  return id === 'getBackfillProgress'
    ? vi.waitFor(
        async () => {
          const asked = await ask()
          expect(asked.received.status, asked.received.text).toBe(status)
          return asked
        },
        { timeout: 60_000, interval: 100 },
      )
    : ask()
}

it('every endpoint has its row, and no row is left over', () => {
  expect(Object.keys(rows).toSorted()).toEqual(endpoints.map(({ declaration: { id } }) => id).toSorted())
})

it('the document is valid OpenAPI 3.1', async () => {
  const result = await new Validator().validate(structuredClone(document) as never)
  expect(result.errors).toBeUndefined()
  expect(result.valid).toBe(true)
})

const inOrder = Object.keys(rows).flatMap((id) => endpoints.filter(({ declaration }) => declaration.id === id))

describe('an answer to a good request is as the document tells', () => {
  it.each(inOrder.map((endpoint) => [endpoint.declaration.id, endpoint] as const))('%s', async (id, endpoint) => {
    const { status, request } = rows[id]!
    const { sent, received } = await exchange(endpoint, request, status)
    expect(received.status, received.text.slice(0, 1_000)).toBe(status)
    const path = endpoint.declaration.path
    if (Object.keys(sent.params).length > 0 || !path.includes('{')) expect(checker.requestFaults(id, sent)).toEqual([])
    expect(checker.answerFaults(id, received)).toEqual([])
    keepExample(id, sent, received)
  })

  it('and becomes an example', () => writeExamples(world))
})

describe('a refusal is a declared problem', () => {
  it.each(endpoints.map((endpoint) => [endpoint.declaration.id, endpoint] as const))('%s', async (id, endpoint) => {
    const { access, path } = endpoint.declaration
    const { refused } = rows[id]!
    if (access !== 'public') {
      const request = calls(world.tenant.ids, world.crm.url)[id] ?? {}
      const { received } = await send(endpoint, request, world.tenant.ids, {})
      expect(received.status).toBe(401)
      expect(checker.answerFaults(id, received)).toEqual([])
      if (!/\{(?!projectIdOrName|orgId|objectName)\w+\}/.test(path)) return
      const missing = await send(endpoint, request, world.tenant.missing, credential(endpoint))
      expect(missing.received.status, missing.received.text).toBeGreaterThanOrEqual(400)
      expect(checker.answerFaults(id, missing.received)).toEqual([])
    } else if (refused !== 'never') {
      if (!refused) throw new Error(`the row of ${id} must say what is refused`)
      const { received } = await exchange(endpoint, refused.request, refused.status)
      expect(received.status, received.text.slice(0, 500)).toBe(refused.status)
      expect(checker.answerFaults(id, received)).toEqual([])
    }
  })
})

describe('examples of the document', () => {
  it.each(endpoints.map(({ declaration }) => declaration))('$id', ({ id, body, reply, produces }) => {
    const { requestBody, responses } = checker.operation(id)
    const hasExample = (part: { content?: Record<string, { examples?: object }> } | undefined) =>
      Object.values(part?.content ?? {}).some(({ examples }) => examples !== undefined)
    if (body) expect(hasExample(requestBody), 'MORTISE_WRITE_EXAMPLES=1 vitest run e2e/contract.test.ts').toBe(true)
    const hasBody = Object.entries(reply).some(
      ([status, schema]) => Number(status) < 300 && (schema as { type?: string }).type !== 'null',
    )
    const answers = Object.entries(responses).flatMap(([status, answer]) => (Number(status) < 300 ? [answer] : []))
    if (hasBody && (!produces || produces === 'application/json'))
      expect(answers.some(hasExample), `${id} has an example`).toBe(true)
    expect(checker.exampleFaults(id)).toEqual([])
  })

  it('of webhooks fit their schemas', () => {
    expect(checker.webhookFaults()).toEqual([])
  })
})
