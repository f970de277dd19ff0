import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { openBrowser } from '../../../testkit/browser.ts'
import { readable, startSmtp } from '../../../testkit/smtp-server.ts'
import { startTestApp, type TestAnswer } from '../../../testkit/test-app.ts'
import { signInBuilder, type TestBuilder } from '../../../testkit/test-builder.ts'

interface ProblemBody {
  context: { code: string }
}
interface Person extends TestBuilder {
  call<T = ProblemBody>(method: string, path: string, body?: unknown): Promise<TestAnswer<T>>
}
type People = Awaited<ReturnType<typeof startPeople>>

/** A service with an owner, a member, and somebody who is neither. */
async function startPeople(env: Record<string, string> = {}) {
  const app = await startTestApp({ env })
  const person = async (
    email: string,
    options: { orgId?: string; role?: 'developer' | 'owner' } = {},
  ): Promise<Person> => {
    const builder = await signInBuilder(app, { email, ...options })
    return {
      ...builder,
      call: (method, path, body) => app.call(method, path, body, { apiKey: null, headers: builder.headers }),
    }
  }
  return {
    app,
    orgId: (await app.call<{ orgId: string }>('GET', '/projects/default')).body.orgId,
    owner: await person('owner@example.com', { role: 'owner' }),
    member: await person('member@example.com', { role: 'developer' }),
    stranger: await person('stranger@elsewhere.example'),
    person,
  }
}
const told = ({ status, body }: TestAnswer<ProblemBody>) => [status, body.context.code]

const next = 'staple battery horse correct'
let people: People
let count = 0
beforeAll(async () => {
  people = await startPeople()
})
afterAll(() => people?.app.stop())

type Made = ProblemBody & { builderId: string; email: string; mailed: boolean; link?: string; expireTime?: string }
const someone = (role: 'developer' | 'owner' = 'developer', orgId = people.orgId) =>
  people.person(`person-${++count}@example.com`, { orgId, role })
const make = (by: Person, builderId: string, orgId = people.orgId) =>
  by.call<Made>('POST', `/orgs/${orgId}/builders/${builderId}/password-resets`)
const newOrg = async (owner: Person) => (await owner.call<{ id: string }>('POST', '/orgs', { label: 'Own' })).body.id
const tokenOf = (link: string | undefined) => new URL(link!).searchParams.get('token')!
const complete = (token: string) =>
  people.app.call<ProblemBody>('POST', '/password-resets:complete', { token, newPassword: next }, { apiKey: null })
const signIn = async (email: string) =>
  (await people.app.call('POST', '/sessions', { email, password: next }, { apiKey: null })).status
const add = (by: Person, orgId: string, { builderId }: Person) =>
  by.call('POST', `/orgs/${orgId}/memberships`, { builderId })

describe('without a mail server', () => {
  it('an owner makes a link for a member, which works once for an hour and is logged without its token', async () => {
    const { app, owner } = people
    const ada = await someone()
    const from = app.clock.now().getTime()
    const { status, body, headers } = await make(owner, ada.builderId.toUpperCase())
    expect([status, headers.get('cache-control')]).toEqual([201, 'no-store'])
    expect(body).toMatchObject({ builderId: ada.builderId, email: ada.email, mailed: false })
    expect(Date.parse(body.expireTime!)).toBeGreaterThanOrEqual(from + 3_600_000)
    expect(Date.parse(body.expireTime!)).toBeLessThanOrEqual(app.clock.now().getTime() + 3_600_000)
    const token = tokenOf(body.link)
    expect(body.link).toBe(`${app.app.services.publicUrl}/signin/reset?token=${token}`)
    const logged = app.logs.join('')
    expect(logged).toContain('an owner created a link to reset a password')
    expect(logged).toContain(`"by":"${owner.builderId}"`)
    expect(logged).not.toContain(token)

    const older = tokenOf(body.link)
    const newer = tokenOf((await make(owner, ada.builderId)).body.link)
    expect((await complete(older)).status).toBe(401)
    expect((await complete(newer)).status).toBe(204)
    expect((await complete(newer)).status).toBe(401)
    expect(await signIn(ada.email)).toBe(200)
    expect((await ada.call('GET', '/my-info')).status, 'earlier sessions end').toBe(401)
  })

  it('the request for a mail says to ask an owner, for every address, and so does the page', async () => {
    const ada = await someone()
    for (const email of [ada.email, 'nobody@example.com']) {
      const answer = await people.app.call<ProblemBody>('POST', '/password-resets', { email }, { apiKey: null })
      expect(told(answer)).toEqual([409, 'mail-not-set-up'])
    }
    const shown = await openBrowser(people.app.url).get('/signin/forgot')
    expect([shown.status, shown.text]).toEqual([200, expect.stringContaining('Ask an owner of your organization')])
    expect(shown.text).not.toContain('<form')
  })

  it('only an owner makes one, for members alone, and never for themselves', async () => {
    const { owner, member, stranger } = people
    const ada = await someone()
    expect(told(await make(member, ada.builderId))).toEqual([403, 'forbidden'])
    expect(told(await make(ada, ada.builderId))).toEqual([403, 'forbidden'])
    expect((await make(stranger, ada.builderId)).status).toBe(404)
    expect(told(await make(owner, owner.builderId))).toEqual([403, 'forbidden'])
    for (const nobody of [stranger.builderId, 'nobody'])
      expect(told(await make(owner, nobody))).toEqual([404, 'member-not-found'])
    const key = await people.app.call('POST', `/orgs/${people.orgId}/builders/${ada.builderId}/password-resets`)
    expect(key.status).toBe(403)
  })

  it('an owner who was removed a moment ago makes none, whatever role is cached', async () => {
    const { app, owner, orgId } = people
    const [former, ada] = [await someone('owner'), await someone()]
    expect((await make(former, ada.builderId)).status).toBe(201)
    await app.testDatabase.database.system
      .updateTable('memberships')
      .set({ role: 'member' })
      .where('builder_id', '=', former.builderId)
      .where('org_id', '=', orgId)
      .execute()
    expect(told(await make(former, ada.builderId))).toEqual([403, 'forbidden'])
    expect((await make(owner, ada.builderId)).status).toBe(201)
  })
})

