import { hash } from 'node:crypto'
import { decodeJwt } from 'jose'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startTestApp, startTestNode, type TestAnswer, type TestApp } from '../../../testkit/test-app.ts'
import { signInBuilder } from '../../../testkit/test-builder.ts'
import { makeCode } from './cli-code.ts'
import type { SessionTokens } from './model.ts'
import { newSecret } from './sessions.ts'

type Tokens = SessionTokens & { context: { code: string }; retryAfter?: string }

const password = 'correct horse battery'
let app: TestApp
let builderId: string
beforeAll(async () => {
  app = await startTestApp({ env: { MORTISE_ROLES: 'api', MORTISE_TRUSTED_PROXIES: '127.0.0.1' } })
  ;({ builderId } = await signInBuilder(app, { email: 'ada@example.com', role: 'owner', password }))
})
afterAll(() => app?.stop())
beforeEach(async () => {
  await sql`delete from sign_in_attempts`.execute(app.testDatabase.database.system)
})

const post = (path: string, body: unknown, from = '203.0.113.1', on = app): Promise<TestAnswer<Tokens>> =>
  on.call<Tokens>('POST', path, body, { apiKey: null, headers: { 'x-forwarded-for': from } })
const signIn = (email: string, secret: string, from?: string, on?: TestApp) =>
  post('/sessions', { email, password: secret }, from, on)
const refresh = (refreshToken: string) => post('/sessions:refresh', { refreshToken })
const mayCall = async (accessToken: string) =>
  (
    await app.call('GET', '/projects/default', undefined, {
      apiKey: null,
      headers: { authorization: `Bearer ${accessToken}` },
    })
  ).status

const linesOf = (message: string) =>
  app.logs.map((line): Record<string, unknown> => JSON.parse(line)).filter(({ msg }) => msg === message)

describe('the log', () => {
  it('has each sign-in, good and refused, with the account and the address, and without the password', async () => {
    await signIn('ada@example.com', password, '203.0.113.71')
    await signIn('ada@example.com', 'a wrong password', '203.0.113.72')
    await signIn('nobody@example.com', 'a wrong password', '203.0.113.73')
    expect(linesOf('sign-in with a password')).toContainEqual(
      expect.objectContaining({ builderId, address: '203.0.113.71' }),
    )
    const refused = linesOf('sign-in with a password refused')
    expect(refused).toContainEqual(expect.objectContaining({ builderId, address: '203.0.113.72' }))
    expect(refused.find(({ address }) => address === '203.0.113.73')).not.toHaveProperty('builderId')
    expect(app.logs.join('')).not.toContain('a wrong password')
  })

  it('has each call that is refused, with who called what', async () => {
    const call = (apiKey: string | null) =>
      app.call('GET', '/projects/default/api-keys', undefined, {
        apiKey,
        headers: { 'x-forwarded-for': '203.0.113.74' },
      })
    expect((await call(null)).status).toBe(401)
    expect((await call(app.frontendKey)).status).toBe(403)
    const refused = linesOf('request refused').filter(({ address }) => address === '203.0.113.74')
    expect(refused).toMatchObject([
      { operation: 'listApiKeys', code: 'unauthenticated', requestId: expect.any(String) },
      { operation: 'listApiKeys', caller: expect.stringMatching(/^apiKey:[\w-]{36}$/) },
    ])
    expect(app.logs.join('')).not.toContain(app.frontendKey)
  })
})

