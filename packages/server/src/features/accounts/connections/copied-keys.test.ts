import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../../../testkit/test-app.ts'

let app: TestApp
beforeAll(async () => {
  // No worker: no provider is asked.
  app = await startTestApp({ env: { MORTISE_ROLES: 'api' } })
})
afterAll(async () => {
  await app?.stop()
})

interface Body {
  id: string
  apiKey: string
  issues: { name: string; detail: string; value?: unknown }[]
}

const generate = (apiKey: string, groupRef = 'acme') =>
  app.call<Body>('POST', '/projects/default/connections:generate', {
    groupRef,
    consumerRef: 'ada',
    provider: 'stripe',
    apiKey,
  })
const update = (id: string, apiKey: string) =>
  app.call<Body>('PATCH', `/projects/default/connections/${id}`, { updateMask: ['apiKey'], connection: { apiKey } })
const storedKey = async (id: string) =>
  (await app.call<Body>('GET', `/projects/default/connections/${id}?includeCreds=true`)).body.apiKey

test('spaces and line breaks around a copied API key are left out', async () => {
  const { status, body } = await generate(' \tkey-1\r\n')
  expect(status).toBe(201)
  expect(body.apiKey).toBe('key-1')
  expect(await storedKey(body.id)).toBe('key-1')
  expect((await update(body.id, 'key-2\n')).status).toBe(200)
  expect(await storedKey(body.id)).toBe('key-2')
})

test.each(['key-\n1', 'key-\r\nX-Other: 1', 'key-\u007f', 'key-€'])(
  'an API key that no request can have is refused: %j',
  async (apiKey) => {
    const refused = await generate(apiKey)
    const detail = 'The key contains a line break or a character that headers cannot have.'
    expect(refused.status).toBe(400)
    expect(refused.body.issues).toMatchObject([{ in: 'body', name: 'apiKey', detail }])
    expect(JSON.stringify(refused.body)).not.toContain('key-')

    const { body } = await generate('key-1')
    const unchanged = await update(body.id, apiKey)
    expect(unchanged.status).toBe(400)
    expect(unchanged.body.issues).toMatchObject([{ in: 'body', name: 'connection.apiKey', detail }])
    expect(await storedKey(body.id)).toBe('key-1')
  },
)

test.each([' ', '\n'])('an API key of spaces alone is none: %j', async (apiKey) => {
  const { status, body } = await generate(apiKey, 'globex')
  expect(status).toBe(400)
  expect(body.issues).toMatchObject([{ detail: expect.stringContaining('takes: apiKey') }])
  const { id } = (await generate('key-1')).body
  expect((await update(id, apiKey)).body.issues).toMatchObject([{ name: 'updateMask[0]' }])
})
