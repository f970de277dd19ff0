import { testCertificate } from '../../../../kernel/net/test-certificate.ts'
import type { KindHarness } from '../conformance.testkit.ts'
import { badAnswers, type Closing, greetings, startFakeRabbitmq } from './fake-rabbitmq.testkit.ts'

export const login = {
  username: 'r4Bit-user-Wv38',
  password: 'p4Ss/w0rd-of-rabbit',
  virtualHost: 'crm/eu',
  exchange: 'messages',
}

export const closings: Record<string, Closing> = {
  'has no such exchange': { of: 'channel', code: 404, text: "NOT_FOUND - no exchange 'messages' in vhost 'crm/eu'" },
  'permits no publication': { of: 'channel', code: 403, text: "ACCESS_REFUSED - write access to exchange 'messages'" },
  'takes smaller messages': {
    of: 'channel',
    code: 406,
    text: 'PRECONDITION_FAILED - message size 12 is larger than configured max size 5',
  },
  'has no such queue type': { of: 'channel', code: 406, text: 'PRECONDITION_FAILED - something else' },
  'shuts down': {
    of: 'connection',
    code: 320,
    text: "CONNECTION_FORCED - broker forced connection closure with reason 'shutdown'",
  },
  'finds a mistake': { of: 'connection', code: 503, text: 'COMMAND_INVALID - unknown' },
  'refuses the password': { of: 'login', code: 403, text: 'ACCESS_REFUSED - Login was refused' },
  'has no such virtual host': { of: 'virtual host', code: 530, text: 'NOT_ALLOWED - vhost crm/eu not found' },
  echo: { of: 'channel', code: 541, text: `INTERNAL_ERROR - you sent ${login.password}` },
}

const names = Object.keys({ ...badAnswers, ...closings }).filter((name) => name !== 'hang' && name !== 'echo')

const optional = {
  routingKeyTemplate: "join('.', [data.groupRef, data.objectName])",
  caCertificate: testCertificate.cert,
}

export const harness: KindHarness = {
  settingsFor: (host, port) => ({ ...settingsOf('amqps', host, port), tls: true }),
  wrong: {
    input: { tls: 'yes', serverUrl: 'https://example.com', exchange: '', routingKeyTemplate: 'a.*', username: 5 },
    names: ['tls', 'serverUrl', 'exchange', 'routingKeyTemplate', 'username', 'password'],
  },
  failures: {
    ...Object.fromEntries([...names, ...greetings].map((name) => [name, 'retry' as const])),
    'takes smaller messages': 'refused',
  },
  async start() {
    const fake = await startFakeRabbitmq(login, { closings })
    const settings = { ...settingsOf('amqp', '127.0.0.1', fake.port), tls: false, ...optional }
    return { ...fake, settings, secret: login.password }
  },
}

function settingsOf(scheme: string, host: string, port: number) {
  const { username, password, exchange, virtualHost } = login
  return { serverUrl: `${scheme}://${host}:${port}/${encodeURIComponent(virtualHost)}`, exchange, username, password }
}
