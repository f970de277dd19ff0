import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Shown } from '../../../testkit/browser.ts'
import { signInBuilder } from '../../../testkit/test-builder.ts'
import { createSigner } from '../../../testkit/test-consumer.ts'
import {
  asked as account,
  type ConnectingKit,
  hostileQueries,
  postedBy,
  publicUrl,
  startConnectingKit,
} from './connecting.testkit.ts'

/**
 * What is done to a callback by somebody who is not the provider, or by a provider that is not honest (reliability.md,
 * S14).
 */

let kit: ConnectingKit
let groups = 0
let groupRef = ''
beforeAll(async () => {
  kit = await startConnectingKit()
  await kit.makeApp('plain')
  await kit.makeApp('told')
})
afterAll(() => kit?.stop())
beforeEach(() => {
  groupRef = `hostile-${++groups}`
})

const connections = async () =>
  (await kit.app.call<{ id: string }[]>('GET', `/projects/default/connections?groupRef=${groupRef}`)).body
const stateOf = (url: string) => new URL(url, publicUrl).searchParams.get('state')!
/** Begins a flow that no browser is bound to: the rules of the state hold alone, too. */
const begin = (body: Record<string, unknown> = {}, headers = {}) =>
  kit.begin({ groupRef, enableCSRFProtection: false, ...body }, headers)
const visit = (path: string) => kit.browser().get(path)
const tokenRequests = () => kit.server.tokenRequests.length

/** Nothing was connected, nobody was asked, and the page says so without a word of what was sent. */
async function expectRefused(page: Shown, { asked }: { asked: number }): Promise<void> {
  expect(page.status, page.text).toBe(400)
  expect(page.headers.get('content-type')).toMatch(/^text\/html/)
  expect(postedBy(page).message).toEqual({
    eventType: 'AUTHORIZATION_FAILED',
    message: expect.any(String),
    data: { error: postedBy(page).message.message },
  })
  expect(await connections()).toEqual([])
  expect(tokenRequests()).toBe(asked)
}

describe('the state', () => {
  test('serves once: coming back with the same answer connects nothing', async () => {
    const back = await kit.grant(await begin())
    expect((await visit(back)).status).toBe(200)
    const [connection] = await connections()
    const asked = tokenRequests()
    const again = await visit(back)
    expect([again.status, tokenRequests()]).toEqual([400, asked])
    expect(postedBy(again).message.eventType).toBe('AUTHORIZATION_FAILED')
    // Its credential is checked meanwhile: the rest of it may move.
    expect((await connections()).map(({ id }) => id)).toEqual([connection?.id])
  })

  test('of two that bring it at once, one connects', async () => {
    const back = await kit.grant(await begin())
    const pages = await Promise.all(Array.from({ length: 5 }, () => visit(back)))
    expect(pages.map(({ status }) => status).toSorted()).toEqual([200, 400, 400, 400, 400])
    expect(await connections()).toHaveLength(1)
  })

  test('is spent by an answer that fails, too', async () => {
    const url = await begin()
    const asked = tokenRequests()
    await expectRefused(await visit(`/callbacks/v1/oauth?error=access_denied&state=${stateOf(url)}`), { asked })
    await expectRefused(await visit(await kit.grant(url)), { asked })
  })

  test.each(hostileQueries)('%s is refused', async (_, query) => {
    const state = stateOf(await begin())
    const asked = tokenRequests()
    await expectRefused(await visit(`/callbacks/v1/oauth?${query(state)}`), { asked })
  })

  test('lasts ten minutes', async () => {
    const back = await kit.grant(await begin())
    const asked = tokenRequests()
    kit.app.clock.advance(10 * 60_000 + 1)
    try {
      await expectRefused(await visit(back), { asked })
    } finally {
      kit.app.clock.advance(-10 * 60_000 - 1)
    }
  })
})

