import { testCertificate } from '../../../../kernel/net/test-certificate.ts'
import type { KindHarness } from '../conformance.testkit.ts'
import { anyTime, atLogin, produceErrors, startFakeKafka } from './fake-kafka.testkit.ts'

export const login = { username: 'k4Fka-user-Tz96', password: 'k4Fka-pa$sw0rd' }
const names = [...anyTime, ...atLogin, ...Object.keys(produceErrors), 'forgets a partition']

export const harness: KindHarness = {
  hasOptionalSecrets: true,
  excluded: ['schemaRegistryUrl', 'subjectNameStrategy', 'registryUsername', 'registryPassword'],
  settingsFor: (host, port) => ({ brokers: `${host}:${port}`, topic: 'messages', ...login }),
  wrong: {
    input: {
      ...{ tls: 'no', saslMechanism: 'gssapi', brokers: 'kafka.example.com', topic: 'a b', username: 'u' },
      partitionKeyTemplate: 'a.*',
    },
    names: ['tls', 'saslMechanism', 'brokers', 'topic', 'partitionKeyTemplate', 'password'],
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
      ...{ format: 'json', partitionKeyTemplate: "'all'", caCertificate: testCertificate.cert, ...login },
    }
    return { ...fake, settings, secret: login.password }
  },
}
