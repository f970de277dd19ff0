import { isIP } from 'node:net'
import { createSecureContext, type SecureContext } from 'node:tls'
import { sql } from 'kysely'
import type { SMTPServerOptions } from 'smtp-server'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { Permanent, Transient } from '../../../kernel/jobs/index.ts'
import { createNameResolver, type NameResolver } from '../../../kernel/net/index.ts'
import { testCertificate } from '../../../kernel/net/test-certificate.ts'
import { readable, startSmtp as startTestSmtp } from '../../../testkit/smtp-server.ts'
import { acceptInviteByToken, orgsJobs } from './index.ts'
import { sendMail } from './mail.ts'
import { startPeople } from './orgs.testkit.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

/** A real mail server that ends with the test. */
async function startSmtp(options?: SMTPServerOptions) {
  const smtp = await startTestSmtp(options)
  closing.push(smtp.close)
  return smtp
}

describe('an invite', () => {
  it('goes out by mail with its link, which nobody else is shown and which proves the address', async () => {
    const smtp = await startSmtp()
    const { app, orgId, owner, person } = await startPeople({
      MORTISE_SMTP_URL: `smtp://127.0.0.1:${smtp.port}`,
      MORTISE_MAIL_FROM: 'Mortise <mortise@sender.example>',
    })
    closing.push(() => app.stop())
    const { status, body } = await owner.call<{ id: string }>('POST', `/orgs/${orgId}/invites`, {
      email: 'Ada@Mailed.example',
    })
    expect(status).toBe(201)
    expect(body).not.toHaveProperty('link')
    await vi.waitFor(() => expect(smtp.received).toHaveLength(1), { timeout: 30_000 })
    const [mail] = smtp.received
    expect([mail!.from, mail!.to]).toEqual(['mortise@sender.example', ['ada@mailed.example']])
    const text = readable(mail!.text)
    expect(text).toContain('From: Mortise <mortise@sender.example>')
    expect(text).toContain('Subject: Invitation to default')
    expect(text).toContain(`Message-ID: <invite-${body.id}@sender.example>`)
    expect(text).toContain('owner@example.com invites you to join default')
    const link = /^http\S+\/signin\/invite\?token=([\w-]{64})$/m.exec(text)
    expect(link?.[0].startsWith(`${app.app.services.publicUrl}/`)).toBe(true)
    const token = link![1]!

    const { system } = app.testDatabase.database
    const { rows: jobs } = await sql<{ data: unknown }>`
      select to_jsonb(job) as data from mortise_jobs.job where name = 'orgs.send-invite'`.execute(system)
    expect(JSON.stringify(jobs)).toContain(body.id)
    const { rows: invites } = await sql`select to_jsonb(invites) from invites`.execute(system)
    for (const place of [jobs, invites, app.logs]) expect(JSON.stringify(place)).not.toContain(token)

    const ada = await person('ada@mailed.example', { emailVerified: false })
    const { services } = app.app
    const accepted = await system
      .transaction()
      .execute((tx) => acceptInviteByToken(tx, services, { token, builderId: ada.builderId }))
    expect(accepted).toEqual({ orgId })
    const next = await owner.call<{ id: string }>('POST', '/orgs', { label: 'next' })
    await owner.call('POST', `/orgs/${next.body.id}/invites`, { email: ada.email })
    expect((await ada.call('POST', '/invites:accept', { invitedEmail: ada.email })).status).toBe(200)
  })

  it('that was revoked before its mail went out is not mailed', async () => {
    const smtp = await startSmtp()
    // A node that only answers: what it enqueues waits.
    const { app, orgId, owner } = await startPeople({
      MORTISE_SMTP_URL: `smtp://127.0.0.1:${smtp.port}`,
      MORTISE_ROLES: 'api',
    })
    closing.push(() => app.stop())
    const { body } = await owner.call<{ id: string }>('POST', `/orgs/${orgId}/invites`, {
      email: 'gone@mailed.example',
    })
    await owner.call('DELETE', `/orgs/${orgId}/invites/${body.id}`)
    await owner.call('POST', `/orgs/${orgId}/invites`, { email: 'next@mailed.example' })
    const { services } = app.app
    await services.queue.work(orgsJobs as never, services)
    await vi.waitFor(() => expect(smtp.received.map(({ to }) => to)).toEqual([['next@mailed.example']]), {
      timeout: 30_000,
    })
    const { system } = app.testDatabase.database
    await vi.waitFor(async () => {
      const { rows } = await sql<{ state: string }>`
        select state::text from mortise_jobs.job where name = 'orgs.send-invite'`.execute(system)
      expect(rows.map(({ state }) => state)).toEqual(['completed', 'completed'])
    }, 20_000)
    expect(smtp.received).toHaveLength(1)
  })
})

