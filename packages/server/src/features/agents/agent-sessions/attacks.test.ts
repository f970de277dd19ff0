import { hash } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { publicPath } from '../../../kernel/http/routes.ts'
import { openBrowser } from '../../../testkit/browser.ts'
import { startTestApp, type TestApp } from '../../../testkit/test-app.ts'
import { createSigner } from '../../../testkit/test-consumer.ts'
import { apiEndpoints } from '../../index.ts'
import { newSecret } from './secrets.ts'
import { callback, type SignInKit, startSignInKit } from './sign-in.testkit.ts'

const publicUrl = 'https://mortise.example'
const evil = 'https://evil.example/cb'

let app: TestApp
let kit: SignInKit
/** The same for another tenant. */
let other: SignInKit
beforeAll(async () => {
  app = await startTestApp({ env: { MORTISE_ROLES: 'api', MORTISE_PUBLIC_URL: publicUrl } })
  kit = await startSignInKit(app, publicUrl)
  const { id: project, apiKey } = app.otherProject
  other = await startSignInKit(app, publicUrl, { project, apiKey })
})
afterAll(() => app?.stop())

const listing = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} })
const listTools = async (mcp: string, token: string) =>
  (
    await kit.fetch(mcp, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: listing,
    })
  ).status

/** Signs in requests that nobody has finished, by status. */
async function signIns(): Promise<number> {
  const { rows } = await sql<{ n: number }>`select count(*)::int as n from agent_sign_ins`.execute(app.db.sql)
  return rows[0]?.n ?? 0
}