describe('a password', () => {
  it('signs in, with the email in any case, and is answered with tokens that nobody keeps', async () => {
    const { status, body, headers } = await signIn('ADA@Example.com', password)
    expect(status).toBe(200)
    expect(body).toEqual({
      accessToken: expect.any(String),
      expiresAt: expect.any(String),
      refreshToken: expect.stringMatching(/^[\w-]{43}$/),
      sessionExpiresAt: expect.any(String),
      builderId,
    })
    expect(headers.get('cache-control')).toBe('no-store')
    expect(await mayCall(body.accessToken)).toBe(200)
    const { rows } = await sql<{ text: string }>`
      select sessions::text as text from sessions union all select builders::text from builders`.execute(
      app.testDatabase.database.system,
    )
    for (const { text } of rows) {
      expect(text).not.toContain(body.refreshToken)
      expect(text).not.toContain(Buffer.from(body.refreshToken).toString('hex'))
      expect(text).not.toContain(password)
    }
    expect(app.logs.join('\n')).not.toMatch(new RegExp(`${password}|${body.refreshToken}|${body.accessToken}`))
  })

  it('is the same however its characters are composed', async () => {
    await signInBuilder(app, { email: 'zoe@example.com', password: 'caf\u00e9 au lait \ufb01ne' })
    expect((await signIn('zoe@example.com', 'cafe\u0301 au lait fine')).status).toBe(200)
  })

  it('that is wrong, of nobody, or of an account without one gets the same answer after the same work', async () => {
    await signInBuilder(app, { email: 'sso@example.com' })
    const bare = ({ status, body }: TestAnswer<Tokens>) => ({ ...body, status, time: 0, instance: 0, requestId: 0 })
    /** The least work of three sign-ins: other work of the process is in some of them. */
    const timed = async (email: string) => {
      const works: number[] = []
      let answer = {}
      for (let round = 0; round < 3; round++) {
        const before = process.cpuUsage()
        answer = bare(await signIn(email, 'not the password'))
        const { user, system } = process.cpuUsage(before)
        works.push(user + system)
      }
      return { answer, work: Math.min(...works) }
    }
    await timed('ada@example.com')
    const [wrong, nobody, elsewhere] = [
      await timed('ada@example.com'),
      await timed('nobody@example.com'),
      await timed('sso@example.com'),
    ]
    expect(wrong.answer).toMatchObject({ status: 401, context: { code: 'sign-in-refused' } })
    expect(nobody.answer).toEqual(wrong.answer)
    expect(elsewhere.answer).toEqual(wrong.answer)
    // The hash is nearly all of it: without it the work would be a hundredth.
    for (const { work } of [nobody, elsewhere]) expect(work).toBeGreaterThan(wrong.work / 4)
  })

  it.each([
    ['no email', { password }],
    ['an email that is a list', { email: ['ada@example.com'], password }],
    ['a password of 10 kB', { email: 'ada@example.com', password: 'x'.repeat(10_000) }],
    ['an email of 10 kB', { email: 'x'.repeat(10_000), password }],
    ['NUL', { email: 'ada@example.com\0', password }],
  ])('with %s is refused before any work, and the password is not echoed', async (_, body) => {
    const answer = await post('/sessions', body)
    expect(answer.status).toBe(400)
    expect(JSON.stringify(answer.body)).not.toMatch(/correct horse|xxxx"/)
  })
})

describe('guessing', () => {
  const fail = async (times: number, email: string, from: (at: number) => string) => {
    const statuses: number[] = []
    for (let at = 0; at < times; at++) statuses.push((await signIn(email, 'not the password', from(at))).status)
    return statuses
  }

  it('one email from one address ends after ten attempts, on every node, until the window has passed', async () => {
    await signInBuilder(app, { email: 'target@example.com', password })
    const statuses = await fail(11, 'target@example.com', () => '203.0.113.7')
    expect(statuses).toEqual([...Array(10).fill(401), 429])
    const right = await signIn('Target@example.com', password, '203.0.113.7')
    expect(right.status).toBe(429)
    expect(right.body.context.code).toBe('too-many-attempts')
    const waitMs = new Date(right.body.retryAfter!).getTime() - app.clock.now().getTime()
    expect(waitMs).toBeGreaterThan(14 * 60_000)
    expect(Number(right.headers.get('retry-after'))).toBeGreaterThan(14 * 60)
    expect((await signIn('target@example.com', password, '203.0.113.8')).status, 'the person elsewhere').toBe(200)
    const node = await startTestNode(app, { MORTISE_ROLES: 'api', MORTISE_TRUSTED_PROXIES: '127.0.0.1' })
    try {
      expect((await signIn('target@example.com', password, '203.0.113.7', node)).status).toBe(429)
    } finally {
      await node.stop()
    }
    app.clock.advance(15 * 60_000 + 1)
    expect((await signIn('target@example.com', password, '203.0.113.7')).status).toBe(200)
  })

  it('in parallel slips nobody through', async () => {
    const answers = await Promise.all(
      Array.from({ length: 14 }, () => signIn('parallel@example.com', 'not the password', '203.0.113.9')),
    )
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(10)
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(4)
  })

  it('is counted by network: one person has many addresses of IPv6', async () => {
    const { system } = app.testDatabase.database
    await signIn('v6@example.com', 'not the password', '2001:db8:1:2::1')
    await signIn('v6@example.com', 'not the password', '2001:db8:1:2:ffff::2')
    await signIn('v6@example.com', 'not the password', '2001:db8:1:3::1')
    const { rows } = await sql<{ count: number }>`select count from sign_in_attempts order by count`.execute(system)
    expect(rows.map(({ count }) => count)).toEqual([1, 1, 2, 2, 3])
  })

  it('from everywhere, or of everybody, ends too; signing in rightly does not count', async () => {
    const { system } = app.testDatabase.database
    for (let at = 0; at < 3; at++) await signIn('ada@example.com', password, '203.0.113.20')
    const counts = async () =>
      (await sql<{ count: number }>`select count from sign_in_attempts`.execute(system)).rows.map(({ count }) => count)
    expect(await counts()).toEqual([0, 0, 0])
    await signIn('other@example.com', 'not the password', '203.0.113.21')
    await sql`update sign_in_attempts set count = 100 where count = 1`.execute(system)
    expect((await signIn('third@example.com', 'not the password', '203.0.113.21')).status, 'the address').toBe(429)
    expect((await signIn('other@example.com', 'not the password', '203.0.113.22')).status, 'the email').toBe(429)
  })
})

describe('a refresh token', () => {
  it('is exchanged for the next one, and one that comes back ends the session', async () => {
    const first = (await signIn('ada@example.com', password)).body
    const second = await refresh(first.refreshToken)
    expect(second.status).toBe(200)
    expect(second.body.refreshToken).not.toBe(first.refreshToken)
    const third = await refresh(second.body.refreshToken)
    expect([await mayCall(third.body.accessToken), await mayCall(first.accessToken)]).toEqual([200, 200])
    const again = await refresh(first.refreshToken)
    expect([again.status, again.body.context.code]).toEqual([401, 'session-ended'])
    expect((await refresh(third.body.refreshToken)).status, 'of the holder too').toBe(401)
    expect(await mayCall(third.body.accessToken)).toBe(401)
  })

  it('that two present at the same moment is taken for stolen', async () => {
    const { refreshToken } = (await signIn('ada@example.com', password)).body
    const answers = await Promise.all([refresh(refreshToken), refresh(refreshToken)])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401])
    const { body } = answers.find(({ status }) => status === 200)!
    expect((await refresh(body.refreshToken)).status).toBe(401)
  })

  it('lasts for thirty days after the last exchange', async () => {
    const days = (count: number) => app.clock.advance(count * 86_400_000)
    const { refreshToken } = (await signIn('ada@example.com', password)).body
    days(29)
    const next = await refresh(refreshToken)
    expect(next.status).toBe(200)
    days(29)
    const last = await refresh(next.body.refreshToken)
    expect(last.status).toBe(200)
    days(31)
    expect((await refresh(last.body.refreshToken)).status).toBe(401)
  })

  it.each(['', 'x'.repeat(201), 5, null])('of the form %j is refused and not echoed', async (refreshToken) => {
    const { status, body } = await post('/sessions:refresh', { refreshToken })
    expect(status).toBe(400)
    expect(JSON.stringify(body)).not.toContain('xxxx')
  })
})

