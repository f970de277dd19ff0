import { testCertificate } from '../../../../kernel/net/test-certificate.ts'
import type { KindHarness } from '../conformance.testkit.ts'
import { badAnswers, greetings, startFakeNats } from './fake-nats.testkit.ts'

const login = { username: 'n4Ts-user-Kq72', password: 'n4Ts-pa$sw0rd-9' }
const names = [
  ...Object.keys(badAnswers).filter((name) => name !== 'hang'),
  ...greetings,
  'refuses the password',
  'permits no subscription',
]

export const harness: KindHarness = {
  hasOptionalSecrets: true,
  excluded: ['token', 'credentials'],
  settingsFor: (host, port) => ({ serverUrl: `tls://${host}:${port}`, subject: 'mortise', ...login }),
  wrong: {
    input: {
      ...{ serverUrl: 'https://example.com', subject: 'a.>', subjectTemplate: 'a.*', username: 'u', token: 'x' },
      credentials: 'hello',
    },
    names: ['serverUrl', 'subject', 'subjectTemplate', 'token', 'credentials', 'password', 'credentials'],
  },
  failures: {
    ...Object.fromEntries(names.map((name) => [name, 'retry' as const])),
    'has a stream of smaller messages': 'refused',
  },
  async start() {
    const fake = await startFakeNats({ ...login, prefix: 'mortise.crm' })
    const settings = {
      ...{ serverUrl: `nats://127.0.0.1:${fake.port}`, subject: 'mortise.crm', subjectTemplate: 'data.groupRef' },
      ...{ caCertificate: testCertificate.cert, ...login },
    }
    return { ...fake, settings, secret: login.password }
  },
}
