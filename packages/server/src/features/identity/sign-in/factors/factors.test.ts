import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { readable, startSmtp, type TestSmtp } from '../../../../testkit/smtp-server.ts'
import { startTestApp, type TestApp } from '../../../../testkit/test-app.ts'
import { codeAt, createPerson, enrollTotp, type Person, password } from './factors.testkit.ts'

let smtp: TestSmtp
let app: TestApp
let person: Person
let people = 0
beforeAll(async () => {
  smtp = await startSmtp()
  app = await startTestApp({
    env: { MORTISE_TRUSTED_PROXIES: '127.0.0.1', MORTISE_SMTP_URL: `smtp://127.0.0.1:${smtp.port}` },
  })
})
afterAll(async () => {
  await app?.stop()
  await smtp?.close()
})
beforeEach(async () => {
  person = await createPerson(app, `ada-${++people}@example.com`, { role: 'developer' })
  await sql`delete from sign_in_attempts`.execute(system())
})

const system = () => app.testDatabase.database.system
const signIn = async (code?: string, from = '203.0.113.1', email = person.email) => {
  const body = { email, password, ...(code !== undefined && { code }) }
  const answer = await app.call('POST', '/sessions', body, { apiKey: null, headers: { 'x-forwarded-for': from } })
  return { status: answer.status, body: answer.body as { context: { code: string; factors: string[] } } }
}
const outcome = async (code?: string, from?: string, email?: string) => {
  const { status, body } = await signIn(code, from, email)
  return status === 200 ? 'signed in' : body.context.code
}

describe('an authenticator app', () => {
  it('once confirmed, is asked for after the right password alone', async () => {
    const began = await person.call('POST', '/my-info/factors:beginTotp')
    expect(began.status).toBe(200)
    expect(await outcome(), 'an app that is not confirmed').toBe('signed in')
    const { nextCode } = await enrollTotp(app, person)
    const required = await signIn()
    expect(required.status).toBe(401)
    expect(required.body.context).toMatchObject({ code: 'second-factor-required', factors: ['totp', 'recoveryCode'] })
    expect(await outcome(nextCode())).toBe('signed in')
    const wrong = await app.call(
      'POST',
      '/sessions',
      { email: person.email, password: 'wrong', code: nextCode() },
      { apiKey: null },
    )
    expect(wrong.body).toMatchObject({ context: { code: 'sign-in-refused' } })
  })

  it('accepts a code once, and none of a step before the last one', async () => {
    const { secret, confirmingCode, nextCode } = await enrollTotp(app, person)
    expect(await outcome(confirmingCode), 'the code that confirmed the app').toBe('second-factor-refused')
    const code = nextCode()
    const earlier = codeAt(secret, new Date(app.clock.now().getTime() - 30_000))
    expect(await outcome(`${code.slice(0, 3)} ${code.slice(3)}`)).toBe('signed in')
    expect(await outcome(code), 'replayed').toBe('second-factor-refused')
    expect(await outcome(earlier), 'an earlier step').toBe('second-factor-refused')
    expect(await outcome(nextCode())).toBe('signed in')
  })

  it('accepts one of two simultaneous sign-ins with the same code', async () => {
    const { nextCode } = await enrollTotp(app, person)
    const code = nextCode()
    expect((await Promise.all([outcome(code), outcome(code)])).toSorted()).toEqual([
      'second-factor-refused',
      'signed in',
    ])
  })

  it('has a secret that is stored encrypted, in no list, log or error', async () => {
    const { secret, recoveryCodes, nextCode } = await enrollTotp(app, person)
    await outcome(nextCode())
    await outcome('123456')
    const list = await person.call<{ factors: object[]; recoveryCodesLeft: number }>('GET', '/my-info/factors')
    expect(list.body).toEqual({
      factors: [
        {
          id: expect.any(String),
          kind: 'totp',
          name: 'Phone',
          createTime: expect.any(String),
          lastUseTime: expect.any(String),
        },
      ],
      recoveryCodesLeft: 10,
    })
    const { rows } = await sql<{ text: string }>`
      select factors::text as text from factors union all select factor_setups::text from factor_setups
      union all select recovery_codes::text from recovery_codes union all select audit_entries::text from audit_entries`.execute(
      system(),
    )
    const everything = [...rows.map(({ text }) => text), ...app.logs, JSON.stringify(list.body)].join('\n')
    for (const hidden of [secret, ...recoveryCodes]) expect(everything).not.toContain(hidden)
  })

  it('is confirmed with its own code, in the session that began it, within ten minutes', async () => {
    const confirm = (code: string, who = person) => who.call('POST', '/my-info/factors:confirmTotp', { code })
    expect((await confirm('123456')).body.context.code).toBe('factor-not-begun')
    const { secret } = (await person.call<{ secret: string }>('POST', '/my-info/factors:beginTotp')).body
    expect((await confirm('123456')).body.context.code).toBe('factor-refused')
    const elsewhere = await createPerson(app, person.email)
    expect((await confirm(codeAt(secret, app.clock.now()), elsewhere)).body.context.code).toBe('factor-not-begun')
    app.clock.advance(600_001)
    await person.call('POST', '/my-info/proof', { password })
    expect((await confirm(codeAt(secret, app.clock.now()))).body.context.code).toBe('factor-not-begun')
    expect((await enrollTotp(app, person)).recoveryCodes).toHaveLength(10)
  })
})