describe('bound to a browser', () => {
  const start = async () => {
    const url = await kit.begin({ groupRef })
    expect(url).toMatch(`${publicUrl}/callbacks/v1/oauth/start?state=`)
    return url.slice(publicUrl.length)
  }
  const atProvider = async (browser: { get(path: string): Promise<Shown> }, path: string) => {
    const shown = await browser.get(path)
    expect([shown.status, new URL(shown.location!).origin]).toEqual([303, kit.server.origin])
    return kit.grant(shown.location!)
  }

  test('the browser that opened the URL finishes, and may open it twice', async () => {
    const browser = kit.browser()
    const path = await start()
    await browser.get(path)
    const back = await atProvider(browser, path)
    expect(browser.attributes.get('mortise_connect')).toBe('Path=/; HttpOnly; SameSite=Lax; Max-Age=600')
    expect((await browser.get(back)).status).toBe(200)
    expect(await connections()).toHaveLength(1)
  })

  test('another browser does not, and does not spoil it', async () => {
    const browser = kit.browser()
    const back = await atProvider(browser, await start())
    const asked = tokenRequests()
    await expectRefused(await visit(back), { asked })
    const thief = kit.browser()
    await atProvider(thief, await start())
    await expectRefused(await thief.get(back), { asked })
    expect((await browser.get(back)).status).toBe(200)
  })

  test('a URL that one browser opened leads no other to the provider', async () => {
    const path = await start()
    await kit.browser().get(path)
    const other = await kit.browser().get(path)
    expect([other.status, other.location]).toEqual([400, null])
  })

  test('an answer to a URL that nobody opened is refused', async () => {
    const state = stateOf(await start())
    const asked = tokenRequests()
    await expectRefused(await visit(`/callbacks/v1/oauth?code=x&state=${state}`), { asked })
  })

  test('only a trusted server switches the protection off', async () => {
    const signer = await createSigner(kit.app)
    const asConsumer = { apiKey: null, headers: await signer.headers(groupRef, 'ada') }
    const { headers: asBuilder } = await signInBuilder(kit.app, { email: 'flows@example.com', role: 'owner' })
    const start = `${publicUrl}/callbacks/v1/oauth/start`
    const leadsTo = async (flag: boolean | undefined, who: object) => {
      const body = { ...account, groupRef, ...(flag !== undefined && { enableCSRFProtection: flag }) }
      const answer = await kit.app.call<string>('POST', '/oauth-connect', body, who)
      const { origin, pathname } = new URL(answer.body)
      return `${origin}${pathname}`
    }
    const provider = `${kit.server.origin}/auth`
    for (const flag of [true, false, undefined]) {
      const unbound = flag === false ? provider : start
      expect([flag, await leadsTo(flag, {})]).toEqual([flag, unbound])
      expect([flag, await leadsTo(flag, { apiKey: null, headers: asBuilder })]).toEqual([flag, unbound])
      expect([flag, await leadsTo(flag, { apiKey: kit.app.frontendKey })]).toEqual([flag, start])
      expect([flag, await leadsTo(flag, asConsumer)]).toEqual([flag, start])
    }
  })

  test('who authorizes a connection again is always bound', async () => {
    await kit.connect(await kit.begin({ groupRef }))
    const [connection] = await connections()
    const path = `/projects/default/connections/${connection!.id}:oauth-update`
    const { body: url } = await kit.app.call<string>('PATCH', path)
    expect(url).toMatch(`${publicUrl}/callbacks/v1/oauth/start?state=`)
    const { browser, back } = await kit.arrive(url)
    const asked = tokenRequests()
    expect([(await visit(back)).status, tokenRequests()]).toEqual([400, asked])
    expect((await browser.get(back)).status).toBe(200)
  })

  test('the state of a flow without it opens nothing: the start leads nowhere but to the provider', async () => {
    const state = stateOf(await begin())
    for (const query of [`state=${state}`, `state=${'B'.repeat(43)}`, `state=${state}&to=https://evil.example`, '']) {
      const shown = await visit(`/callbacks/v1/oauth/start?${query}`)
      expect([shown.status, shown.location]).toEqual([400, null])
    }
  })

  test('over TLS the cookie is this host’s alone', async () => {
    const secure = await startConnectingKit({ publicUrl: 'https://connect.example.com' })
    try {
      await secure.makeApp('plain')
      const browser = secure.browser()
      const url = new URL(await secure.begin())
      const shown = await browser.get(`${url.pathname}${url.search}`)
      expect(browser.attributes.get('__Host-mortise_connect')).toBe(
        'Path=/; HttpOnly; SameSite=Lax; Max-Age=600; Secure',
      )
      expect((await browser.get(await secure.grant(shown.location!))).status).toBe(200)
    } finally {
      await secure.stop()
    }
  })
})

