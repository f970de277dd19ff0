import { createHash, randomBytes } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type SampleCrm, startSampleCrm } from '../index.ts'
import { createAuthorizationServer } from './authorization-server.ts'

const redirectUri = 'http://127.0.0.1:9/callback'
const application = { clientId: 'mortise', clientSecret: 'secret', name: 'Harbor', redirectUris: [redirectUri] }
const verifier = randomBytes(32).toString('base64url')
let crm: SampleCrm

beforeEach(async () => {
  crm = await startSampleCrm({
    contacts: 10,
    rateLimit: 0,
    authorization: createAuthorizationServer({ applications: [application] }),
  })
})
afterEach(() => crm.close())

/** A browser that keeps cookies and follows redirects within the CRM. */
function openBrowser() {
  const cookies = new Map<string, string>()
  return async function visit(url: string, form?: [string, string][]): Promise<{ url: string; text: string }> {
    const answer = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(form && { method: 'POST', body: new URLSearchParams(form) }),
    })
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (value === '') cookies.delete(name)
      else cookies.set(name, value)
    }
    const location = answer.headers.get('location')
    if (location === null) return { url, text: await answer.text() }
    const next = new URL(location, url).href
    return next.startsWith(redirectUri) ? { url: next, text: '' } : visit(next)
  }
}

const scopes = 'contacts.read companies.read contacts.write'

/** Signs in as Ada and decides; answers the address that the browser comes back to. */
async function authorize(decide: [string, string][], password = 'acme'): Promise<{ url: string; text: string }> {
  const browser = openBrowser()
  const query = new URLSearchParams({
    client_id: 'mortise',
    response_type: 'code',
    redirect_uri: redirectUri,
    scope: scopes,
    state: 's',
    prompt: 'login consent',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  })
  const asked = await browser(`${crm.url}/oauth/auth?${query}`)
  const consent = await browser(asked.url, [
    ['email', 'ada@acme.example'],
    ['password', password],
  ])
  if (!consent.text.includes('name="scope"')) return consent
  return browser(consent.url, decide)
}

async function token(parameters: Record<string, string>) {
  const answer = await fetch(`${crm.url}/oauth/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from('mortise:secret').toString('base64')}` },
    body: new URLSearchParams(parameters),
  })
  return { status: answer.status, body: (await answer.json()) as Record<string, string> }
}

async function connect(agreed = scopes.split(' ')) {
  const { url } = await authorize(agreed.map((scope) => ['scope', scope]))
  const code = new URL(url).searchParams.get('code') ?? ''
  const { body } = await token({
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirectUri,
    code_verifier: verifier,
  })
  return { access: body['access_token'] ?? '', refresh: body['refresh_token'] ?? '', scope: body['scope'] }
}

const call = async (access: string, path: string, method = 'GET') => {
  const answer = await fetch(crm.url + path, { method, headers: { authorization: `Bearer ${access}` } })
  await answer.body?.cancel()
  return answer.status
}

describe('OAuth 2.0', () => {
  test('a person signs in and allows access, and the token reads contacts', async () => {
    const { access, scope } = await connect()
    expect(scope).toBe(scopes)
    expect(await call(access, '/contacts')).toBe(200)
    expect(crm.authorization?.grants()).toEqual([
      expect.objectContaining({ application: 'Harbor', person: 'ada@acme.example', scopes: scopes.split(' ') }),
    ])
  })

  test('a wrong password is said on the page', async () => {
    expect((await authorize([], 'wrong')).text).toContain('do not match')
  })

  test('a person who denies access is led back with access_denied', async () => {
    const { url } = await authorize([['decision', 'deny']])
    expect(new URL(url).searchParams.get('error')).toBe('access_denied')
  })

  test('what a person did not allow is answered with 403', async () => {
    const { access, scope } = await connect(['contacts.read'])
    expect(scope).toBe('contacts.read')
    expect([await call(access, '/contacts'), await call(access, '/companies')]).toEqual([200, 403])
    expect(await call(access, '/contacts/con_0000001', 'DELETE')).toBe(403)
  })

  test('a refresh token is good once', async () => {
    const { refresh } = await connect()
    const refreshed = { grant_type: 'refresh_token', refresh_token: refresh }
    const { status, body } = await token(refreshed)
    expect([status, await call(body['access_token'] ?? '', '/me')]).toEqual([200, 200])
    expect((await token(refreshed)).body['error']).toBe('invalid_grant')
  })

  test('after its tokens expired, an application refreshes them; after it was revoked, it cannot', async () => {
    const { access, refresh } = await connect()
    await crm.authorization?.expireTokens()
    expect(await call(access, '/me')).toBe(401)
    const next = await token({ grant_type: 'refresh_token', refresh_token: refresh })
    const [grant] = crm.authorization?.grants() ?? []
    await crm.authorization?.revoke(grant?.id ?? '')
    expect(await call(next.body['access_token'] ?? '', '/me')).toBe(401)
    const { status, body } = await token({
      grant_type: 'refresh_token',
      refresh_token: next.body['refresh_token'] ?? '',
    })
    expect([status, body['error']]).toEqual([400, 'invalid_grant'])
    expect(crm.authorization?.grants()).toEqual([])
  })
})
