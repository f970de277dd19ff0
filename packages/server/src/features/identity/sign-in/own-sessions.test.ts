import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openBrowser } from '../../../testkit/browser.ts'
import { startTestApp, startTestNode, type TestApp } from '../../../testkit/test-app.ts'
import { createPerson, type Person, password } from './factors/factors.testkit.ts'
import { clientOf } from './session-resource.ts'

const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
type Listed = { id: string; kind: string; client?: string; address?: string; current: boolean; lastUseTime: string }
let app: TestApp
let person: Person
let people = 0
beforeAll(async () => {
  app = await startTestApp({ env: { MORTISE_ROLES: 'api', MORTISE_TRUSTED_PROXIES: '127.0.0.1' } })
})
afterAll(() => app?.stop())
beforeEach(async () => {
  person = await createPerson(app, `ada-${++people}@example.com`, { role: 'developer' })
})

const system = () => app.testDatabase.database.system
const list = async (): Promise<Listed[]> => (await person.call<Listed[]>('GET', '/my-info/sessions')).body
const signIn = async (from = '203.0.113.1', userAgent = 'curl/8.5.0') => {
  const answer = await app.call<{ accessToken: string }>(
    'POST',
    '/sessions',
    { email: person.email, password },
    {
      apiKey: null,
      headers: { 'x-forwarded-for': from, 'user-agent': userAgent },
    },
  )
  const headers = { authorization: `Bearer ${answer.body.accessToken}` }
  return async (on = app) => (await on.call('GET', '/projects/default', undefined, { apiKey: null, headers })).status
}

describe('the list of sessions', () => {
  it('shows where each began and which one asks, and no token', async () => {
    await signIn('203.0.113.5')
    const browser = openBrowser(app.url, { 'user-agent': firefox, 'x-forwarded-for': '203.0.113.6' })
    await browser.submit(await browser.get('/signin'), { email: person.email, password })
    const sessions = await list()
    expect(sessions).toHaveLength(3)
    expect(sessions).toContainEqual(
      expect.objectContaining({ kind: 'api', client: 'curl/8.5.0', address: '203.0.113.5', current: false }),
    )
    expect(sessions).toContainEqual(
      expect.objectContaining({ kind: 'browser', client: 'Firefox on Linux', address: '203.0.113.6' }),
    )
    expect(sessions.filter(({ current }) => current)).toEqual([expect.objectContaining({ id: person.sessionId })])
    expect(Object.keys(sessions[0]!).toSorted()).toEqual([
      'address',
      'client',
      'createTime',
      'current',
      'id',
      'kind',
      'lastUseTime',
    ])
  })

  it('shows none of other people, and none that expired', async () => {
    const other = await createPerson(app, `eve-${people}@example.com`)
    expect((await list()).map(({ id }) => id)).toEqual([person.sessionId])
    expect((await other.call('DELETE', `/my-info/sessions/${person.sessionId}`)).body.context.code).toBe(
      'session-not-found',
    )
    expect((await other.call('DELETE', '/my-info/sessions/not-an-id')).body.context.code).toBe('session-not-found')
    expect((await list()).length).toBe(1)
  })

  it('stores the last use at most once an hour', async () => {
    const useTime = async () =>
      (
        await sql<{ time: Date }>`select use_time as time from sessions where id = ${person.sessionId}`.execute(
          system(),
        )
      ).rows[0]!.time
    const use = async (afterMs: number) => {
      app.clock.advance(afterMs)
      const { accessToken } = await app.app.services.builderTokens.issue(person)
      const headers = { authorization: `Bearer ${accessToken}` }
      expect((await app.call('GET', '/my-info', undefined, { apiKey: null, headers })).status).toBe(200)
    }
    const first = await useTime()
    await use(3_500_000)
    expect(await useTime()).toEqual(first)
    await use(200_000)
    expect((await useTime()).getTime()).toBeGreaterThan(first.getTime() + 3_600_000)
  })
})

describe('ending sessions', () => {
  it('ends one, on this node immediately and on others within seconds', async () => {
    const node = await startTestNode(app, { MORTISE_ROLES: 'api' })
    try {
      const call = await signIn()
      expect([await call(), await call(node)]).toEqual([200, 200])
      const { id } = (await list()).find(({ current }) => !current)!
      expect((await person.call('DELETE', `/my-info/sessions/${id}`)).status).toBe(204)
      expect(await call()).toBe(401)
      await expect.poll(() => call(node), { timeout: 30_000 }).toBe(401)
    } finally {
      await node.stop()
    }
  })

  it('ends all others and keeps this one', async () => {
    const calls = [await signIn(), await signIn()]
    expect((await person.call('POST', '/my-info/sessions:endOthers')).body).toEqual({ ended: 2 })
    for (const call of calls) expect(await call()).toBe(401)
    expect(await list()).toHaveLength(1)
  })

  it('may end the session that asks', async () => {
    expect((await person.call('DELETE', `/my-info/sessions/${person.sessionId}`)).status).toBe(204)
    expect((await person.call('GET', '/my-info')).status).toBe(401)
  })
})

describe('the name of a client', () => {
  it.each([
    [firefox, 'Firefox on Linux'],
    [
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605.1.15',
      'Safari on macOS',
    ],
    [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0',
      'Edge on Windows',
    ],
    [
      'Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36',
      'Chrome on Android',
    ],
    ['mortise/1.2.3 node/24', 'mortise/1.2.3'],
    ['<script>alert(1)</script>', undefined],
    ['', undefined],
  ])('%s: %s', (userAgent, name) => {
    expect(clientOf(userAgent)).toBe(name)
  })
})