describe('the code', () => {
  test('that was made up or used before gets no token', async () => {
    const url = await begin()
    const code = new URL(await kit.grant(url), publicUrl).searchParams.get('code')!
    const page = await visit(`/callbacks/v1/oauth?code=${code}x&state=${stateOf(url)}`)
    expect([page.status, postedBy(page).message.message]).toEqual([400, expect.stringMatching(/refused access/)])
    expect(await connections()).toEqual([])
  })

  test('of another flow gets no token: the challenge is that of the flow', async () => {
    const [mine, theirs] = [await begin(), await begin()]
    const code = new URL(await kit.grant(theirs), publicUrl).searchParams.get('code')!
    const page = await visit(`/callbacks/v1/oauth?code=${code}&state=${stateOf(mine)}`)
    expect(page.status).toBe(400)
    expect(await connections()).toEqual([])
  })

  test('gets no token when the challenge was taken off on the way: the verifier is always sent', async () => {
    const url = new URL(await begin())
    url.searchParams.delete('code_challenge')
    url.searchParams.delete('code_challenge_method')
    const page = await visit(await kit.grant(url.href))
    expect(page.status).toBe(400)
    expect(kit.server.tokenRequests.at(-1)?.parameters).toHaveProperty('code_verifier')
    expect(await connections()).toEqual([])
  })

  test('and every secret stay out of the page and the log, whatever the provider answers', async () => {
    const answers: [number, string, string][] = [
      [400, 'application/json', '{"error":"invalid_grant","error_description":"<script>alert(1)</script>"}'],
      [200, 'application/json', '{"error":"<img src=x onerror=alert(2)>"}'],
      [500, 'text/html', '<script>alert(3)</script>'],
      [200, 'application/json', '{"access_'],
      [302, 'text/plain', ''],
    ]
    for (const [status, type, text] of answers) {
      kit.server.answerTokens((_, response) => {
        response.writeHead(status, { 'content-type': type, location: 'http://169.254.169.254/' })
        response.end(text)
      })
      const back = await kit.grant(await begin())
      const code = new URL(back, publicUrl).searchParams.get('code')!
      const page = await visit(back)
      const verifier = kit.server.tokenRequests.at(-1)!.parameters['code_verifier']!
      kit.server.answerTokens(undefined)
      expect(page.status).toBe(400)
      expect(page.text).not.toMatch(/alert\(|onerror/)
      const told = `${page.text}\n${kit.app.logs.join('\n')}`
      for (const secret of [code, verifier, stateOf(back), 'secret of basic', 'alert('])
        expect(told).not.toContain(secret)
      expect(await connections()).toEqual([])
    }
  })
})

describe('the issuer', () => {
  test('that answers is the one that was asked, or nobody is asked for a token', async () => {
    const honest = new URL(await kit.grant(await begin()), publicUrl)
    expect(honest.searchParams.get('iss')).toBe(kit.server.origin)
    for (const iss of [
      'https://evil.example',
      `${kit.server.origin}.evil.example`,
      `${kit.server.origin}@evil.example`,
      'null',
      'x',
    ]) {
      const back = new URL(await kit.grant(await begin()), publicUrl)
      back.searchParams.set('iss', iss)
      const asked = tokenRequests()
      await expectRefused(await visit(`${back.pathname}${back.search}`), { asked })
    }
  })

  test('of a mix-up gets no code: an answer goes to the token endpoint of its own flow', async () => {
    const seen: string[] = []
    const evil = createServer((request, response) => {
      seen.push(request.url ?? '')
      response.end('{}')
    })
    await new Promise<void>((resolve) => evil.listen(0, '127.0.0.1', resolve))
    const evilOrigin = `http://127.0.0.1:${(evil.address() as AddressInfo).port}`
    try {
      const back = new URL(await kit.grant(await begin({ provider: 'told' })), publicUrl)
      back.searchParams.set('iss', evilOrigin)
      const asked = tokenRequests()
      await expectRefused(await visit(`${back.pathname}${back.search}`), { asked })
      expect(seen).toEqual([])
    } finally {
      evil.close()
    }
  })
})

describe('the page', () => {
  const html = '<script>alert(1)</script>"\'><img src=x onerror=alert(1)>'

  test.each(['state', 'error', 'error_description', 'error_uri', 'iss', 'code', 'x'])(
    'reflects nothing of %s',
    async (name) => {
      const url = await begin()
      const query = new URLSearchParams({ state: stateOf(url), error: 'access_denied', [name]: html })
      const page = await visit(`/callbacks/v1/oauth?${query}`)
      expect(page.status).toBe(400)
      expect(page.text).not.toMatch(/alert\(|onerror|<img/)
      expect(kit.app.logs.join('\n')).not.toContain('alert(')
    },
  )

  test('escapes what customers wrote, also where it stands in the message', async () => {
    const page = await visit(
      await kit.grant(
        await begin(
          { groupName: `</script>${html}`, consumerName: '<!--<script>' },
          { origin: 'https://app.example.com' },
        ),
      ),
    )
    expect(page.status).toBe(200)
    expect(page.text).not.toContain('<script>alert')
    expect(page.text).not.toContain('<!--')
    expect(postedBy(page).message.data.connection).toMatchObject({ group: { groupName: `</script>${html}` } })
  })

  test('says in our words what the provider says in its own', async () => {
    const said = async (error: string) => {
      const page = await visit(
        `/callbacks/v1/oauth?error=${error}&error_description=Call+0900&state=${stateOf(await begin())}`,
      )
      return postedBy(page).message.data.error
    }
    expect(await said('access_denied')).toBe('Access to plain was not granted.')
    expect(await said('temporarily_unavailable')).toMatch(/Try again later/)
    expect(await said('unauthorized_client')).toMatch(/provider app/)
    expect(await said('constructor')).toBe('plain did not grant access.')
    expect(await said('Something%20else')).toBe('plain did not grant access.')
  })

  test('lets nothing run but its own script, nobody frame it, and its opener stay', async () => {
    for (const page of [await visit('/callbacks/v1/oauth'), await visit(await kit.grant(await begin()))]) {
      const policy = page.headers.get('content-security-policy')!
      expect(policy).toMatch(/default-src 'none'.*script-src 'sha256-[^']+'.*frame-ancestors 'none'/)
      expect(policy).not.toContain('unsafe')
      expect(page.headers.get('cross-origin-opener-policy')).toBeNull()
      expect(page.headers.get('cache-control')).toBe('no-store')
      expect(page.headers.get('referrer-policy')).toBe('no-referrer')
    }
  })
})

test('an app that became another client meanwhile is not used for the code of the first', async () => {
  const id = await kit.makeApp('plain')
  const back = await kit.grant(await begin({ providerAppId: id }))
  await kit.app.call('PATCH', `/projects/default/provider-apps/${id}`, {
    updateMask: ['clientId'],
    providerApp: { clientId: 'body' },
  })
  const asked = tokenRequests()
  await expectRefused(await visit(back), { asked })
})

test('a form that is none, too large or without a state is refused', async () => {
  const post = (body: string) =>
    fetch(`${kit.app.url}/callbacks/v1/oauth`, {
      method: 'POST',
      redirect: 'manual',
      body,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
  expect((await post('')).status).toBe(400)
  expect((await post(`state=${'A'.repeat(43)}&state=x`)).status).toBe(400)
  expect((await post('x'.repeat(70_000))).status).toBe(413)
})
