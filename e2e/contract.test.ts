import { Validator } from '@seriousme/openapi-schema-validator'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { apiEndpoints, commonEndpoints } from '../packages/server/src/features/index.ts'
import { type Endpoint, permissions } from '../packages/server/src/kernel/http/index.ts'
import { pathParameters } from '../packages/server/src/kernel/http/routes.ts'
import type { ExampleRequest, Exchange, MakeExchange } from '../packages/server/src/testkit/cases.ts'
import { loadCases } from '../packages/server/src/testkit/load-cases.ts'
import { type Ids, pathOf } from '../packages/server/src/testkit/tenant.ts'
import { createWorld, type World } from '../packages/server/src/testkit/world.ts'
import { type Checker, createChecker, type Document, type ReceivedAnswer } from './contract/checker.testkit.ts'
import { keepExample, writeExamples } from './contract/examples.testkit.ts'

/**
 * Every declared endpoint, called over HTTP: once well, once in vain. Requests and answers are held against the
 * OpenAPI document as the service serves it. The requests stand beside the endpoints in `NAME.cases.ts`.
 *
 * With MORTISE_WRITE_EXAMPLES=1 what was sent and answered becomes the examples of the document.
 */
const cases = await loadCases()
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

function paramsOf({ declaration }: Endpoint, ids: Ids, params: Record<string, string> = {}): Record<string, string> {
  const known: Record<string, string> = { ...ids, ...params }
  return Object.fromEntries(pathParameters(declaration.path).map((name) => [name, known[name] ?? 'none']))
}

/** Who calls unless the cases say otherwise: the project's key, or an owner where keys may not. */
function credential({ declaration: { access } }: Endpoint): Record<string, string> {
  if (access === 'public') return {}
  return permissions[access].fullKey === 'allow' ? { 'x-api-key': world.app.apiKey } : world.tenant.owner
}

async function send(endpoint: Endpoint, request: ExampleRequest, ids: Ids, headers: Record<string, string>) {
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

async function exchange(endpoint: Endpoint, make?: MakeExchange) {
  const { id } = endpoint.declaration
  const sample = make ?? cases.request(id, world.tenant.ids, world.crm.url)
  const request: ExampleRequest | Exchange = typeof sample === 'function' ? await sample(world) : sample
  if (!request.answer) return send(endpoint, request, world.tenant.ids, credential(endpoint))
  const { query = {}, body, answer } = request
  return { sent: { params: {}, query, ...(body !== undefined && { body }) }, received: answer }
}

it('the document is valid OpenAPI 3.1', async () => {
  const result = await new Validator().validate(structuredClone(document) as never)
  expect(result.errors).toBeUndefined()
  expect(result.valid).toBe(true)
})

describe('an answer to a good request is as the document tells', () => {
  afterAll(() => writeExamples(world))

  it.each(endpoints.map((endpoint) => [endpoint.declaration.id, endpoint] as const))('%s', async (id, endpoint) => {
    const { status, example } = cases.of(id)
    const expected = example?.status ?? status
    const { sent, received } = await exchange(endpoint, example?.request)
    expect(received.status, received.text.slice(0, 1_000)).toBe(expected)
    const path = endpoint.declaration.path
    if (Object.keys(sent.params).length > 0 || !path.includes('{')) expect(checker.requestFaults(id, sent)).toEqual([])
    expect(checker.answerFaults(id, received)).toEqual([])
    keepExample(id, sent, received)
  })
})

describe('a refusal is a declared problem', () => {
  it.each(endpoints.map((endpoint) => [endpoint.declaration.id, endpoint] as const))('%s', async (id, endpoint) => {
    const { access, path } = endpoint.declaration
    const { status, refused } = cases.of(id)
    if (access !== 'public') {
      const request = cases.request(id, world.tenant.ids, world.crm.url)
      const { received } = await send(endpoint, request, world.tenant.ids, {})
      expect(received.status).toBe(401)
      expect(checker.answerFaults(id, received)).toEqual([])
      if (!/\{(?!projectIdOrName|orgId|objectName)\w+\}/.test(path)) return
      const missing = await send(endpoint, request, world.tenant.missing, credential(endpoint))
      expect(missing.received.status, missing.received.text).toBeGreaterThanOrEqual(400)
      expect(checker.answerFaults(id, missing.received)).toEqual([])
    } else if (refused !== 'never') {
      if (!refused && status < 400) throw new Error(`The cases of ${id} must say what it refuses.`)
      const { received } = await exchange(endpoint, refused?.request)
      expect(received.status, received.text.slice(0, 500)).toBe(refused?.status ?? status)
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
