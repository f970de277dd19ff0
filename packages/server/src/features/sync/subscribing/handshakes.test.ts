import { createHmac } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type SubscribingKit, startSubscribingKit } from './subscribing.testkit.ts'

let kit: SubscribingKit
beforeAll(async () => {
  kit = await startSubscribingKit()
  const oauth = { clientId: 'client', clientSecret: 'secret' }
  for (const provider of ['hookCheck', 'hookApp']) {
    const metadata = { providerParams: { signingSecret: `signing ${provider}` } }
    await kit.call('POST', '/provider-apps', { provider, ...oauth, metadata })
    await kit.deploy(provider, [{ objectName: 'contacts', destination: 'hook' }], provider)
  }
})
afterAll(async () => {
  await kit.stop()
})

async function send(
  method: string,
  { integration = 'hookCheck', query = '', headers = {} as Record<string, string>, body = '' },
) {
  const url = `${kit.app.url}/subscribe/v1/projects/${kit.app.projectId}/integrations/${integration}${query}`
  const answer = await fetch(url, { method, headers, ...(method === 'POST' && { body }) })
  return {
    status: answer.status,
    text: await answer.text(),
    type: answer.headers.get('content-type'),
    secret: answer.headers.get('x-hook-secret'),
    sniff: answer.headers.get('x-content-type-options'),
  }
}

it('a provider that checks the URL by GET gets its text, and nothing that a browser would run', async () => {
  expect(await send('GET', { query: '?challenge=%3Cscript%3E' })).toMatchObject({
    status: 200,
    text: '<script>',
    type: 'text/plain; charset=utf-8',
    sniff: 'nosniff',
  })
  expect(await send('GET', { headers: { 'x-check': 'c"d' } })).toMatchObject({
    status: 200,
    text: '{"check":"c\\"d"}',
    type: expect.stringMatching(/^application\/json/),
  })
  expect(await send('HEAD', { query: '?challenge=c' })).toMatchObject({ status: 200, text: '' })
})

it('a check that the provider does not send looks like a URL of nobody', async () => {
  const statuses = await Promise.all([
    send('GET', {}),
    send('GET', { query: `?challenge=${'x'.repeat(2_049)}` }),
    send('GET', { integration: 'hookApp', query: '?challenge=c' }),
    send('GET', { integration: 'nobody', query: '?challenge=c' }),
  ])
  expect(statuses.map(({ status }) => status)).toEqual([404, 404, 404, 404])
})

it('an unsigned request gets its own text back, and is noted, but no event is', async () => {
  const hello = await send('POST', { body: '{"type":"hello","challenge":"c"}' })
  expect(hello).toMatchObject({ status: 200, text: '{"challenge":"c"}' })
  expect(hello.type).toMatch(/^application\/json/)
  expect(await send('POST', { headers: { 'x-hook-secret': 'abc' } })).toMatchObject({
    status: 200,
    text: '',
    secret: 'abc',
  })
  expect(await send('POST', { headers: { 'x-hook-secret': 'a b' } })).toMatchObject({ status: 401, secret: null })
  expect(await send('POST', { body: '{"type":"made","recordId":"1"}' })).toMatchObject({ status: 401 })
  expect(await send('POST', { body: `{"type":"hello","challenge":"c","more":"${'x'.repeat(5_000)}"}` })).toMatchObject({
    status: 401,
  })
  const { rows } = await sql`select from inbound_events`.execute(kit.app.db.sql)
  expect(rows).toHaveLength(0)
})

it('only a signed request has a text signed, with the key of its own app', async () => {
  const other = { providerParams: { signingSecret: 'another app' } }
  const app = { provider: 'hookCheck', clientId: 'other', clientSecret: 'secret', metadata: other }
  await kit.call('POST', '/provider-apps', app)
  const ask = { type: 'sign', text: 'plain' }
  for (const secret of ['signing hookCheck', 'another app']) {
    const signed = createHmac('sha256', secret).update('plain').digest('hex')
    await kit.until(async () => (await kit.sendToApp('hookCheck', ask, secret)).status === 200)
    expect(await kit.sendToApp('hookCheck', ask, secret)).toMatchObject({ text: JSON.stringify({ signed }) })
  }
  expect(await kit.sendToApp('hookCheck', ask, 'guessed')).toMatchObject({ status: 401 })
})
