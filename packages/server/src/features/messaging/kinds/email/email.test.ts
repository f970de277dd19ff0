import { afterEach, describe, expect, it } from 'vitest'
import { createAddressGuard, parseAllowedNetworks } from '../../../../kernel/net/index.ts'
import { testCertificate } from '../../../../kernel/net/test-certificate.ts'
import { readable, startSmtp } from '../../../../testkit/smtp-server.ts'
import { openForTest, testMessages } from '../conformance.testkit.ts'
import { openTemplate } from '../template.ts'
import { harness, login } from './conformance.testkit.ts'
import { mailText, subjectOf } from './email-text.ts'
import { startFakeSmtp } from './fake-smtp.testkit.ts'
import { email } from './index.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})
const open = (settings: object) => {
  const opened = openForTest(email, settings)
  closing.push(opened.close)
  return opened
}
const addresses = { from: 'mortise@sender.example', to: 'ops@example.com' }
const notification = (data: object) => ({
  ...testMessages('x')[0]!,
  eventType: 'connection.error',
  body: Buffer.from(JSON.stringify({ notificationType: 'connection.error', data })),
})
const hostile = 'Acme\r\nBcc: victim@example.com\r\n\r\nHello\u2028\u0085\0'

describe('settings', () => {
  const read = (input: object, allow = '') =>
    email.readSettings({ host: 'smtp.example.com', ...addresses, ...input }, 'metadata', {
      guard: createAddressGuard({ allow: parseAllowedNetworks(allow) }),
    })
  const names = (input: object, allow?: string) => read(input, allow).issues.map(({ name }) => name)

  it.each([
    ['from', 'Mortise <mortise@example.com>'],
    ['from', 'mortise@example.com\r\nBcc: x@example.com'],
    ['from', '"a b"@example.com'],
    ['to', 'ops@example.com\r\nRCPT TO:<x@example.com>'],
    ['to', 'ops@example.com,'],
    ['to', Array.from({ length: 21 }, (_, at) => `a${at}@example.com`).join(',')],
    ['to', ['ops@example.com']],
    ['host', 'smtp.example.com:25'],
    ['host', '10.1.2.3'],
    ['port', 80],
    ['port', 70_000],
  ])('with the %s %j are refused', (name, value) => {
    expect(names({ [name]: value })).toEqual([`metadata.${name}`])
  })

  it('without TLS need a private network', () => {
    expect(names({ host: '203.0.114.5', tls: false })).toEqual(['metadata.host'])
    expect(names({ host: '127.0.0.1', tls: false, port: 25 }, 'loopback')).toEqual([])
    for (const port of [25, 465, 587, 2_525]) expect(names({ port })).toEqual([])
  })
})