describe('wrong codes', () => {
  it('are limited for each account and address, and by the right password not reset', async () => {
    const { nextCode } = await enrollTotp(app, person)
    const outcomes: string[] = []
    for (let at = 0; at < 11; at++) outcomes.push(await outcome('000000', '203.0.113.9'))
    expect(outcomes).toEqual([...Array(10).fill('second-factor-refused'), 'too-many-attempts'])
    expect(await outcome(nextCode(), '203.0.113.9')).toBe('too-many-attempts')
    expect(await outcome(nextCode(), '203.0.113.10'), 'from another address').toBe('signed in')
    app.clock.advance(3_600_001)
    expect(await outcome(nextCode(), '203.0.113.9')).toBe('signed in')
  })

  it('from many addresses are limited for the account, whose owner gets an email', async () => {
    const { nextCode } = await enrollTotp(app, person)
    const outcomes: string[] = []
    for (let at = 0; at < 21; at++) outcomes.push(await outcome('000000', `198.51.100.${at}`))
    expect(outcomes).toEqual([...Array(20).fill('second-factor-refused'), 'too-many-attempts'])
    expect(await outcome(nextCode(), '198.51.100.200')).toBe('too-many-attempts')
    await vi.waitFor(
      () => expect(mailsTo(person.email)).toContainEqual(expect.stringContaining('They entered your password')),
      {
        timeout: 30_000,
      },
    )
  })
})

const mailsTo = (email: string) =>
  smtp.received.filter(({ to }) => to.includes(email)).map(({ text }) => readable(text))

describe('recovery codes', () => {
  it('sign in once each, however they are typed', async () => {
    const { recoveryCodes } = await enrollTotp(app, person)
    expect(new Set(recoveryCodes).size).toBe(10)
    expect(recoveryCodes[0]).toMatch(/^[0-9A-HJKMNP-TV-Z]{6}(-[0-9A-HJKMNP-TV-Z]{6}){3}$/)
    expect(await outcome(recoveryCodes[0]!.toLowerCase().replaceAll('-', ' '))).toBe('signed in')
    expect(await outcome(recoveryCodes[0])).toBe('second-factor-refused')
    expect(await outcome(recoveryCodes[1])).toBe('signed in')
    expect((await person.call('GET', '/my-info/factors')).body).toMatchObject({ recoveryCodesLeft: 8 })
  })

  it('of another person do not sign in', async () => {
    const other = await createPerson(app, `other-${people}@example.com`)
    const { recoveryCodes } = await enrollTotp(app, other)
    await enrollTotp(app, person)
    expect(await outcome(recoveryCodes[0])).toBe('second-factor-refused')
  })

  it('are replaced by new ones, and need a factor', async () => {
    expect((await person.call('POST', '/my-info/recovery-codes')).body.context.code).toBe('no-factors')
    const { recoveryCodes } = await enrollTotp(app, person)
    const renewed = await person.call<{ recoveryCodes: string[] }>('POST', '/my-info/recovery-codes')
    expect(renewed.status).toBe(201)
    expect(await outcome(recoveryCodes[0])).toBe('second-factor-refused')
    expect(await outcome(renewed.body.recoveryCodes[0])).toBe('signed in')
  })
})