describe('the authorization endpoint refuses, without a redirect and without a row,', () => {
  test.each([
    ['a client that is unknown', { client_id: 'nobody' }, 'not registered'],
    ['no client', { client_id: undefined }, 'client_id is missing'],
    ['another redirect URI', { redirect_uri: evil }, 'redirect_uri is not'],
    ['another path', { redirect_uri: 'http://127.0.0.1:41000/callback/x' }, 'redirect_uri is not'],
    ['no redirect URI', { redirect_uri: undefined }, 'redirect_uri is missing'],
    ['a script as redirect URI', { redirect_uri: 'javascript:alert(1)' }, 'redirect_uri is not'],
    ['no PKCE', { code_challenge: undefined, code_challenge_method: undefined }, 'PKCE is required'],
    ['plain PKCE', { code_challenge_method: 'plain' }, 'must be S256'],
    ['a method that is missing', { code_challenge_method: undefined }, 'must be S256'],
    ['an implicit grant', { response_type: 'token' }, 'response_type must be code'],
    ['no resource', { resource: undefined }, 'resource must be'],
    ['a foreign resource', { resource: 'https://other.example/mcp' }, 'resource must be'],
    ['a resource with a query', { resource: `${publicUrl}/mcp/v1/projects/default?x=1` }, 'resource must be'],
    ['a state that is no text', { state: 'a\r\nb' }, 'state is too long'],
    ['a response in a fragment', { response_mode: 'fragment' }, 'response_mode must be query'],
  ])('%s', async (_, change, sentence) => {
    const clientId = await kit.register()
    const before = await signIns()
    const { shown } = await kit.authorize(clientId, { change })
    expect([shown.status, shown.location]).toEqual([400, null])
    expect(shown.text).toContain(sentence)
    expect(shown.text).not.toContain('evil.example')
    expect(shown.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(await signIns()).toBe(before)
  })

  test('a parameter that is repeated', async () => {
    const clientId = await kit.register()
    const { shown } = await kit.authorize(clientId)
    const url = `${shown.url}&redirect_uri=${encodeURIComponent(evil)}`
    const again = await openBrowser(app.url).get(url)
    expect([again.status, again.location]).toEqual([400, null])
  })

  test('the resource of another project, and names all that is wrong', async () => {
    const clientId = await kit.register()
    const change = { resource: other.mcp, response_type: 'x', code_challenge: 'y' }
    const { shown } = await kit.authorize(clientId, { change })
    for (const name of ['resource', 'response_type', 'code_challenge']) expect(shown.text).toContain(name)
  })

  test('the client of another project', async () => {
    const { shown } = await other.authorize(await kit.register(), { change: { resource: other.mcp } })
    expect([shown.status, shown.location]).toEqual([400, null])
  })

  test('a name that is HTML', async () => {
    const clientId = await kit.register({ client_name: '<script>alert(1)</script>', redirect_uris: [callback] })
    const { shown } = await kit.authorize(clientId, { change: { resource: undefined } })
    expect(shown.text).not.toContain('<script')
    expect(shown.text).toContain('error&#61;invalid_target')
  })

  test('HEAD, which stores nothing', async () => {
    const clientId = await kit.register()
    const { shown } = await kit.authorize(clientId)
    const before = await signIns()
    const answer = await fetch(shown.url, { method: 'HEAD', redirect: 'manual' })
    expect(answer.status).toBe(400)
    expect(await signIns()).toBe(before)
  })
})

describe('the way back through the browser', () => {
  test('has a cookie of this host alone', async () => {
    const { browser } = await kit.begin()
    expect([...browser.cookies.keys()]).toEqual(['__Host-mortise_agent'])
    expect(browser.attributes.get('__Host-mortise_agent')).toBe('Path=/; HttpOnly; SameSite=Lax; Max-Age=600; Secure')
  })

  test('ends the sign-in in the browser of another person, whose link was sent around', async () => {
    const { id, browser } = await kit.begin()
    const back = await kit.complete(id)
    const victim = await kit.begin()
    const shown = await kit.follow(victim.browser, back)
    expect([shown.status, shown.location]).toEqual([400, null])
    const late = await kit.follow(browser, back)
    expect([late.status, late.location]).toEqual([400, null])
  })

  test('needs the ticket, which the browser that began does not know', async () => {
    const { id, browser } = await kit.begin()
    await kit.complete(id)
    for (const query of [`request=${id}`, `request=${id}&ticket=${newSecret()}`, `request=${id}&ticket=x`, ''])
      expect((await kit.follow(browser, `${kit.oauth}/continue?${query}`)).status, query).toBe(400)
  })

  test('works once', async () => {
    const { id, browser } = await kit.begin()
    const back = await kit.complete(id)
    expect((await fetch(back.replace(publicUrl, app.url), { method: 'HEAD', redirect: 'manual' })).status).toBe(400)
    expect((await kit.follow(browser, back)).status).toBe(303)
    expect((await kit.follow(browser, back)).status).toBe(400)
  })

  test('does not work at another project, nor after ten minutes', async () => {
    const { id, browser } = await kit.begin()
    const back = await kit.complete(id)
    const foreign = back.replace(app.projectId, app.otherProject.id)
    expect((await kit.follow(browser, foreign)).status).toBe(400)
    app.clock.advance(11 * 60_000)
    expect((await kit.follow(browser, back)).status).toBe(400)
    app.clock.set(new Date())
  })

  test('tells the client of a refusal', async () => {
    const { id, browser } = await kit.begin()
    const path = `/projects/${app.projectId}/agent-sign-ins/${id}:refuse`
    const refused = await app.call<{ redirectUrl: string }>('POST', path)
    const shown = await kit.follow(browser, refused.body.redirectUrl)
    const answer = new URL(shown.location ?? '')
    expect(answer.searchParams.get('error')).toBe('access_denied')
    expect(answer.searchParams.get('code')).toBeNull()
    expect(answer.searchParams.get('state')).toBe('the state')
  })
})

describe('a sign-in', () => {
  const complete = (id: string, project = app.projectId, apiKey = app.apiKey) =>
    app.call<{ context: { code: string } }>(
      'POST',
      `/projects/${project}/agent-sign-ins/${id}:complete`,
      { groupRef: 'acme', consumerRef: 'ada' },
      { apiKey },
    )

  test('is completed once, also by two requests at the same time', async () => {
    const { id } = await kit.begin()
    const answers = await Promise.all([complete(id), complete(id)])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409])
    expect((await complete(id)).body.context.code).toBe('agent-sign-in-decided')
  })

  test('of another project looks like none', async () => {
    const { id } = await kit.begin()
    const { id: project, apiKey } = app.otherProject
    expect((await complete(id, project, apiKey)).status).toBe(404)
    expect((await app.call('GET', `/projects/${project}/agent-sign-ins/${id}`, undefined, { apiKey })).status).toBe(404)
    expect((await complete('nothing')).status).toBe(404)
    expect((await complete(id)).status).toBe(200)
  })

  test('expires', async () => {
    const { id } = await kit.begin()
    app.clock.advance(11 * 60_000)
    const answer = await complete(id)
    app.clock.set(new Date())
    expect([answer.status, answer.body.context.code]).toEqual([404, 'agent-sign-in-not-found'])
  })

  test('is not for keys of front ends, and not for consumers', async () => {
    const { id } = await kit.begin()
    expect((await complete(id, app.projectId, app.frontendKey)).status).toBe(403)
    const signer = await createSigner(app, { project: app.projectId })
    const path = `/projects/${app.projectId}/agent-sign-ins/${id}:complete`
    const body = { groupRef: 'acme', consumerRef: 'ada' }
    const headers = await signer.headers('acme', 'ada')
    expect((await app.call('POST', path, body, { apiKey: null, headers })).status).toBe(403)
  })
})