describe('a mail', () => {
  const mail = { id: 'x', from: 'a@sender.example', to: 'b@example.com', subject: 'Hello', text: 'Hello.' }
  const send = (smtpUrl: string, names: NameResolver = createNameResolver()) =>
    sendMail({ smtpUrl, names }, mail, AbortSignal.timeout(5_000))
  /** Resolves every name to one address. */
  const namesAt = (address: string): NameResolver => {
    const found = [{ address, family: isIP(address) === 6 ? (6 as const) : (4 as const) }]
    return {
      known: () => found,
      resolve: async () => found,
      isBusy: () => false,
      lookup: (_, __, callback) => callback(null, found),
    }
  }

  it.each(['169.254.169.254', '[fe80::1]', '[fd00:ec2::254]', '[::ffff:169.254.169.254]', '100.100.100.200'])(
    'is not sent to the link-local or metadata address %s',
    async (host) => {
      for (const scheme of ['smtp', 'smtps'])
        await expect(send(`${scheme}://${host}:25`)).rejects.toMatchObject({ cause: { kind: 'refused_address' } })
    },
  )

  it('is not sent to a name that resolves to a metadata address', async () => {
    const error = await send('smtp://mail.example', namesAt('169.254.169.254')).catch((thrown: Error) => thrown)
    expect(error).toBeInstanceOf(Transient)
    expect(error).toMatchObject({
      cause: { kind: 'refused_address', message: expect.stringContaining('mail.example:587') },
    })
  })

  it('is sent to a private address that the setting names, by our own resolver', async () => {
    const smtp = await startSmtp()
    await send(`smtp://127.0.0.1:${smtp.port}`)
    await send(`smtp://mail.internal:${smtp.port}`, namesAt('127.0.0.1'))
    expect(smtp.received).toHaveLength(2)
  })

  it.each([
    ['smtps', { secure: true }],
    ['smtp', { secure: false, disabledCommands: ['AUTH'] }],
  ])('is sent over TLS with the name of the setting (%s)', async (scheme, options) => {
    const asked: string[] = []
    const smtp = await startSmtp({
      ...options,
      ...testCertificate,
      SNICallback: (name: string, callback: (error: null, context?: SecureContext) => void) => {
        asked.push(name)
        callback(null, createSecureContext(testCertificate))
      },
    } as SMTPServerOptions)
    const url = `${scheme}://name.example:${smtp.port}/?requireTLS=true&tls.rejectUnauthorized=false`
    await send(url, namesAt('127.0.0.1'))
    expect(asked).toEqual(['name.example'])
    expect(smtp.received).toMatchObject([{ secure: true }])
  })

  it('that the server will never take is given up', async () => {
    const refuse = Object.assign(new Error('no such user'), { responseCode: 550 })
    const smtp = await startSmtp({ onRcptTo: (_, __, callback) => callback(refuse) })
    await expect(send(`smtp://127.0.0.1:${smtp.port}`)).rejects.toBeInstanceOf(Permanent)
  })

  it('that the server cannot take now is tried again', async () => {
    const later = Object.assign(new Error('greylisted'), { responseCode: 451 })
    const smtp = await startSmtp({ onRcptTo: (_, __, callback) => callback(later) })
    await expect(send(`smtp://127.0.0.1:${smtp.port}`)).rejects.toBeInstanceOf(Transient)
    await expect(send('smtp://127.0.0.1:1')).rejects.toBeInstanceOf(Transient)
  })

  it('is signed in for over TLS alone: no password leaves in plain', async () => {
    const attempts: string[] = []
    const onAuth: SMTPServerOptions['onAuth'] = (auth, _, callback) => {
      attempts.push(`${auth.username} ${auth.password}`)
      callback(null, { user: auth.username ?? '' })
    }
    const plain = await startSmtp({ onAuth, disabledCommands: ['STARTTLS'], allowInsecureAuth: true })
    const error = await send(`smtp://mortise:hunter2@127.0.0.1:${plain.port}`).catch((thrown: Error) => thrown)
    expect(error).toBeInstanceOf(Transient)
    expect(JSON.stringify([error, String((error as Error).cause)])).not.toContain('hunter2')
    expect([attempts, plain.received]).toEqual([[], []])

    const upgraded = await startSmtp({ onAuth, disabledCommands: [], ...testCertificate })
    const url = `smtp://mortise:hunter2@127.0.0.1:${upgraded.port}`
    await expect(send(url), 'a certificate that nobody vouches for').rejects.toBeInstanceOf(Transient)
    expect(attempts).toEqual([])
    await send(`${url}/?tls.rejectUnauthorized=false`)
    expect(attempts).toEqual(['mortise hunter2'])
    expect(upgraded.received).toMatchObject([{ secure: true, user: 'mortise' }])
  })

  it('ends when its job is told to', async () => {
    const smtp = await startSmtp({ onData: (stream) => stream.resume() })
    const stop = new AbortController()
    const server = { smtpUrl: `smtp://127.0.0.1:${smtp.port}`, names: createNameResolver() }
    const sending = sendMail(server, mail, stop.signal)
    stop.abort()
    await expect(sending).rejects.toBeInstanceOf(Transient)
  })
})
