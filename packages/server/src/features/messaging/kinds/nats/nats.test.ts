import { type JetStreamManager, jetstreamManager } from '@nats-io/jetstream'
import { connect, type NatsConnection, nkeys } from '@nats-io/transport-node'
import { Webhook } from 'standardwebhooks'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createAddressGuard, parseAllowedNetworks } from '../../../../kernel/net/index.ts'
import { testCertificate } from '../../../../kernel/net/test-certificate.ts'
import { namesAt, openForTest, testMessages } from '../conformance.testkit.ts'
import { openTemplate } from '../template.ts'
import { harness } from './conformance.testkit.ts'
import { parseCredentials } from './credentials.ts'
import { nats } from './index.ts'
import { subjectOf } from './nats-sender.ts'
import { hasNatsServer, type NatsServer, startNatsServer } from './nats-server.testkit.ts'

const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})
const open = (settings: object, options?: Parameters<typeof openForTest>[2]) => {
  const opened = openForTest(nats, settings, options)
  closing.push(opened.close)
  return opened
}
const seed = new TextDecoder().decode(nkeys.createUser().getSeed())
const jwt = 'eyJ0eXAiOiJKV1QifQ.eyJzdWIiOiJVIn0.c2lnbmF0dXJl'
const file = `-----BEGIN NATS USER JWT-----\n${jwt}\n------END NATS USER JWT------\n\n-----BEGIN USER NKEY SEED-----\n${seed}\n------END USER NKEY SEED------\n`

describe('settings', () => {
  const read = (input: object) =>
    nats.readSettings({ serverUrl: 'tls://nats.example.com', subject: 'mortise', ...input }, 'metadata', {
      guard: createAddressGuard({ allow: parseAllowedNetworks('') }),
    })

  it('have one kind of credentials, or none', () => {
    for (const input of [{}, { username: 'u', password: 'p' }, { token: 't' }, { credentials: file }])
      expect(read(input).issues).toEqual([])
    const names = (input: object) => read(input).issues.map(({ name }) => name)
    expect(names({ username: 'u' })).toEqual(['metadata.password'])
    expect(names({ password: 'p' })).toEqual(['metadata.username'])
    expect(names({ token: 't', credentials: seed })).toEqual(['metadata.credentials'])
    expect(names({ credentials: `${seed}x` })).toEqual(['metadata.credentials'])
  })

  it.each([
    'nats://203.0.114.5',
    'tls://10.1.2.3',
    'tls://a:b@nats.example.com',
    'tls://nats.example.com/x',
    'ws://a.b',
  ])('%s is refused', (serverUrl) => {
    expect(read({ serverUrl }).issues.map(({ name }) => name)).toEqual(['metadata.serverUrl'])
  })

  it('credentials are a file with a JWT and a seed, or a seed', () => {
    expect(parseCredentials(file)).toEqual({ jwt, seed })
    expect(parseCredentials(file.replaceAll('\n', '\r\n'))).toEqual({ jwt, seed })
    expect(parseCredentials(`${seed}\n`)).toEqual({ seed })
    for (const text of ['', 'hello', file.slice(0, 120), file.replace('SU', 'SA')])
      expect(parseCredentials(text)).toBeUndefined()
    expect(nats.secretsOf({ serverUrl: '', subject: '', credentials: file })).toEqual([seed, jwt])
  })
})

describe('a subject', () => {
  const [message] = testMessages('x')
  const of = (groupRef: unknown) =>
    subjectOf('mortise', openTemplate('data.groupRef'), {
      ...message!,
      body: Buffer.from(JSON.stringify({ groupRef })),
    })

  it('says what the message is about, below the words of the settings', () => {
    expect(subjectOf('mortise.crm', undefined, message!)).toBe('mortise.crm.notification.destination.test')
    expect(of('acme')).toBe('mortise.acme')
  })

  it('of a value that a customer set is one of a message, whatever it contains', () => {
    for (const text of ['$JS.API.>', 'a b\r\nPUB x 1', '*', '. .', 'ü'.repeat(5_000), `${'a.'.repeat(400)}`, '\ud800'])
      expect(of(text)).toMatch(/^mortise(\.[^\s.*>\p{Cc}]+)+$/u)
    expect(of('...')).toBe('mortise')
    expect(Buffer.byteLength(of('😀'.repeat(400)))).toBeLessThan(520)
  })
})