describe('changing factors', () => {
  it('needs a proof in the same session within ten minutes', async () => {
    const { factorId, nextCode } = await enrollTotp(app, person)
    const changes: [string, string, unknown?][] = [
      ['POST', '/my-info/factors:beginTotp'],
      ['POST', '/my-info/factors:confirmTotp', { code: '123456' }],
      ['POST', '/my-info/factors:beginPasskey'],
      ['POST', '/my-info/recovery-codes'],
      ['DELETE', `/my-info/factors/${factorId}`],
    ]
    const stolen = await createPerson(app, person.email, { isProven: false })
    app.clock.advance(600_000)
    for (const who of [stolen, person])
      for (const [method, path, body] of changes)
        expect((await who.call(method, path, body)).body.context?.code, `${method} ${path}`).toBe('proof-required')
    const prove = async (body: object) => (await person.call('POST', '/my-info/proof', body)).body.context?.code
    expect(await prove({ password: 'not the password' })).toBe('proof-refused')
    expect(await prove({ code: '000000' })).toBe('proof-refused')
    expect(await prove({})).toBe('invalid-input')
    expect(await prove({ code: nextCode() })).toBeUndefined()
    expect((await person.call('DELETE', `/my-info/factors/${factorId}`)).status).toBe(204)
  })

  it('limits wrong proofs of a session', async () => {
    await enrollTotp(app, person)
    const prove = async (body: object) => (await person.call('POST', '/my-info/proof', body)).body.context?.code
    for (const [body, right] of [
      [{ password: 'wrong' }, { password }],
      [{ code: '000000' }, { code: '111111' }],
    ]) {
      const codes: unknown[] = []
      for (let at = 0; at < 11; at++) codes.push(await prove(body!))
      expect(codes).toEqual([...Array(10).fill('proof-refused'), 'too-many-attempts'])
      expect(await prove(right!)).toBe('too-many-attempts')
    }
  })

  it('removes the recovery codes with the last factor, and the password alone signs in again', async () => {
    const { factorId, recoveryCodes } = await enrollTotp(app, person)
    expect((await person.call('DELETE', `/my-info/factors/${factorId}`)).status).toBe(204)
    expect((await person.call('DELETE', `/my-info/factors/${factorId}`)).body.context.code).toBe('factor-not-found')
    expect(await outcome()).toBe('signed in')
    await enrollTotp(app, person)
    expect(await outcome(recoveryCodes[0])).toBe('second-factor-refused')
  })

  it('hides the factors of other people', async () => {
    const { factorId } = await enrollTotp(app, person)
    const other = await createPerson(app, `eve-${people}@example.com`)
    expect((await other.call('DELETE', `/my-info/factors/${factorId}`)).body.context.code).toBe('factor-not-found')
    expect((await other.call('DELETE', '/my-info/factors/not-an-id')).body.context.code).toBe('factor-not-found')
    expect((await other.call('GET', '/my-info/factors')).body).toEqual({ factors: [], recoveryCodesLeft: 0 })
  })

  it('is emailed, and leaves entries in the audit log without secrets', async () => {
    const { factorId } = await enrollTotp(app, person)
    await person.call('POST', '/my-info/recovery-codes')
    await person.call('DELETE', `/my-info/factors/${factorId}`)
    await vi.waitFor(() => expect(mailsTo(person.email)).toHaveLength(3), { timeout: 30_000 })
    const mails = mailsTo(person.email).join('\n')
    for (const sentence of ['"Phone" was added', 'recovery codes of your account were replaced', '"Phone" was removed'])
      expect(mails).toContain(sentence)
    const { rows } = await sql<{ action: string; resource_id: string }>`
      select action, resource_id from audit_entries where actor_id = ${person.builderId} order by id`.execute(system())
    expect(rows.map(({ action }) => action)).toEqual([
      'createMyProof',
      'confirmTotp',
      'replaceMyRecoveryCodes',
      'deleteMyFactor',
    ])
    expect(rows.filter(({ resource_id }) => resource_id === factorId)).toHaveLength(2)
  })

  it('is limited to ten factors', async () => {
    await enrollTotp(app, person)
    await sql`insert into factors (id, builder_id, kind, name, encrypted_secret)
      select gen_random_uuid(), ${person.builderId}, 'totp', 'more', encrypted_secret from factors, generate_series(1, 9)
       where builder_id = ${person.builderId}`.execute(system())
    expect((await person.call('POST', '/my-info/factors:beginTotp')).body.context.code).toBe('too-many-factors')
  })
})

