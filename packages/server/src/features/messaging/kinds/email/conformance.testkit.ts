import { testCertificate } from '../../../../kernel/net/test-certificate.ts'
import type { KindHarness } from '../conformance.testkit.ts'
import { failures, startFakeSmtp } from './fake-smtp.testkit.ts'

export const login = { username: 'm4Il-user-Hs53', password: 'm4Il-pa$sw0rd-7' }
const addresses = { from: 'mortise@example.com', to: 'ops@example.com, on-call@example.com' }

export const harness: KindHarness = {
  isUnsigned: true,
  hasOptionalSecrets: true,
  settingsFor: (host, port) => ({ host, port, ...addresses, ...login }),
  wrong: {
    input: {
      ...{ host: 'smtp://a', port: 22, tls: 'no', from: 'Mortise <a@b>', to: 'a@b.c, not one', subjectTemplate: 'a.*' },
      ...{ digest: 1, username: 'u' },
    },
    names: ['tls', 'from', 'subjectTemplate', 'digest', 'port', 'host', 'to', 'password'],
  },
  failures: {
    ...Object.fromEntries(failures.map((name) => [name, 'retry' as const])),
    'takes smaller mails': 'refused',
  },
  async start() {
    const fake = await startFakeSmtp(login)
    const settings = {
      ...{ host: '127.0.0.1', port: fake.port, tls: false, ...addresses, digest: false, ...login },
      ...{ subjectTemplate: 'data.text', caCertificate: testCertificate.cert },
    }
    return { ...fake, settings, secret: login.password }
  },
}
