import { crc32c as checksum, murmur2 as hash, Reader, readRecordsBatch } from '@platformatic/kafka'
import { Webhook } from 'standardwebhooks'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createAddressGuard, parseAllowedNetworks } from '../../../../kernel/net/index.ts'
import { testCertificate } from '../../../../kernel/net/test-certificate.ts'
import { namesAt, openForTest, testMessages } from '../conformance.testkit.ts'
import { recordMessages } from '../tables/record-message.testkit.ts'
import { harness, login } from './conformance.testkit.ts'
import { startFakeKafka } from './fake-kafka.testkit.ts'
import { kafka } from './index.ts'
import { hasKcat, startKcat } from './kcat.testkit.ts'
import { crc32c, murmur2, partitionOf, recordBatch } from './record-batch.ts'
import { logInByScram } from './scram.ts'
import { brokersOf } from './settings.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})
const open = (settings: object, options?: Parameters<typeof openForTest>[2]) => {
  const opened = openForTest(kafka, settings, options)
  closing.push(opened.close)
  return opened
}
const start = async (options: Partial<Parameters<typeof startFakeKafka>[0]> = {}) => {
  const fake = await startFakeKafka({ topic: 'messages', ...login, ...options })
  closing.push(fake.stop)
  const settings = { brokers: `127.0.0.1:${fake.port}`, topic: 'messages', tls: false, ...login }
  return { ...fake, settings }
}
const delivered = (count: number) => Array.from({ length: count }, () => ({ outcome: 'delivered' }))

describe('settings', () => {
  const read = (input: object) =>
    kafka.readSettings({ topic: 'messages', ...input }, 'metadata', {
      guard: createAddressGuard({ allow: parseAllowedNetworks('') }),
    })

  it('have a list of brokers, all of which are checked', async () => {
    const brokers = 'kafka-1.example.com:9093, [2606:4700::1111]:9094'
    expect(read({ brokers }).issues).toEqual([])
    expect(brokersOf({ brokers })).toEqual([
      { host: 'kafka-1.example.com', port: 9_093, tls: true },
      { host: '2606:4700::1111', port: 9_094, tls: true },
    ])
    const services = { guard: createAddressGuard({ allow: parseAllowedNetworks('') }), project: 'p' }
    const { settings } = read({ brokers: 'a.example.com:9093,b.example.com:9093' })
    expect(await kafka.checkSettings(settings, 'metadata', { ...services, names: namesAt('10.1.2.3') })).toHaveLength(2)
  })

  it.each([
    'kafka.example.com',
    'a:0',
    'a:99999',
    ':9092',
    'a:9092,',
    'a:9092;b:9092',
    'http://a:9092',
    '10.1.2.3:9092',
    'a:25',
  ])('with the brokers %s are refused', (brokers) => {
    expect(read({ brokers }).issues.map(({ name }) => name)).toEqual(['metadata.brokers'])
  })
})

describe('what is written', () => {
  it('has the checksums and hashes of other software', () => {
    expect(crc32c(Buffer.from('123456789'))).toBe(0xe3069283)
    for (let length = 0; length < 40; length++) {
      const bytes = Buffer.from(Array.from({ length }, (_, at) => (at * 89 + length) % 256))
      expect(murmur2(bytes)).toBe(hash(bytes))
      if (length > 0) expect(crc32c(bytes)).toBe(checksum(bytes))
      expect(partitionOf(bytes, 7)).toBe((hash(bytes) & 0x7fffffff) % 7)
    }
  })

  it('is read by other software, whatever its sizes and times', () => {
    const times = [1_800_000_000_000, 1_700_000_000_000, 1_800_000_000_063, 1_900_000_000_000]
    const records = [0, 1, 63, 70_000].map((length, at) => ({
      key: Buffer.from('k'.repeat(length % 200)),
      value: Buffer.alloc(length, 'ä'),
      headers: { kind: 'read', ['x'.repeat(length % 100)]: 'ü€'.repeat(length % 50) },
      time: new Date(times[at] ?? 0),
    }))
    const batch = recordBatch(records, { producerId: 7n, producerEpoch: 2, sequence: 1_000 })
    expect(batch.readUInt32BE(17)).toBe(checksum(batch.subarray(21)))
    const read = readRecordsBatch(Reader.from(batch))
    const { firstTimestamp, maxTimestamp, producerId, producerEpoch, firstSequence } = read
    expect({ firstTimestamp, maxTimestamp, producerId, producerEpoch, firstSequence }).toEqual({
      ...{ firstTimestamp: BigInt(times[0] ?? 0), maxTimestamp: BigInt(times[3] ?? 0) },
      ...{ producerId: 7n, producerEpoch: 2, firstSequence: 1_000 },
    })
    for (const [at, { key, value, headers, timestampDelta, offsetDelta }] of read.records.entries()) {
      const wanted = records[at]!
      expect(key?.equals(wanted.key) && value?.equals(wanted.value)).toBe(true)
      expect(Object.fromEntries([...headers].map(([name, text]) => [String(name), String(text)]))).toEqual(
        wanted.headers,
      )
      expect(offsetDelta).toBe(at)
      expect(firstTimestamp + timestampDelta).toBe(BigInt(wanted.time.getTime()))
    }
  })

  it('proves a password as the example of RFC 7677 does', async () => {
    const nonce = 'rOprNGfwEbeRWgbNEkqO'
    const answers = [
      `r=${nonce}%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096`,
      'v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=',
    ]
    const sent: string[] = []
    const exchange = async (message: string) => answers[sent.push(message) - 1] ?? ''
    await logInByScram({ username: 'user', password: 'pencil', hash: 'sha256' }, exchange, nonce)
    expect(sent).toEqual([
      `n,,n=user,r=${nonce}`,
      `c=biws,r=${nonce}%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=`,
    ])
  })

  it.each([
    ['another nonce', 'r=x,s=c2FsdA==,i=4096'],
    ['few iterations', 'r=NONCEx,s=c2FsdA==,i=1'],
    ['too many iterations', 'r=NONCEx,s=c2FsdA==,i=999999999'],
    ['nothing', ''],
  ])('proves no password to a broker with %s', async (_, answer) => {
    const attempt = logInByScram({ username: 'u', password: 'p', hash: 'sha512' }, async () => answer, 'NONCE')
    await expect(attempt).rejects.toMatchObject({ name: 'ScramRefused' })
  })
})