describe('an owner takes over no account of another organization', () => {
  it('by adding its people to their own', async () => {
    const [attacker, victim] = [await people.person('attacker@example.com'), await someone('owner')]
    const own = await newOrg(attacker)
    expect(told(await make(attacker, victim.builderId, own))).toEqual([404, 'member-not-found'])
    expect((await make(attacker, victim.builderId)).status).toBe(404)
    expect((await add(attacker, own, victim)).status).toBe(201)
    expect(told(await make(attacker, victim.builderId, own))).toEqual([409, 'member-of-other-org'])
    expect(told(await make(people.owner, victim.builderId))).toEqual([409, 'member-of-other-org'])
  })

  it('by a link from before the person joined the other one', async () => {
    const { owner, orgId } = people
    const attacker = await people.person('early@example.com')
    const own = await newOrg(attacker)
    const victim = await someone('developer', own)
    const token = tokenOf((await make(attacker, victim.builderId, own)).body.link)
    await add(owner, orgId, victim)
    expect(told(await complete(token))).toEqual([401, 'reset-link-refused'])
  })

  it('by a link from before they lost their role', async () => {
    const { owner, orgId } = people
    const [former, ada] = [await someone('owner'), await someone()]
    const token = tokenOf((await make(former, ada.builderId)).body.link)
    await owner.call('DELETE', `/orgs/${orgId}/builders/${former.builderId}`)
    expect(told(await complete(token))).toEqual([401, 'reset-link-refused'])
  })

  it('by invites that wait for the address: it counts as unverified afterwards', async () => {
    const { app, owner, orgId } = people
    const attacker = await people.person('waiting@example.com')
    const own = await newOrg(attacker)
    const victim = await someone('developer', own)
    await owner.call('POST', `/orgs/${orgId}/invites`, { email: victim.email })
    expect((await complete(tokenOf((await make(attacker, victim.builderId, own)).body.link))).status).toBe(204)
    const session = await app.call<{ accessToken: string }>(
      'POST',
      '/sessions',
      { email: victim.email, password: next },
      { apiKey: null },
    )
    const headers = { authorization: `Bearer ${session.body.accessToken}` }
    const accept = { invitedEmail: victim.email }
    const taken = await app.call<ProblemBody>('POST', '/invites:accept', accept, { apiKey: null, headers })
    expect(told(taken)).toEqual([403, 'address-not-verified'])
  })

  it('who signs in with single sign-on', async () => {
    const { app, owner } = people
    const ada = await someone()
    await app.testDatabase.database.system
      .updateTable('builders')
      .set({ idp_provider: 'https://id.example.com', idp_ref: 'ada' })
      .where('id', '=', ada.builderId)
      .execute()
    expect(told(await make(owner, ada.builderId))).toEqual([409, 'signs-in-elsewhere'])
  })
})

it('with a mail server the link goes to the person, and the owner is not shown it', async () => {
  const smtp = await startSmtp()
  const mailing = await startPeople({ MORTISE_SMTP_URL: `smtp://127.0.0.1:${smtp.port}` })
  try {
    const { owner, member, orgId } = mailing
    const { status, body } = await owner.call<Made>(
      'POST',
      `/orgs/${orgId}/builders/${member.builderId}/password-resets`,
    )
    expect([status, body]).toEqual([201, { builderId: member.builderId, email: member.email, mailed: true }])
    await vi.waitFor(() => expect(smtp.received).toHaveLength(1), { timeout: 30_000 })
    expect(smtp.received[0]!.to).toEqual([member.email])
    expect(readable(smtp.received[0]!.text)).toMatch(/\/signin\/reset\?token=[\w-]{43}$/m)
  } finally {
    await mailing.app.stop()
    await smtp.close()
  }
})