describe('a code for a command line', () => {
  const verifier = newSecret()
  const challenge = hash('sha256', verifier, 'base64url')
  const code = () => makeCode(app.app.services, { builderId, challenge })
  const exchange = (body: { code: string; verifier: string }) => post('/sessions:exchange', body)

  it('is exchanged for tokens with its verifier, once', async () => {
    const made = await code()
    const answer = await exchange({ code: made, verifier })
    expect(answer.status).toBe(200)
    expect(await mayCall(answer.body.accessToken)).toBe(200)
    expect((await refresh(answer.body.refreshToken)).status).toBe(200)
  })

  it('that comes back ends the session that it started, whoever brings it and however late', async () => {
    for (const [again, later] of [
      [verifier, 0],
      [newSecret(), 0],
      [verifier, 7 * 86_400_000],
    ] as const) {
      const made = await code()
      const { body } = await exchange({ code: made, verifier })
      const other = (await exchange({ code: await code(), verifier })).body
      const next = (await refresh(body.refreshToken)).body
      expect(await mayCall(next.accessToken)).toBe(200)
      app.clock.advance(later)
      const replay = await exchange({ code: made, verifier: again })
      expect([replay.status, replay.body.context.code]).toEqual([401, 'sign-in-code-refused'])
      if (later === 0) expect([await mayCall(next.accessToken), await mayCall(other.accessToken)]).toEqual([401, 200])
      expect((await refresh(next.refreshToken)).status).toBe(401)
      expect((await refresh(other.refreshToken)).status, 'of another code').toBe(200)
      expect(linesOf('the code of a sign-in was used twice; its session has ended').at(-1)).toMatchObject({
        sessionId: decodeJwt(body.accessToken)['sid'],
      })
      expect(app.logs.join('\n')).not.toContain(made)
    }
  })

  it('is refused without the verifier', async () => {
    const made = await code()
    const wrong = await exchange({ code: made, verifier: newSecret() })
    expect([wrong.status, wrong.body.context.code]).toEqual([401, 'sign-in-code-refused'])
    expect((await exchange({ code: made, verifier })).status).toBe(401)
  })

  it('is good for a minute', async () => {
    const made = await code()
    app.clock.advance(60_001)
    expect((await exchange({ code: made, verifier })).status).toBe(401)
  })

  it('that two present at the same moment is taken for stolen', async () => {
    const made = await code()
    const answers = await Promise.all([exchange({ code: made, verifier }), exchange({ code: made, verifier })])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401])
    const { body } = answers.find(({ status }) => status === 200)!
    expect([await mayCall(body.accessToken), (await refresh(body.refreshToken)).status]).toEqual([401, 401])
  })
})