describe('the token endpoint refuses', () => {
  test.each<[string, Record<string, string | undefined>, string]>([
    ['a wrong verifier', { code_verifier: newSecret() }, 'invalid_grant'],
    ['no verifier', { code_verifier: undefined }, 'invalid_grant'],
    ['another redirect URI', { redirect_uri: 'http://127.0.0.1:41001/callback' }, 'invalid_grant'],
    ['another code', { code: newSecret() }, 'invalid_grant'],
    ['no code', { code: undefined }, 'invalid_grant'],
    ['an unknown client', { client_id: '0197a1d4-0000-7000-8000-000000000000' }, 'invalid_client'],
    ['no client', { client_id: undefined }, 'invalid_request'],
    ['no resource', { resource: undefined }, 'invalid_target'],
    ['a foreign resource', { resource: 'https://other.example/mcp' }, 'invalid_target'],
    ['another grant', { grant_type: 'password' }, 'unsupported_grant_type'],
  ])('%s', async (_, change, error) => {
    const answer = await kit.exchange(await kit.code(), change)
    expect([answer.status, answer.body.error]).toEqual([400, error])
    expect(answer.body).not.toHaveProperty('access_token')
  })

  test('the code of another client, and a code whose verifier was wrong once', async () => {
    const begun = await kit.code()
    expect((await kit.exchange(begun, { client_id: await kit.register() })).body.error).toBe('invalid_grant')
    const next = await kit.code()
    expect((await kit.exchange(next, { code_verifier: newSecret() })).status).toBe(400)
    expect((await kit.exchange(next)).status).toBe(400)
  })

  test('a code at another project', async () => {
    const begun = await kit.code()
    const client_id = await other.register()
    const answer = await other.exchange(begun, { client_id })
    expect([answer.status, answer.body.error]).toEqual([400, 'invalid_grant'])
  })

  test('a code after a minute', async () => {
    const begun = await kit.code()
    app.clock.advance(61_000)
    expect((await kit.exchange(begun)).body.error).toBe('invalid_grant')
    app.clock.set(new Date())
  })

  test('a code that is used again, and ends what the first use gave', async () => {
    const begun = await kit.code()
    const first = await kit.exchange(begun)
    expect(await listTools(kit.mcp, first.body.access_token)).toBe(200)
    expect((await kit.exchange(begun)).body.error).toBe('invalid_grant')
    expect(await listTools(kit.mcp, first.body.access_token)).toBe(401)
    expect((await kit.refresh(begun.clientId, first.body.refresh_token)).body.error).toBe('invalid_grant')
  })

  test('all but one of concurrent exchanges, after which none has a session', async () => {
    const begun = await kit.code({ consumerRef: 'racer' })
    const answers = await Promise.all(Array.from({ length: 4 }, () => kit.exchange(begun)))
    const won = answers.filter(({ status }) => status === 200)
    expect(won).toHaveLength(1)
    expect(await listTools(kit.mcp, won[0]?.body.access_token ?? '')).toBe(401)
  })

  test('a refresh token that is used again, and ends the session', async () => {
    const { clientId, refresh_token: first } = await kit.tokens()
    const second = await kit.refresh(clientId, first)
    expect(await listTools(kit.mcp, second.body.access_token)).toBe(200)
    expect((await kit.refresh(clientId, first)).body.error).toBe('invalid_grant')
    expect(await listTools(kit.mcp, second.body.access_token)).toBe(401)
    expect((await kit.refresh(clientId, second.body.refresh_token)).body.error).toBe('invalid_grant')
  })

  test('a refresh token of another client, or at another project, and keeps the session', async () => {
    const { clientId, refresh_token: token } = await kit.tokens()
    expect((await kit.refresh(await kit.register(), token)).body.error).toBe('invalid_grant')
    expect((await other.refresh(await other.register(), token)).body.error).toBe('invalid_grant')
    expect((await kit.refresh(clientId, token, { resource: other.mcp })).body.error).toBe('invalid_target')
    expect((await kit.refresh(clientId, `agentrefresh_${newSecret()}${newSecret()}`)).body.error).toBe('invalid_grant')
    expect((await kit.refresh(clientId, token)).status).toBe(200)
  })

  test.each([
    ['JSON', 'application/json', '{}'],
    ['nothing', 'application/x-www-form-urlencoded', ''],
    ['repeated fields', 'application/x-www-form-urlencoded', 'grant_type=a&grant_type=b'],
    ['a NUL', 'application/x-www-form-urlencoded', 'grant_type=refresh_token&client_id=%00&refresh_token=x'],
    ['2,000 fields', 'application/x-www-form-urlencoded', 'a=1&'.repeat(2_000)],
  ])('%s, in the form of OAuth', async (_, type, body) => {
    const answer = await kit.fetch(`${kit.oauth}/token`, { method: 'POST', headers: { 'content-type': type }, body })
    expect(answer.status).toBe(400)
    expect(await answer.json()).toEqual({ error: expect.any(String), error_description: expect.any(String) })
    expect(answer.headers.get('cache-control')).toBe('no-store')
  })
})

