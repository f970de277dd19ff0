import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createSigner } from '../../../testkit/test-consumer.ts'
import { asked, type ConnectingKit, postedBy, publicUrl, startConnectingKit } from './connecting.testkit.ts'
import { connectingTicks } from './connecting-ticks.ts'

interface Listed {
  id: string
  status: string
  authScheme: string
  provider: string
  group: { groupRef: string; groupName: string }
  consumer: { consumerRef: string; consumerName: string }
  providerWorkspaceRef?: string
  providerConsumerRef?: string
  providerMetadata?: Record<string, unknown>
  oauth2AuthorizationCode?: { accessToken?: { token: string }; refreshToken?: { token: string }; scopes?: string[] }
}

let kit: ConnectingKit
let groups = 0
const newGroup = () => `group-${++groups}`
const origin = 'https://app.example.com'

beforeAll(async () => {
  kit = await startConnectingKit()
  await kit.makeApp('plain')
  await kit.makeApp('pkce', { clientId: 'body', clientSecret: 'secret-of-body' })
  await kit.makeApp('told')
  await kit.makeApp('redirecting')
})
afterAll(() => kit?.stop())

const connectionsOf = async (groupRef: string) =>
  (await kit.app.call<Listed[]>('GET', `/projects/default/connections?groupRef=${groupRef}`)).body
const withSecrets = async (id: string) =>
  (await kit.app.call<Listed>('GET', `/projects/default/connections/${id}?includeRefreshToken=true`)).body
const refusal = async (body: Record<string, unknown>, options = {}) =>
  kit.app.call<{ issues: { name: string; detail: string; remedy?: string }[] }>(
    'POST',
    '/oauth-connect',
    { ...asked, ...body },
    options,
  )

/** Connects an account whose provider answers the exchange with `answer`. */
async function connectTold(groupRef: string, answer: Record<string, unknown>) {
  kit.server.answerTokens((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ access_token: 'a-token-0123456789', token_type: 'bearer', ...answer }))
  })
  try {
    const url = await kit.begin({ provider: 'told', groupRef })
    return await kit.connect(url)
  } finally {
    kit.server.answerTokens(undefined)
  }
}