describe('changing the password', () => {
  const change = (token: string, body: unknown) =>
    app.call<{ issues?: { name: string; detail: string; value?: string }[] }>('POST', '/my-info/password', body, {
      apiKey: null,
      headers: { authorization: `Bearer ${token}` },
    })
  const next = 'another horse, a bigger battery'

  it('needs the current one, and ends every other session', async () => {
    await signInBuilder(app, { email: 'change@example.com', role: 'developer', password })
    const here = (await signIn('change@example.com', password)).body
    const there = (await signIn('change@example.com', password)).body
    expect(await mayCall(there.accessToken)).toBe(200)
    const wrong = await change(here.accessToken, { currentPassword: 'not the password', newPassword: next })
    expect([wrong.status, wrong.body.issues?.map(({ name }) => name)]).toEqual([400, ['currentPassword']])
    expect(await change(here.accessToken, { currentPassword: password, newPassword: next })).toMatchObject({
      status: 204,
    })
    expect([await mayCall(here.accessToken), await mayCall(there.accessToken)]).toEqual([200, 401])
    expect((await refresh(there.refreshToken)).status).toBe(401)
    expect((await signIn('change@example.com', password)).status).toBe(401)
    expect((await signIn('change@example.com', next)).status).toBe(200)
  })

  it.each(['short', 'eleven char', 'x'.repeat(201), '🦄'.repeat(11)])(
    'to %j is refused, and not echoed',
    async (newPassword) => {
      const { token } = await signInBuilder(app, { email: 'ada@example.com' })
      const { status, body } = await change(token, { currentPassword: password, newPassword })
      expect([status, body.issues?.map(({ name }) => name)]).toEqual([400, ['newPassword']])
      expect(body.issues?.[0]).not.toHaveProperty('value')
    },
  )

  it('to the same one, however it is typed, is refused', async () => {
    const given = 'Straße, blau und sehr lang é'
    const { token } = await signInBuilder(app, { email: 'same@example.com', password: given })
    const { status, body } = await change(token, { currentPassword: given, newPassword: given.normalize('NFD') })
    expect([status, body.issues?.map(({ name }) => name)]).toEqual([400, ['newPassword']])
  })
})

it('what has expired is removed', async () => {
  const { system } = app.testDatabase.database
  await signIn('ada@example.com', password)
  await makeCode(app.app.services, { builderId, challenge: 'x' })
  app.clock.advance(31 * 86_400_000)
  const { signInTicks } = await import('./index.ts')
  for (const tick of signInTicks(app.app.services)) await tick.run(new AbortController().signal)
  for (const table of ['sessions', 'sign_in_codes', 'sign_in_attempts', 'used_refresh_tokens']) {
    const { rows } = await sql`select from ${sql.table(table)}`.execute(system)
    expect([table, rows.length]).toEqual([table, 0])
  }
})