describe('a server', () => {
  it.each([
    ['refuses the password', 'refused the credentials'],
    ['permits no subscription', 'subscribe to _INBOX.>'],
    ['permits no publication', 'not permit this user to publish to mortise.crm.notification.destination.test'],
    ['has no stream', 'No stream takes the subject'],
    ['has a full stream', 'error 10077'],
    ['requires TLS', 'requires TLS: use tls://'],
    ['is another protocol', 'not answer like a NATS server'],
    ['finds the connection stale', 'answered with an error'],
  ])('that %s is named', async (behavior, reason) => {
    const target = await harness.start()
    closing.push(target.stop)
    target.behave(behavior)
    const { send } = open(target.settings)
    const results = await send(testMessages('x')).catch((error: Error) => [{ error: error.message }])
    expect(results).toMatchObject([{ error: expect.stringContaining(reason) }])
  })

  it('without TLS is not logged in to where TLS is required', async () => {
    const target = await harness.start()
    closing.push(target.stop)
    const settings = { ...target.settings, serverUrl: `tls://127.0.0.1:${target.port}` }
    await expect(open(settings).send(testMessages('x'))).rejects.toMatchObject({ kind: 'tls' })
  })

  it('gets no message that is larger than it accepts', async () => {
    const target = await harness.start()
    closing.push(target.stop)
    const results = await open(target.settings).send(testMessages('x'.repeat(2 ** 20), 'small'))
    expect(results.map(({ outcome }) => outcome)).toEqual(['refused', 'delivered'])
  })
})