describe('beginning', () => {
  test('answers the URL of the provider as text, with all that the flow rests on', async () => {
    const metadata = { authQueryParams: { optional_scope: ['a b', 'c'], client_id: ['stolen'], state: ['mine'] } }
    const providerAppId = await kit.makeApp('plain', { metadata })
    const body = { ...asked, providerAppId, enableCSRFProtection: false }
    const answer = await kit.app.call<string>('POST', '/oauth-connect', body)
    expect(answer).toMatchObject({ status: 200, body: expect.stringMatching(/^http/) })
    expect(answer.headers.get('content-type')).toMatch(/^text\/plain/)
    expect(answer.headers.get('cache-control')).toBe('no-store')
    const url = new URL(answer.body)
    expect(`${url.origin}${url.pathname}`).toBe(`${kit.server.origin}/auth`)
    expect(url.search).not.toContain('+')
    expect(url.searchParams.getAll('optional_scope')).toEqual(['a b', 'c'])
    url.searchParams.delete('optional_scope')
    expect(Object.fromEntries(url.searchParams)).toEqual({
      client_id: 'basic',
      redirect_uri: `${publicUrl}/callbacks/v1/oauth`,
      response_type: 'code',
      scope: 'openid offline_access contacts.read',
      state: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    })
    expect([...url.searchParams.keys()].length).toBe(7)
  })

  test('of the state only a hash is stored, and the rest is encrypted', async () => {
    const url = new URL(await kit.begin({ consumerName: 'Ada of the encrypted', enableCSRFProtection: false }))
    const { rows } = await sql<{ row: string }>`select f::text as row from oauth_flows f`.execute(kit.app.db.sql)
    const text = JSON.stringify(rows)
    expect(rows.length).toBeGreaterThan(0)
    for (const secret of [url.searchParams.get('state')!, 'Ada of the encrypted', url.href])
      expect(text).not.toContain(secret)
  })

  test.each<[string, Record<string, unknown>, string[], RegExp]>([
    ['a provider that nobody knows', { provider: 'hubspt' }, ['provider'], /Did you mean "hubspot"/],
    ['a provider without a code grant', { provider: 'machines' }, ['provider'], /connections:generate/],
    [
      'a project without an app',
      { provider: 'hubspot' },
      ['providerAppId'],
      /redirect URL http:\/\/connect\.localhost:4100\/callbacks\/v1\/oauth/,
    ],
    [
      'an app of another provider',
      { provider: 'plain', providerAppId: '0190a0a0-0000-7000-8000-000000000000' },
      ['providerAppId'],
      /List the provider apps/,
    ],
    [
      'no workspace where one is needed, and no app',
      { provider: 'shopify' },
      ['providerWorkspaceRef', 'providerAppId'],
      /./,
    ],
    [
      'a workspace that leads elsewhere',
      { provider: 'shopify', providerWorkspaceRef: 'evil.example/x?' },
      ['providerWorkspaceRef', 'providerAppId'],
      /./,
    ],
    [
      'nothing',
      { groupRef: undefined, consumerRef: undefined, provider: 'plane' },
      ['groupRef', 'consumerRef', 'provider'],
      /./,
    ],
  ])('%s: 400 that says what to do', async (_, body, names, remedy) => {
    const answer = await refusal(body)
    expect(answer.status).toBe(400)
    expect(answer.body.issues.map(({ name }) => name).toSorted()).toEqual(names.toSorted())
    expect(answer.body.issues.map((issue) => issue.remedy ?? issue.detail).join(' ')).toMatch(remedy)
  })

  test('an app of another project is not there', async () => {
    const theirs = await kit.app.call<{ id: string }>(
      'POST',
      '/projects/other/provider-apps',
      { provider: 'plain', clientId: 'x', clientSecret: 'y' },
      { apiKey: kit.app.otherProject.apiKey },
    )
    expect((await refusal({ providerAppId: theirs.body.id })).status).toBe(400)
  })

  test('front ends may, consumer tokens for their own group and person alone', async () => {
    const signer = await createSigner(kit.app)
    const headers = await signer.headers('acme', 'ada')
    const call = (body: object, options: object) =>
      kit.app.call('POST', '/oauth-connect', { ...asked, ...body }, options)
    expect((await call({}, { apiKey: kit.app.frontendKey })).status).toBe(200)
    expect((await call({}, { apiKey: null, headers })).status).toBe(200)
    expect((await call({ groupRef: 'other' }, { apiKey: null, headers })).status).toBe(403)
    expect((await call({ consumerRef: 'bob' }, { apiKey: null, headers })).status).toBe(403)
    expect((await call({}, { apiKey: null })).status).toBe(401)
    expect((await call({}, { apiKey: kit.app.otherProject.apiKey })).status).toBe(404)
  })

  test('while Salesforce is not told a workspace, everybody’s sign-in page is meant', async () => {
    await kit.makeApp('salesforce')
    const salesforce = { provider: 'salesforce', enableCSRFProtection: false }
    const blank = new URL(await kit.begin(salesforce))
    expect(blank.origin).toBe('https://login.my.salesforce.com')
    expect(blank.searchParams.get('prompt')).toBe('login')
    const named = new URL(await kit.begin({ ...salesforce, providerWorkspaceRef: 'acme' }))
    expect(named.origin).toBe('https://acme.my.salesforce.com')
  })
})

