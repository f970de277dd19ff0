import { type SaasApp, startSaasApp } from '@mortise-examples/saas-app'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ReadingKit, startReadingKit } from '../packages/server/src/features/sync/reading/reading.testkit.ts'

/** The server of the example product, against the real service. */

const secret = `whsec_${Buffer.from('the secret of the destination').toString('base64')}`
let kit: ReadingKit
let app: SaasApp
beforeAll(async () => {
  kit = await startReadingKit({ contacts: 10 })
  app = await startSaasApp({ mortiseUrl: kit.app.url, apiKey: kit.app.apiKey, webhookSecret: secret })
})
afterAll(async () => {
  await app?.close()
  // Kept by the client of the example, for as long as a test server keeps connections.
  kit?.app.app.http.server.closeAllConnections()
  await kit?.stop()
})

const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(app.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin', ...headers },
    body: JSON.stringify(body),
  })

describe('sessions', () => {
  test('are of the customer who is signed in, whatever the page asks for', async () => {
    const answer = await post(
      '/api/connect-session',
      { purpose: 'manage', groupRef: 'acme', consumerRef: 'ada' },
      { cookie: 'harbor_customer=globex' },
    )
    const { token, url } = (await answer.json()) as { token: string; url: string }
    expect([token, url]).toEqual([expect.stringMatching(/^connect_/), expect.stringContaining('/connect/')])
    const { body } = await kit.app.call<{ groupRef: string }[]>('GET', '/projects/default/connections', undefined, {
      apiKey: null,
      headers: { authorization: `Bearer ${token}` },
    })
    expect(body).toEqual([])
    const { status } = await kit.app.call('GET', '/projects/default/connections?groupRef=acme', undefined, {
      apiKey: null,
      headers: { authorization: `Bearer ${token}` },
    })
    expect(status).toBe(403)
  })

  test('are not for pages of other origins', async () => {
    const headers = { 'sec-fetch-site': 'cross-site' }
    expect((await post('/api/connect-session', {}, headers)).status).toBe(403)
    expect((await post('/api/customer', { id: 'globex' }, headers)).status).toBe(403)
  })
})

test('no page and no answer holds the API key', async () => {
  for (const path of [
    '/',
    '/integrations',
    '/messages',
    '/react',
    '/integrations.js',
    '/app.js',
    '/api/me',
    '/api/data',
  ])
    expect(await (await fetch(app.url + path)).text(), path).not.toContain(kit.app.apiKey)
})

describe('webhooks', () => {
  const message = (id: string, city: string) => ({
    action: 'read',
    groupRef: 'acme',
    rawObjectName: 'contacts',
    resultInfo: { type: 'inline', numRecords: 1 },
    result: [
      {
        fields: { email: 'ada@example.com' },
        mappedFields: { city, lifecycle: 'lead' },
        raw: { id, first_name: 'Ada', last_name: 'L' },
      },
    ],
  })
  async function deliver(id: string, body: object, key = secret): Promise<number> {
    const text = JSON.stringify(body)
    const time = new Date()
    const headers = {
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(time.getTime() / 1000)),
      'webhook-signature': new Webhook(key).sign(id, time, text),
    }
    return (await fetch(app.webhookUrl, { method: 'POST', headers, body: text })).status
  }

  test('with a valid signature are stored, once', async () => {
    expect(await deliver('m1', message('con_1', 'Rome'))).toBe(204)
    expect(await deliver('m1', message('con_1', 'Oslo'))).toBe(204)
    expect(app.dataOf('acme')).toMatchObject({
      contactCount: 1,
      contacts: [{ id: 'con_1', name: 'Ada L', email: 'ada@example.com', city: 'Rome', lifecycle: 'lead' }],
      messages: [{ what: 'read contacts', records: 1 }],
    })
    expect(app.dataOf('globex').contactCount).toBe(0)
  })

  test('with another signature are refused', async () => {
    const other = `whsec_${Buffer.from('another secret').toString('base64')}`
    expect(await deliver('m2', message('con_2', 'Rome'), other)).toBe(401)
    expect(app.dataOf('acme').contactCount).toBe(1)
  })
})