describe('a broker', () => {
  it('gets records that a consumer can verify, those of an installation in one partition', async () => {
    const fake = await start()
    const { send, secret } = open(fake.settings)
    const messages = Array.from({ length: 60 }, (_, at) => ({
      ...testMessages('x')[0]!,
      id: `0197b1c0-0000-7000-8000-${String(at).padStart(12, '0')}`,
      body: Buffer.from(JSON.stringify({ installationId: `i-${at % 6}`, at })),
    }))
    expect(await send(messages)).toMatchObject(delivered(60))
    const keys = Map.groupBy(fake.records(), ({ key }) => key)
    expect([...keys.keys()].sort()).toEqual(['i-0', 'i-1', 'i-2', 'i-3', 'i-4', 'i-5'])
    for (const of of keys.values()) expect(new Set(of.map(({ partition }) => partition)).size).toBe(1)
    expect(new Set(fake.records().map(({ partition }) => partition)).size).toBeGreaterThan(1)
    for (const { body, headers } of fake.received()) expect(new Webhook(secret).verify(body, headers)).toBeTruthy()
    expect(fake.received()[0]?.headers).toMatchObject({ kind: 'notification', project: 'project-1' })
  })

  it.each(['plain', 'scram-sha-256', 'scram-sha-512'])('is logged in to by %s', async (saslMechanism) => {
    const fake = await start()
    expect(await open({ ...fake.settings, saslMechanism }).send(testMessages('x'))).toMatchObject(delivered(1))
    const [result] = await open({ ...fake.settings, saslMechanism, password: 'wrong' }).send(testMessages('x'))
    expect(result).toMatchObject({
      outcome: 'retry',
      error: expect.stringContaining('refused the user name or password'),
    })
  })

  it.each([
    ['has no such topic', 'no such topic (error 3)'],
    ['permits no records', 'not permit this user to write to the topic'],
    ['offers no way to log in', 'does not offer this way to log in'],
    ['is too old', 'too old'],
    ['forges the proof', 'does not know the password'],
    ['answers with HTML', 'not answer like a Kafka broker'],
  ])('that %s is named', async (behavior, reason) => {
    const fake = await start()
    fake.behave(behavior)
    const { send } = open({ ...fake.settings, saslMechanism: 'scram-sha-256' })
    const results = await send(testMessages('x')).catch((error: Error) => [{ error: error.message }])
    expect(results).toMatchObject([{ error: expect.stringContaining(reason) }])
  })

  it('that loses its answer stores a record once', async () => {
    const fake = await start()
    fake.behave('loses its first answer')
    const { send } = open(fake.settings)
    expect(await send(testMessages('one'))).toMatchObject(delivered(1))
    expect(await send(testMessages('two'))).toMatchObject(delivered(1))
    expect(fake.records().map(({ sequence }) => sequence)).toEqual([0, 1])
  })

  it('that elects a leader is sent to again, within one attempt', async () => {
    const fake = await start()
    fake.behave('elects a leader once')
    expect(await open(fake.settings).send(testMessages('x'))).toMatchObject(delivered(1))
  })

  it('that takes smaller batches gets one record at a time', async () => {
    const fake = await start()
    fake.behave('takes one record')
    const { send } = open({ ...fake.settings, partitionKeyTemplate: "'all'" })
    expect(await send(testMessages('1', '2', '3'))).toMatchObject(delivered(3))
    expect(fake.records().map(({ sequence }) => sequence)).toEqual([0, 1, 2])
  })

  it('that gives this user no id gets records without one', async () => {
    const fake = await start()
    fake.behave('permits no ids')
    expect(await open(fake.settings).send(testMessages('x'))).toMatchObject(delivered(1))
    expect(fake.records()).toMatchObject([{ producerId: -1n, sequence: -1 }])
  })

  it('of the list that does not answer leaves the others', async () => {
    const fake = await start()
    const gone = await startFakeKafka({ topic: 'messages', ...login })
    await gone.stop()
    const brokers = `127.0.0.1:${gone.port},${fake.settings.brokers}`
    expect(await open({ ...fake.settings, brokers }).send(testMessages('x'))).toMatchObject(delivered(1))
  })

  it.each([
    ['at a private address', { host: '10.1.2.3', port: 9_092 }, 'not a public one'],
    ['at a private name', { host: 'inside.example.com', port: 9_092 }, 'not at a public address'],
    ['at the metadata service', { host: '169.254.169.254', port: 8_080 }, 'not a public one'],
    ['at a port of other software', { host: '127.0.0.1', port: 25 }, 'Port 25'],
    ['without a host', { host: 'a/b@c', port: 9_092 }, 'without a valid address'],
    ['without a port', { host: '127.0.0.1', port: -5 }, 'without a valid address'],
  ])('that names another one %s is not followed', async (_, advertised, reason) => {
    const fake = await start({ advertised })
    const [result] = await open(fake.settings, { names: namesAt('10.1.2.3') }).send(testMessages('x'))
    expect(result?.outcome).toBe('retry')
    expect(result?.error).toContain(reason)
    expect(fake.received()).toEqual([])
  })

  it('is connected to with TLS, and its certificate must be valid', async () => {
    const fake = await start({ tls: testCertificate })
    const settings = { ...fake.settings, tls: true }
    await expect(open(settings).send(testMessages('x'))).rejects.toMatchObject({ kind: 'tls' })
    const trusted = { ...settings, caCertificate: testCertificate.cert }
    expect(await open(trusted).send(testMessages('x'))).toMatchObject(delivered(1))
  })

  it('that closes the connection is connected to again', async () => {
    const target = await harness.start()
    closing.push(target.stop)
    const { send } = open(target.settings)
    expect(await send(testMessages('one'))).toMatchObject(delivered(1))
    target.behave('hangs up')
    expect(await send(testMessages('lost')).catch(() => [{ outcome: 'retry' }])).toMatchObject([{ outcome: 'retry' }])
    await vi.waitFor(() => expect(target.connections().open).toBe(0))
    target.behave('accept')
    expect(await send(testMessages('two'))).toMatchObject(delivered(1))
  })
})