describe('finishing', () => {
  test.each(['plain', 'pkce'])(
    '%s: the account is connected, with its tokens, and its credential is checked',
    async (provider) => {
      const groupRef = newGroup()
      const url = await kit.begin({ provider, groupRef, groupName: 'Acme', consumerName: 'Ada' }, { origin })
      const page = await kit.connect(url)
      expect(page.status).toBe(200)
      const [connection] = await connectionsOf(groupRef)
      expect(connection).toMatchObject({
        provider,
        authScheme: provider === 'pkce' ? 'oauth2/authorizationCodePKCE' : 'oauth2/authorizationCode',
        group: { groupRef, groupName: 'Acme' },
        consumer: { consumerRef: 'ada', consumerName: 'Ada' },
      })
      expect(kit.server.tokenRequests.at(-1)?.parameters).toMatchObject({
        grant_type: 'authorization_code',
        redirect_uri: `${publicUrl}/callbacks/v1/oauth`,
        code_verifier: expect.stringMatching(/^[\w-]{43}$/),
      })
      const { oauth2AuthorizationCode: tokens } = await withSecrets(connection!.id)
      expect(tokens).toMatchObject({
        accessToken: { token: expect.any(String) },
        refreshToken: { token: expect.any(String) },
      })
      await expect.poll(async () => (await connectionsOf(groupRef))[0]?.status, { timeout: 30_000 }).toBe('working')
      const { rows } =
        await sql`select 1 from connections where id = ${connection!.id} and provider_app_id is not null`.execute(
          kit.app.db.sql,
        )
      expect(rows).toHaveLength(1)
      const { accessToken, refreshToken } = tokens!
      for (const secret of [accessToken!.token, refreshToken!.token]) {
        expect(page.text).not.toContain(secret)
        expect(kit.app.logs.join('\n')).not.toContain(secret)
      }
    },
  )

  test('the page names the application that the account is connected to, well or badly', async () => {
    const rename = (appName: string) =>
      kit.app.call('PATCH', '/projects/default', { updateMask: ['appName'], project: { appName } })
    await rename('Acme CRM')
    const good = await kit.connect(await kit.begin({ groupRef: newGroup() }, { origin }))
    const { browser, back } = await kit.arrive(await kit.begin({ groupRef: newGroup() }, { origin }))
    const bad = await browser.get(back.replace(/code=[^&]+/, 'error=access_denied'))
    await rename('default')
    expect([good.status, bad.status]).toEqual([200, 400])
    for (const { text } of [good, bad])
      expect(text).toMatch(/<title>[^<]+ · Acme CRM<\/title>[\s\S]*<span>Acme CRM<\/span>/)
  })

  test('the page that started the flow gets the connection without its credential; others get only its id', async () => {
    const groupRef = newGroup()
    const known = postedBy(await kit.connect(await kit.begin({ groupRef }, { origin })))
    const [connection] = await connectionsOf(groupRef)
    expect(known).toEqual({
      message: {
        eventType: 'AUTHORIZATION_SUCCEEDED',
        data: { connection: expect.objectContaining({ id: connection!.id, provider: 'plain' }) },
      },
      targetOrigin: origin,
      closes: true,
    })
    expect(Object.keys(known.message.data.connection as object)).not.toContain('oauth2AuthorizationCode')
    for (const headers of [
      {},
      { origin: 'null' },
      { origin: 'javascript:alert(1)' },
      { origin: `${origin}/` },
    ] as Record<string, string>[]) {
      const unknown = postedBy(await kit.connect(await kit.begin({ groupRef }, headers)))
      expect(unknown).toEqual({
        message: { eventType: 'AUTHORIZATION_SUCCEEDED', data: { connection: connection!.id } },
        targetOrigin: '*',
        closes: true,
      })
    }
  })

  test('the same account keeps its connection, another workspace is another one', async () => {
    const groupRef = newGroup()
    for (const team of ['one', 'one', 'two'])
      expect((await connectTold(groupRef, { team, person: 'p-1', region: 'eu' })).status).toBe(200)
    const list = await connectionsOf(groupRef)
    expect(list.map(({ providerWorkspaceRef }) => providerWorkspaceRef)).toEqual(['two', 'one'])
    expect(list[0]).toMatchObject({
      providerConsumerRef: 'p-1',
      providerMetadata: { region: { value: 'eu', source: 'token' } },
    })
  })

  test('what the provider adds to the redirect is kept where its file says so, and nothing else', async () => {
    const groupRef = newGroup()
    const connected = async (more: string) => {
      const { browser, back } = await kit.arrive(await kit.begin({ provider: 'redirecting', groupRef }))
      expect((await browser.get(`${back}&${more}`)).status).toBe(200)
      const [newest] = await connectionsOf(groupRef)
      return newest
    }
    const connection = await connected('realmId=4711&color=red')
    expect(connection).toMatchObject({ providerWorkspaceRef: '4711' })
    expect(connection?.providerMetadata).toEqual({ company: { value: '4711', source: 'token' } })
    for (const unclear of ['realmId=1&realmId=2', `realmId=${'9'.repeat(201)}`, 'realmId='])
      expect(await connected(unclear)).not.toHaveProperty('providerWorkspaceRef')
  })

  test('what a provider tells that no row can hold is left out', async () => {
    const groupRef = newGroup()
    const page = await connectTold(groupRef, { team: 'w'.repeat(1_500), person: 'a\0b', region: '\ud800' })
    expect(page.status).toBe(200)
    const [connection] = await connectionsOf(groupRef)
    expect(connection).not.toHaveProperty('providerWorkspaceRef')
    expect(connection).not.toHaveProperty('providerConsumerRef')
  })

  test('a provider that answers with a form is led on to the same page', async () => {
    const groupRef = newGroup()
    const { browser, back } = await kit.arrive(await kit.begin({ groupRef }))
    const [path, query] = back.split('?')
    const posted = await fetch(`${kit.app.url}${path}`, {
      method: 'POST',
      redirect: 'manual',
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: kit.server.origin },
      body: query!,
    })
    expect(posted.status).toBe(303)
    const page = await browser.get(posted.headers.get('location')!)
    expect(page.status).toBe(200)
    expect(await connectionsOf(groupRef)).toHaveLength(1)
  })
})

