import type { KindHarness } from '../conformance.testkit.ts'
import { httpFailures, isBad, startHttpTarget } from '../http-target.testkit.ts'

const secret = 'Bearer-kLq82nVx9'

export const harness: KindHarness = {
  // `webhook-options.test.ts` tests these.
  excluded: [
    'bodyTemplate',
    'tokenUrl',
    'clientId',
    'clientSecret',
    'scope',
    'audience',
    'clientAuthentication',
    'clientCertificate',
    'clientKey',
    'caCertificate',
  ],
  settingsFor: (host, port) => ({ url: `https://${host}:${port}/`, headers: { Authorization: secret } }),
  wrong: {
    input: { url: 'ftp://example.com', headers: { Host: 'x', 'X-Number': 5 } },
    names: ['url', 'headers.Host', 'headers.X-Number'],
  },
  failures: { ...httpFailures, 'answers 410': 'gone' },
  start: () =>
    startHttpTarget({
      settings: (port) => ({ url: `http://127.0.0.1:${port}/hook`, headers: { Authorization: secret } }),
      secret,
      failures: { 'answers 410': { status: 410 } },
      answer: ({ headers, body }) => {
        const message = { id: headers['webhook-id'] ?? '', body: body.toString(), headers }
        return isBad(message) ? { status: 500 } : { status: 204, received: [message] }
      },
    }),
}
