import { type Channel, type ChannelModel, connect } from 'amqplib'
import { Webhook } from 'standardwebhooks'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { createAddressGuard, parseAllowedNetworks } from '../../../../kernel/net/index.ts'
import { testCertificate } from '../../../../kernel/net/test-certificate.ts'
import { namesAt, openForTest, testMessages } from '../conformance.testkit.ts'
import { hasServerAt } from '../server-at.testkit.ts'
import { closings, harness, login } from './conformance.testkit.ts'
import { startFakeRabbitmq } from './fake-rabbitmq.testkit.ts'
import { rabbitmq } from './index.ts'
import { targetOf } from './settings.ts'

const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})
const open = (settings: object, options?: Parameters<typeof openForTest>[2]) => {
  const opened = openForTest(rabbitmq, settings, options)
  closing.push(opened.close)
  return opened
}

describe('the address', () => {
  const credentials = { exchange: 'x', username: 'u', password: 'p' }
  const read = (input: object, allow = 'loopback') =>
    rabbitmq.readSettings({ ...credentials, ...input }, 'metadata', {
      guard: createAddressGuard({ allow: parseAllowedNetworks(allow) }),
    })

  it.each([
    ['amqps://rabbit.example.com', {}, { port: 5671, tls: true, virtualHost: '/' }],
    ['amqps://rabbit.example.com/', {}, { port: 5671, tls: true, virtualHost: '/' }],
    ['amqp://rabbit.example.com/%2f', { tls: true }, { port: 5671, tls: true, virtualHost: '/' }],
    ['amqp://127.0.0.1:7000/crm', {}, { host: '127.0.0.1', port: 7000, tls: false, virtualHost: 'crm' }],
    ['amqp://[::1]:7000/a%2Fb', {}, { host: '::1', port: 7000, tls: false, virtualHost: 'a/b' }],
  ])('%s is read', (serverUrl, more, target) => {
    const { settings, issues } = read({ serverUrl, ...more })
    expect(issues).toEqual([])
    expect(targetOf(settings)).toMatchObject(target)
  })

  it.each([
    ['amqps://user:password@rabbit.example.com', 'user name or a password'],
    ['rabbit.example.com:5672', 'scheme'],
    ['amqps://', 'names no host'],
    ['amqps://rabbit.example.com:25', 'Port 25'],
    ['amqps://rabbit.example.com/%zz', 'percent-encoded'],
    ['amqps://rabbit.example.com/?heartbeat=0', 'Nothing may follow'],
    ['amqps://10.1.2.3', '10.1.2.3'],
    ['amqp://203.0.114.5', 'Without TLS'],
  ])('%s is refused', (serverUrl, reason) => {
    const { issues } = read({ serverUrl })
    expect(issues).toMatchObject([{ name: 'metadata.serverUrl', detail: expect.stringContaining(reason) }])
    expect(JSON.stringify(issues)).not.toContain('password@')
  })

  it('without TLS is refused where tls is required, and for a public name', async () => {
    expect(read({ serverUrl: 'amqps://rabbit.example.com', tls: false }).issues).toMatchObject([
      { name: 'metadata.tls' },
    ])
    const { settings } = read({ serverUrl: 'amqp://rabbit.example.com' })
    const services = { guard: createAddressGuard({ allow: parseAllowedNetworks('') }), names: namesAt('8.8.8.8') }
    expect(await rabbitmq.checkSettings(settings, 'metadata', { ...services, project: 'p' })).toMatchObject([
      { name: 'metadata.serverUrl', detail: expect.stringContaining('without TLS') },
    ])
  })
})

describe('a server', () => {
  it.each([
    ['refuses the password', 'user name or password'],
    ['has no such virtual host', 'virtual host'],
    ['has no such exchange', 'no such exchange'],
    ['permits no publication', 'not permit'],
    ['has no queue', 'no queue for the routing key notification.destination.test'],
    ['is short of memory', 'short of memory'],
    ['takes smaller messages', 'more than 5 bytes'],
    ['is another protocol', 'not answer like a RabbitMQ'],
  ])('that %s is named', async (behavior, reason) => {
    const target = await harness.start()
    closing.push(target.stop)
    target.behave(behavior)
    const { send } = open({ ...target.settings, routingKeyTemplate: 'data.missing' })
    const results = await send(testMessages('x')).catch((error: Error) => [{ error: error.message }])
    expect(results).toMatchObject([{ error: expect.stringContaining(reason) }])
  })

  it('that takes only smaller messages still gets the small ones again', async () => {
    const target = await harness.start()
    closing.push(target.stop)
    target.behave('takes smaller messages')
    const { send } = open(target.settings)
    const [first] = testMessages('x')
    const messages = [{ ...first!, body: Buffer.from('{}') }, first!]
    expect((await send(messages)).map(({ outcome }) => outcome)).toEqual(['retry', 'refused'])
  })

  it('is connected to with TLS, and its certificate must be valid', async () => {
    const fake = await startFakeRabbitmq(login, { closings, tls: testCertificate })
    closing.push(fake.stop)
    const { username, password, exchange } = login
    const settings = { serverUrl: `amqps://127.0.0.1:${fake.port}/crm%2Feu`, exchange, username, password }
    await expect(open(settings).send(testMessages('x'))).rejects.toMatchObject({ kind: 'tls' })
    const trusted = { ...settings, caCertificate: testCertificate.cert }
    expect(await open(trusted).send(testMessages('x'))).toMatchObject([{ outcome: 'delivered' }])
    const elsewhere = { ...trusted, serverUrl: `amqps://other.example:${fake.port}/crm%2Feu` }
    const { send } = open(elsewhere, { names: namesAt('127.0.0.1') })
    await expect(send(testMessages('x'))).rejects.toMatchObject({ kind: 'tls' })
  })

  it('that closes an idle connection is connected to again', async () => {
    const target = await harness.start()
    closing.push(target.stop)
    const { send } = open(target.settings)
    expect(await send(testMessages('one'))).toMatchObject([{ outcome: 'delivered' }])
    target.behave('hangs up')
    expect(await send(testMessages('lost'))).toMatchObject([{ outcome: 'retry' }])
    await vi.waitFor(() => expect(target.connections().open).toBe(0))
    target.behave('accept')
    expect(await send(testMessages('two', 'three'))).toMatchObject([{ outcome: 'delivered' }, { outcome: 'delivered' }])
    expect(target.connections().total).toBe(2)
  })
})