test('flows that nobody finished are swept, and no others', async () => {
  const states = async () => {
    const { rows } = await sql<{ n: number }>`select count(*)::int as n from oauth_flows`.execute(kit.app.db.sql)
    return rows[0]?.n
  }
  const [tick] = connectingTicks(kit.app.app.services)
  await kit.begin()
  kit.app.clock.advance(10 * 60_000 + 1)
  try {
    await kit.begin()
    await tick!.run(AbortSignal.timeout(60_000))
    expect(await states()).toBe(1)
  } finally {
    kit.app.clock.advance(-10 * 60_000 - 1)
  }
})

describe('authorising again', () => {
  const update = (id: string, options = {}) =>
    kit.app.call<string>('PATCH', `/projects/default/connections/${id}:oauth-update`, undefined, options)

  test('the connection keeps its id and its metadata, with new tokens', async () => {
    const groupRef = newGroup()
    await kit.connect(await kit.begin({ groupRef }))
    const [before] = await connectionsOf(groupRef)
    const old = (await withSecrets(before!.id)).oauth2AuthorizationCode?.accessToken?.token
    const { status, body, headers } = await update(before!.id, { headers: { origin } })
    expect(status).toBe(200)
    expect(headers.get('content-type')).toMatch(/^text\/plain/)
    const page = await kit.connect(body)
    expect(postedBy(page)).toMatchObject({
      message: { data: { connection: { id: before!.id } } },
      targetOrigin: origin,
    })
    const [after, ...others] = await connectionsOf(groupRef)
    expect(others).toEqual([])
    expect(after?.id).toBe(before!.id)
    expect((await withSecrets(before!.id)).oauth2AuthorizationCode?.accessToken?.token).not.toBe(old)
  })

  test.each([
    ['another workspace', { team: 'mine', person: 'p' }, { team: 'theirs', person: 'p' }],
    ['another person, where the person is the account', { person: 'me' }, { person: 'you' }],
  ])('the credential of %s never takes its place', async (_, mine, theirs) => {
    const groupRef = newGroup()
    await connectTold(groupRef, { ...mine, access_token: 'the-first-token' })
    const [connection] = await connectionsOf(groupRef)
    const again = async (answer: object) => {
      kit.server.answerTokens((_request, response) => {
        response.writeHead(200, { 'content-type': 'application/json' })
        response.end(JSON.stringify({ token_type: 'bearer', ...answer }))
      })
      const page = await kit.connect((await update(connection!.id)).body)
      kit.server.answerTokens(undefined)
      return page
    }
    const page = await again({ ...theirs, access_token: 'the-wrong-token' })
    expect(page.status).toBe(400)
    expect(postedBy(page).message.data.error).toMatch(/a different .* account/)
    expect((await withSecrets(connection!.id)).oauth2AuthorizationCode?.accessToken?.token).toBe('the-first-token')
    expect((await again({ ...mine, access_token: 'the-second-token' })).status).toBe(200)
    expect((await withSecrets(connection!.id)).oauth2AuthorizationCode?.accessToken?.token).toBe('the-second-token')
  })

  test('a connection that nobody authorises in a browser, one that is not there, and one of another group', async () => {
    const signer = await createSigner(kit.app)
    const made = await kit.app.call<{ id: string }>('POST', '/projects/default/connections:generate', {
      groupRef: newGroup(),
      consumerRef: 'ada',
      provider: 'hubspot',
      apiKey: 'a-key',
    })
    expect(await update(made.body.id)).toMatchObject({
      status: 400,
      body: { issues: [{ in: 'path', name: 'connectionId' }] },
    })
    expect((await update('0190a0a0-0000-7000-8000-000000000000')).status).toBe(404)
    const groupRef = newGroup()
    await kit.connect(await kit.begin({ groupRef }))
    const [connection] = await connectionsOf(groupRef)
    const as = async (group: string) => ({ apiKey: null, headers: await signer.headers(group, 'ada') })
    expect((await update(connection!.id, await as('somebody-else'))).status).toBe(404)
    expect((await update(connection!.id, await as(groupRef))).status).toBe(200)
  })

  test('a connection that was deleted meanwhile is not made anew', async () => {
    const groupRef = newGroup()
    await kit.connect(await kit.begin({ groupRef }))
    const [connection] = await connectionsOf(groupRef)
    const { browser, back } = await kit.arrive((await update(connection!.id)).body)
    await kit.app.call('DELETE', `/projects/default/connections/${connection!.id}`)
    const page = await browser.get(back)
    expect([page.status, postedBy(page).message.eventType]).toEqual([400, 'AUTHORIZATION_FAILED'])
    expect(await connectionsOf(groupRef)).toEqual([])
  })
})