describe.skipIf(!hasNatsServer())('a real NATS', () => {
  let server: NatsServer
  let admin: NatsConnection
  let manager: JetStreamManager
  const user = nkeys.createUser()
  const permissions = 'permissions: { publish: ["mortise.>"], subscribe: ["_INBOX.>"] }'
  beforeAll(async () => {
    server = await startNatsServer({
      configuration: `authorization { users: [
        { user: admin, password: admin }
        { user: mortise, password: "a-secret", ${permissions} }
        { user: deaf, password: "a-secret", permissions: { publish: [">"], subscribe: ["other"] } }
        { nkey: ${user.getPublicKey()}, ${permissions} }
      ] }`,
    })
    admin = await connect({ port: server.port, user: 'admin', pass: 'admin' })
    manager = await jetstreamManager(admin)
    await manager.streams.add({ name: 'MORTISE', subjects: ['mortise.>'], max_msg_size: 400_000 })
  })
  afterAll(async () => {
    await admin?.close()
    await server?.stop()
  })
  const login = { username: 'mortise', password: 'a-secret' }
  const settings = () => ({ serverUrl: `nats://127.0.0.1:${server.port}`, subject: 'mortise' })

  it('stores messages in their order and once, which a consumer can verify', async () => {
    const { send, secret } = open({ ...settings(), ...login })
    const messages = testMessages('ä', 'two', 'x'.repeat(300_000))
    for (let attempt = 0; attempt < 2; attempt++)
      expect((await send(messages)).map(({ outcome }) => outcome)).toEqual(messages.map(() => 'delivered'))
    expect((await manager.streams.info('MORTISE')).state.messages).toBe(3)
    for (const [index, { id, body }] of messages.entries()) {
      const found = await manager.streams.getMessage('MORTISE', { seq: index + 1 })
      if (!found) throw new Error('there is no message')
      expect(found.subject).toBe('mortise.notification.destination.test')
      expect(Buffer.from(found.data).equals(body)).toBe(true)
      const headers = Object.fromEntries(found.header.keys().map((key) => [key, found.header.get(key)]))
      expect(headers).toMatchObject({ 'Nats-Msg-Id': id, kind: 'notification', project: 'project-1' })
      expect(new Webhook(secret).verify(found.data.toString() && body.toString(), headers)).toEqual(
        JSON.parse(body.toString()),
      )
    }
  })

  it('accepts the seed of an nkey', async () => {
    const { send } = open({ ...settings(), credentials: new TextDecoder().decode(user.getSeed()) })
    expect(await send(testMessages('x'))).toMatchObject([{ outcome: 'delivered' }])
  })

  it.each<[string, object, string]>([
    ['a wrong password', { ...login, password: 'wrong' }, 'refused the credentials'],
    ['an unknown nkey', { credentials: seed }, 'refused the credentials'],
    ['no permission to publish', { ...login, subject: 'other' }, 'publish to other.notification'],
    ['no permission for replies', { ...login, username: 'deaf' }, 'subscribe to _INBOX'],
    ['no stream', { username: 'admin', password: 'admin', subject: 'other' }, 'No stream takes the subject'],
  ])('names %s', async (_, more, reason) => {
    const [result] = await open({ ...settings(), ...more }).send(testMessages('x'))
    expect(result).toMatchObject({ outcome: 'retry', error: expect.stringContaining(reason) })
    expect(JSON.stringify(result)).not.toContain('a-secret')
  })

  it('names a seed that is not valid, without it', async () => {
    const broken = `SU${'A'.repeat(56)}`
    const sending = open({ ...settings(), credentials: broken }).send(testMessages('x'))
    await expect(sending).rejects.toMatchObject({ message: 'The nkey seed in the credentials is not valid.' })
  })

  it('refuses for good what its stream never takes', async () => {
    const messages = testMessages('x'.repeat(500_000), 'y').map((one, at) => ({ ...one, id: `new-${at}` }))
    const results = await open({ ...settings(), ...login }).send(messages)
    expect(results.map(({ outcome }) => outcome)).toEqual(['refused', 'delivered'])
  })

  it('that restarts is connected to again', async () => {
    const another = await startNatsServer()
    const { send } = open({ serverUrl: `nats://127.0.0.1:${another.port}`, subject: 'mortise' })
    expect(await send(testMessages('x'))).toMatchObject([{ error: expect.stringContaining('No stream') }])
    await another.stop()
    expect(await send(testMessages('x')).catch(({ kind }) => kind)).toBe('connect')
    const restarted = await startNatsServer(another)
    closing.push(restarted.stop)
    expect(await send(testMessages('x'))).toMatchObject([{ error: expect.stringContaining('No stream') }])
  })

  it('is spoken to with TLS, and its certificate must be valid', async () => {
    const files = { 'key.pem': testCertificate.key, 'cert.pem': testCertificate.cert }
    const configuration = 'tls { cert_file: "%DIR%/cert.pem", key_file: "%DIR%/key.pem" }'
    const secure = await startNatsServer({ configuration, files })
    closing.push(secure.stop)
    const own = { serverUrl: `tls://127.0.0.1:${secure.port}`, subject: 'mortise' }
    await expect(open(own).send(testMessages('x'))).rejects.toMatchObject({ kind: 'tls' })
    const trusted = { ...own, caCertificate: testCertificate.cert }
    const { send } = open(trusted)
    expect(await send(testMessages('x'))).toMatchObject([{ error: expect.stringContaining('No stream') }])
    const elsewhere = open(
      { ...trusted, serverUrl: `tls://other.example:${secure.port}` },
      { names: namesAt('127.0.0.1') },
    )
    await expect(elsewhere.send(testMessages('x'))).rejects.toMatchObject({ kind: 'tls' })
  })
})
