import { testCertificate } from '../../../../kernel/net/test-certificate.ts'
import { type KindHarness, testMessages } from '../conformance.testkit.ts'
import { anyTime, atLogin, produceErrors, startFakeKafka } from './fake-kafka.testkit.ts'

export const login = { username: 'k4Fka-user-Tz96', password: 'k4Fka-pa$sw0rd' }
const names = [...anyTime, ...atLogin, ...Object.keys(produceErrors), 'forgets a partition']

export const harness: KindHarness = {
  hasOptionalSecrets: true,
  excluded: ['tombstones', 'schemaRegistryUrl', 'subjectNameStrategy', 'registryUsername', 'registryPassword'],
  settingsFor: (host, port) => ({ brokers: `${host}:${port}`, topic: 'messages', ...login }),
  wrong: {
    input: {
      ...{ tls: 'no', saslMechanism: 'gssapi', brokers: 'kafka.example.com', topic: 'a b', username: 'u' },
      ...{ partitionKeyTemplate: 'a.*', layout: 'tables', tombstones: 'no' },
    },
    names: [
      ...['tls', 'saslMechanism', 'brokers', 'topic', 'partitionKeyTemplate', 'layout', 'tombstones', 'password'],
    ],
  },
  failures: {
    ...Object.fromEntries(names.map((name) => [name, 'retry' as const])),
    'takes smaller records': 'refused',
    'takes no such record': 'refused',
  },
  async start({ advertisedPort } = {}) {
    const advertised = advertisedPort === undefined ? {} : { advertised: { host: '127.0.0.1', port: advertisedPort } }
    const fake = await startFakeKafka({ topic: 'messages', ...login, ...advertised })
    const settings = {
      ...{ brokers: `127.0.0.1:${fake.port}`, topic: 'messages', tls: false, saslMechanism: 'scram-sha-256' },
      ...{
        layout: 'messages',
        format: 'json',
        partitionKeyTemplate: "'all'",
        caCertificate: testCertificate.cert,
        ...login,
      },
    }
    return { ...fake, settings, secret: login.password }
  },
}

const bodyOf = (text: string) => ({
  ...{ action: 'read', installationId: '0197b1c0-0000-7000-8000-00000000000f', objectName: 'contacts' },
  ...{ resultInfo: { type: 'inline', numRecords: 1 }, result: [{ id: '1', fields: { text } }] },
})

/** Each message has one record, whose message is the same. */
export const recordsHarness: KindHarness = {
  ...harness,
  excluded: ['schemaRegistryUrl', 'subjectNameStrategy', 'registryUsername', 'registryPassword'],
  settingsFor: (host, port) => ({ ...harness.settingsFor(host, port), layout: 'records' }),
  wrong: {
    input: { ...harness.wrong.input, layout: 'messages', tombstones: true },
    names: [...['tls', 'saslMechanism', 'brokers', 'topic', 'partitionKeyTemplate', 'tombstones', 'password']],
  },
  bodyOf,
  messages: (...texts) =>
    testMessages(...texts).map((message, at) => ({
      ...message,
      ...{ kind: 'read', eventType: undefined, body: Buffer.from(JSON.stringify(bodyOf(texts[at] ?? ''))) },
    })),
  async start(options) {
    const target = await harness.start(options)
    const messageIdOf = (id: string) => (id.endsWith(':0') ? id.slice(0, -2) : id)
    return {
      ...target,
      settings: { ...target.settings, layout: 'records', tombstones: true },
      received: async () => (await target.received()).map((one) => ({ ...one, id: messageIdOf(one.id) })),
    }
  },
}