describe('a lost factor', () => {
  const owner = async () => await createPerson(app, `owner-${people}@example.com`, { role: 'owner' })
  const orgId = async () =>
    (await sql<{ id: string }>`select org_id as id from projects where name = 'default'`.execute(system())).rows[0]!.id

  it('is removed by an owner, which ends the sessions of the person', async () => {
    const { recoveryCodes } = await enrollTotp(app, person)
    const path = `/orgs/${await orgId()}/builders/${person.builderId}/factors`
    expect((await person.call('DELETE', path)).status, 'a member').toBe(403)
    const boss = await owner()
    expect((await boss.call('DELETE', path)).status).toBe(204)
    expect((await person.call('GET', '/my-info')).status).toBe(401)
    expect(await outcome()).toBe('signed in')
    person = await createPerson(app, person.email)
    await enrollTotp(app, person)
    expect(await outcome(recoveryCodes[0])).toBe('second-factor-refused')
    const own = `/orgs/${await orgId()}/builders/${boss.builderId}/factors`
    expect((await boss.call('DELETE', own)).body.context.code).toBe('forbidden')
  })

  it('of a person of another organization, too, is not removed by an owner', async () => {
    await enrollTotp(app, person)
    const boss = await owner()
    const { rows } = await sql<{ id: string }>`select org_id as id from projects where name = 'other'`.execute(system())
    await sql`insert into memberships (org_id, builder_id, role) values (${rows[0]!.id}, ${person.builderId}, 'member')`.execute(
      system(),
    )
    const path = (builderId: string) => `/orgs/${rows[0]!.id}/builders/${builderId}/factors`
    expect((await boss.call('DELETE', path(person.builderId))).status, 'not the owner’s organization').toBe(404)
    const mine = `/orgs/${await orgId()}/builders/${person.builderId}/factors`
    expect((await boss.call('DELETE', mine)).body.context.code).toBe('member-of-other-org')
    expect(await outcome()).toBe('second-factor-required')
  })

  it('stays when the password is reset', async () => {
    await enrollTotp(app, person)
    const { newOperatorReset } = await import('../index.ts')
    const services = { now: app.clock.now, publicUrl: app.app.services.publicUrl, singleSignOn: undefined }
    const reset = async (removeFactors: boolean) => {
      const { link } = await newOperatorReset(system(), services, { email: person.email, removeFactors })
      const token = new URL(link).searchParams.get('token')
      return (await app.call('POST', '/password-resets:complete', { token, newPassword: password }, { apiKey: null }))
        .status
    }
    expect(await reset(false)).toBe(204)
    expect(await outcome()).toBe('second-factor-required')
    expect(await reset(true), 'the operator says so').toBe(204)
    expect(await outcome()).toBe('signed in')
  })
})