describe('an access token', () => {
  let tokenOfAll: string | undefined

  test('works at the MCP server of its project, and nowhere else', async () => {
    const { access_token: token } = await kit.tokens()
    expect(await listTools(kit.mcp, token)).toBe(200)
    expect(await listTools(`${publicUrl}/mcp/v1/projects/DEFAULT`, token)).toBe(200)
    expect(await listTools(other.mcp, token)).toBe(401)
    expect(await listTools(`${publicUrl}/mcp/v1/projects/nothing-here`, token)).toBe(401)
    const headers = { authorization: `Bearer ${token}` }
    const proxied = await app.call('GET', '//proxy/x', undefined, { apiKey: null, headers })
    expect(proxied.status).toBe(401)
  })

  test.each(
    apiEndpoints
      .map(({ declaration }) => declaration)
      .filter(({ access, agentSignIn }) => access !== 'public' && !agentSignIn)
      .map((declaration) => [declaration.id, declaration] as const),
  )('does not work for %s', async (_, { method, path }) => {
    tokenOfAll ??= (await kit.tokens()).access_token
    const named = publicPath(path)
      .replace('{projectIdOrName}', app.projectId)
      .replace(/\{\w+\}/g, 'x')
    const answer = await fetch(`${app.url}${named}`, { method, headers: { authorization: `Bearer ${tokenOfAll}` } })
    expect(answer.status).toBe(401)
    await answer.body?.cancel()
  })

  test('is not read from the query, and ends after a quarter of an hour', async () => {
    const { access_token: token } = await kit.tokens()
    const post = { method: 'POST', headers: { 'content-type': 'application/json' }, body: listing }
    expect((await kit.fetch(`${kit.mcp}?access_token=${token}`, post)).status).toBe(401)
    app.clock.advance(901_000)
    expect(await listTools(kit.mcp, token)).toBe(401)
    app.clock.set(new Date())
  })

  test('keeps to its group', async () => {
    const { access_token: token } = await kit.tokens()
    expect(await listTools(`${kit.mcp}?groupRef=another`, token)).toBe(403)
  })
})

test('no secret is stored as it is, or logged', async () => {
  const begun = await kit.code()
  const { body } = await kit.exchange(begun)
  const { rows } = await sql<{ row: string }>`
    select s::text as row from agent_sign_ins s union all select s::text from agent_sessions s`.execute(app.db.sql)
  const stored = `${rows.map(({ row }) => row).join()} ${app.logs.join()}`
  for (const secret of [begun.code, begun.verifier, body.access_token, body.refresh_token])
    expect(stored).not.toContain(secret)
  expect(stored).toContain(hash('sha256', begun.code, 'hex'))
})