describe('a mail', () => {
  it('says in its subject and first line what a message is about', () => {
    const message = notification({ groupRef: 'acme', groupName: 'Acme', provider: 'hubspot' })
    expect(subjectOf(undefined, message)).toBe('connection.error: group acme, name Acme, provider hubspot')
    expect(mailText(message)).toMatch(
      /^\S+ connection\.error: group acme, name Acme, provider hubspot \(0197b1c0-\S+\)\n\n\{/,
    )
    expect(subjectOf(openTemplate('data.data.groupName'), message)).toBe('Acme')
    const read = { ...message, kind: 'read', eventType: undefined, body: Buffer.from('{"objectName":"contact"}') }
    expect(subjectOf(undefined, read)).toBe('read: object contact')
    expect(mailText({ ...read, body: Buffer.from(`{"a":"${'😀'.repeat(20_000)}"}`) })).toMatch(
      /… \(\d+ more characters\)\n$/,
    )
  })

  it.each([undefined, 'data.data.groupName'])(
    'gets no header from what a customer set (%s)',
    async (subjectTemplate) => {
      const fake = await startFakeSmtp(login)
      closing.push(fake.stop)
      const settings = { ...addresses, ...login, host: '127.0.0.1', port: fake.port, tls: false }
      const { send } = open({ ...settings, ...(subjectTemplate !== undefined && { subjectTemplate }) })
      const message = notification({ groupRef: hostile, groupName: hostile, provider: hostile })
      expect(await send([message])).toMatchObject([{ outcome: 'delivered' }])
      const [mail = ''] = fake.mails()
      const headers = mail
        .slice(0, mail.indexOf('\r\n\r\n'))
        .replaceAll(/\r\n[ \t]/g, ' ')
        .split('\r\n')
      expect(headers.map((line) => line.slice(0, line.indexOf(':'))).sort()).toEqual(
        [
          ...[
            'Auto-Submitted',
            'Content-Transfer-Encoding',
            'Content-Type',
            'Date',
            'From',
            'MIME-Version',
            'Message-ID',
          ],
          ...['Subject', 'To'],
        ].sort(),
      )
      expect(headers.find((line) => line.startsWith('Subject:'))).toContain('Acme  Bcc: victim')
    },
  )

  it('of a digest has a line for each message', async () => {
    const fake = await startFakeSmtp(login)
    closing.push(fake.stop)
    const settings = { ...addresses, ...login, host: '127.0.0.1', port: fake.port, tls: false, digest: true }
    const messages = ['acme', 'umbrella', hostile].map((groupRef) => notification({ groupRef }))
    const { send } = open(settings)
    expect(await send(messages)).toMatchObject(messages.map(() => ({ outcome: 'delivered' })))
    expect(await send(messages.slice(0, 1))).toMatchObject([{ outcome: 'delivered' }])
    const [digest = '', single = ''] = fake.mails().map(readable)
    expect(digest).toContain('Subject: 3 messages: connection.error (3)\n')
    expect(digest.match(/^\S+Z connection\.error: group /gm)).toHaveLength(3)
    expect(single).toContain('Subject: connection.error: group acme\n')
  })
})

describe('a server', () => {
  it.each([
    ['refuses the password', 'refused the user name or password (535)'],
    ['refuses the recipients', 'refused the sender or all recipients (550)'],
    ['takes no mail', 'did not take the mail (554)'],
    ['takes smaller mails', 'does not accept mails of this size (552)'],
  ])('that %s is named', async (behavior, reason) => {
    const target = await harness.start()
    closing.push(target.stop)
    target.behave(behavior)
    const [result] = await open(target.settings).send(testMessages('x'))
    expect(result?.error).toContain(reason)
  })

  it('that offers no TLS gets neither a password nor a mail', async () => {
    const smtp = await startSmtp({ disabledCommands: ['STARTTLS'], allowInsecureAuth: true })
    closing.push(smtp.close)
    const { send } = open({ ...addresses, ...login, host: '127.0.0.1', port: smtp.port })
    await expect(send(testMessages('x'))).rejects.toMatchObject({ kind: 'tls' })
    expect(smtp.received).toEqual([])
  })

  it('gets a mail over TLS if its certificate is valid, with a login', async () => {
    const smtp = await startSmtp({
      ...testCertificate,
      disabledCommands: [],
      onAuth: (auth, _, callback) =>
        auth.password === login.password
          ? callback(null, { user: auth.username ?? '' })
          : callback(Object.assign(new Error('no'), { responseCode: 535 })),
    })
    closing.push(smtp.close)
    const settings = { ...addresses, ...login, host: '127.0.0.1', port: smtp.port }
    await expect(open(settings).send(testMessages('x'))).rejects.toMatchObject({ kind: 'tls' })
    const trusted = { ...settings, caCertificate: testCertificate.cert }
    expect(await open(trusted).send(testMessages('ä'))).toMatchObject([{ outcome: 'delivered' }])
    expect(smtp.received).toMatchObject([
      { from: addresses.from, to: ['ops@example.com'], secure: true, user: login.username },
    ])
    expect(smtp.received[0]?.text).toContain('Message-ID: <0197b1c0-0000-7000-8000-000000000000@sender.example>')
  })
})
