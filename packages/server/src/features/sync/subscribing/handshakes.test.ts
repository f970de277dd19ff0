import { createHmac } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type SubscribingKit, startSubscribingKit } from './subscribing.testkit.ts'

let kit: SubscribingKit
beforeAll(async () => {
  kit = await startSubscribingKit()
  const oauth = { clientId: 'client', clientSecret: 'secret' }
  for (const provider of ['hookCheck', 'hookApp']) {
    const metadata = { providerParams: { signingSecret: `signing ${provider}`, verifyToken: 'our-token' } }
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

it('a check with a token gets its text for the token of the app only, which no response contains', async () => {
  const check = (token: string) => send('GET', { query: `?hub.challenge=c&hub.verify_token=${token}` })
  expect(await check('our-token')).toMatchObject({ status: 200, text: 'c' })
  expect(await check('guessed')).toMatchObject({ status: 404 })
  expect(await check('')).toMatchObject({ status: 404 })
  const apps = await kit.call<{ provider: string; metadata: object }[]>('GET', '/provider-apps')
  expect(JSON.stringify(apps.filter(({ provider }) => provider === 'hookCheck'))).not.toContain('our-token')
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

it('a provider checks the URL while it registers a webhook, and its secret is in the response to another request', async () => {
  const { publicUrl } = kit.app.app.services
  const checks: unknown[] = []
  kit.onRegister(async ({ callback }) => {
    const to = callback.replace(publicUrl, kit.app.url)
    const got = await fetch(`${to}&challenge=c`)
    const posted = await fetch(to, { method: 'POST', headers: { 'x-hook-secret': 'abc' }, body: '{}' })
    checks.push([got.status, await got.text()], [posted.status, posted.headers.get('x-hook-secret')])
  })
  const objects = [{ objectName: 'contacts', destination: 'hook', createEvent: { enabled: 'always' } }]
  const { id } = await kit.install({ provider: 'hookConfirmed', objects })
  const hook = await kit.hookOf(id)
  await kit.until(() => kit.asked.includes(`POST /hooks/${hook.id}/confirm`))
  expect(checks).toEqual([
    [200, '{"check":"c"}'],
    [200, 'abc'],
  ])
  const made = { type: 'made', recordId: '1', eventId: 'e1', record: { id: '1' } }
  await kit.until(async () => (await kit.send(hook, [made])) === 200)
  expect(await kit.send({ ...hook, secret: 'guessed' }, [made])).toBe(401)
  await kit.until(() => kit.entries(id).length > 0)
})

it('an event in a form is stored as JSON', async () => {
  const path = `/subscribe/v1/projects/${kit.app.projectId}/integrations/hookApp`
  const body = 'type=made&account=acme&recordId=5&__proto__=x'
  const text = `POST${kit.app.app.services.publicUrl}${path}${body}`
  const signature = createHmac('sha256', 'signing hookApp').update(text).digest('base64')
  const post = (type: string, of = body) =>
    fetch(`${kit.app.url}${path}`, {
      method: 'POST',
      headers: { 'x-app-signature': signature, 'content-type': type },
      body: of,
    })
  expect((await post('text/plain')).status).toBe(400)
  expect((await post('application/x-www-form-urlencoded', `${body}0`)).status).toBe(401)
  expect((await post('application/x-www-form-urlencoded; charset=utf-8')).status).toBe(200)
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from inbound_keys where project_id = ${kit.app.projectId}`.execute(kit.app.db.sql)
  expect(rows[0]?.n).toBeGreaterThan(0)
})

it('a secret in the body is not delivered with the event', async () => {
  const objects = [{ objectName: 'contacts', destination: 'hook', createEvent: { enabled: 'always' } }]
  const { id } = await kit.install({ provider: 'hookBody', objects })
  const hook = await kit.hookOf(id)
  const made = { type: 'made', recordId: '1', eventId: 'e1', record: { id: '1' } }
  const post = (token: string) => kit.send(hook, [], { body: JSON.stringify({ token, ...made }) })
  await kit.until(async () => (await post(hook.secret)) === 200)
  expect(await post('guessed')).toBe(401)
  const [entry] = await kit.until(() => kit.entries(id).length > 0 && kit.entries(id))
  expect(entry).toMatchObject({ subscribeEventType: 'create', rawEvent: made })
  expect(JSON.stringify(kit.delivered)).not.toContain(hook.secret)
})