describe.skipIf(!hasKcat())('the brokers of librdkafka', () => {
  const startKcatOf = async (format: string) => {
    const kcat = await startKcat({ topic: 'messages', format })
    closing.push(kcat.stop)
    return { ...kcat, settings: { brokers: kcat.brokers, topic: 'messages', tls: false } }
  }

  it('store the records that its consumer reads', async () => {
    const { settings, read } = await startKcatOf('%k|%s|%h\\n')
    const { send } = open({ ...settings, partitionKeyTemplate: 'data.text' })
    for (let batch = 0; batch < 2; batch++)
      await vi.waitFor(
        async () => expect(await send(testMessages('ä', 'two', 'three'))).toMatchObject(delivered(3)),
        10_000,
      )
    await vi.waitFor(() => expect(read().split('\n').length).toBeGreaterThan(6), 10_000)
    expect(read()).toContain('ä|{"text":"ä"}|id=0197b1c0-0000-7000-8000-000000000000,kind=notification')
  })

  it('store a record for each record of a provider, and no value after a deletion', async () => {
    const { settings, read } = await startKcatOf('%p %k %S %h\\n')
    const { send } = open({ ...settings, layout: 'records', tombstones: true })
    const message = recordMessages()
    const entries = Array.from({ length: 500 }, (_, at) => ({ id: `ü ${at}`, fields: { n: at } }))
    const batch = [message(entries), message(entries.map(({ id }) => ({ id, deleted: true })))]
    // The consumer creates the topic.
    await vi.waitFor(async () => expect(await send(testMessages('x'))).toMatchObject(delivered(1)), 10_000)
    expect(await send(batch)).toMatchObject(delivered(2))
    await vi.waitFor(() => expect(read().split('\n').length).toBeGreaterThan(1_501), 10_000)
    const lines = read().split('\n')
    expect(new Set(lines.slice(0, -1).map((line) => line.split(' ')[0])).size).toBeGreaterThan(1)
    const of = lines.filter((line) => line.includes(':contacts:ü 7 '))
    expect(of.map((line) => /id=[^,]*:7(?:|:tombstone),/.exec(line)?.[0])).toEqual([
      `id=${batch[0]?.id}:7,`,
      `id=${batch[1]?.id}:7,`,
      `id=${batch[1]?.id}:7:tombstone,`,
    ])
    expect(of.map((line) => line.split(' ')[3] === '-1')).toEqual([false, false, true])
    expect(new Set(of.map((line) => line.split(' ')[0])).size).toBe(1)
  })
})