describe.skipIf(!(await hasServerAt(5672, 'RabbitMQ')))('a real RabbitMQ', () => {
  const exchange = `mortise-test-${process.pid}`
  let model: ChannelModel
  let channel: Channel
  beforeAll(async () => {
    model = await connect('amqp://guest:guest@127.0.0.1:5672')
    channel = await model.createChannel()
    await channel.assertExchange(exchange, 'topic', { durable: false })
  })
  afterAll(async () => {
    await channel?.deleteExchange(exchange)
    await model?.close()
  })
  const settings = {
    ...{ serverUrl: 'amqp://127.0.0.1:5672', exchange, username: 'guest', password: 'guest' },
    routingKeyTemplate: 'data.key',
  }
  const queue = async (pattern: string) => {
    const { queue: name } = await channel.assertQueue('', { exclusive: true, autoDelete: true })
    await channel.bindQueue(name, exchange, pattern)
    return name
  }

  it('gets messages in their order, which a consumer can verify and tell apart', async () => {
    const name = await queue('#')
    const { send, secret } = open(settings)
    const messages = testMessages('ä', 'two', 'x'.repeat(300_000))
    expect((await send(messages)).map(({ outcome }) => outcome)).toEqual(messages.map(() => 'delivered'))
    for (const { id, body } of messages) {
      const found = await channel.get(name, { noAck: true })
      if (!found) throw new Error('there is no message')
      expect(found.content.equals(body)).toBe(true)
      expect(found.fields.routingKey).toBe('notification.destination.test')
      expect(found.properties).toMatchObject({
        ...{ messageId: id, deliveryMode: 2, contentType: 'application/json', type: 'destination.test' },
        headers: { kind: 'notification', eventType: 'destination.test', project: 'project-1', 'webhook-id': id },
      })
      const headers = found.properties.headers as Record<string, string>
      expect(new Webhook(secret).verify(found.content.toString(), headers)).toEqual(JSON.parse(body.toString()))
    }
    await channel.deleteQueue(name)
  })

  it('returns a message that no queue takes, and takes the others of the batch', async () => {
    const name = await queue('wanted.#')
    const [one, two] = testMessages('one', 'two')
    const keyed = [
      { ...one!, body: Buffer.from('{"key":"unwanted"}') },
      { ...two!, body: Buffer.from('{"key":"wanted.contact"}') },
    ]
    const results = await open(settings).send(keyed)
    await channel.deleteQueue(name)
    expect(results).toMatchObject([
      { outcome: 'retry', error: expect.stringContaining('routing key unwanted') },
      { outcome: 'delivered' },
    ])
  })

  it.each<[string, object, string]>([
    ['a wrong password', { password: 'wrong' }, 'user name or password'],
    ['no such virtual host', { serverUrl: 'amqp://127.0.0.1:5672/none' }, 'virtual host'],
    ['no such exchange', { exchange: 'none' }, 'no such exchange'],
  ])('names %s', async (_, more, reason) => {
    const [result] = await open({ ...settings, ...more }).send(testMessages('x'))
    expect(result).toMatchObject({ outcome: 'retry', error: expect.stringContaining(reason) })
  })

  it('is sent to again when the exchange was created', async () => {
    const later = `${exchange}-later`
    const { send } = open({ ...settings, exchange: later })
    expect(await send(testMessages('x'))).toMatchObject([{ outcome: 'retry' }])
    await channel.assertExchange(later, 'fanout', { durable: false, autoDelete: true })
    const { queue: name } = await channel.assertQueue('', { exclusive: true, autoDelete: true })
    await channel.bindQueue(name, later, '')
    expect(await send(testMessages('x'))).toMatchObject([{ outcome: 'delivered' }])
    await channel.deleteQueue(name)
  })
})
