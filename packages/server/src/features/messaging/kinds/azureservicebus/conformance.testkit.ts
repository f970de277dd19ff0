import { createHmac } from 'node:crypto'
import type { KindHarness } from '../conformance.testkit.ts'
import {
  confirmedFailures,
  isBad,
  retried,
  startHttpTarget,
  type TargetRequest,
  unwrapped,
} from '../http-target.testkit.ts'

const key = 'c2VydmljZS1idXMta2V5LW9mLXRoZS10ZXN0cw=='
const connectionString = `Endpoint=sb://crm-events.servicebus.windows.net/;SharedAccessKeyName=Send.Only;SharedAccessKey=${key}`
const settings = { name: 'crm/messages', connectionString }

interface Sent {
  Body: string
  BrokerProperties: { MessageId: string; SessionId: string; ContentType: string }
  UserProperties: Record<string, string>
}

const resource = 'https%3A%2F%2Fcrm-events.servicebus.windows.net%2Fcrm%2Fmessages'

function isAuthorized(header = ''): boolean {
  const fields = Object.fromEntries(
    new URLSearchParams(header.replace(/^SharedAccessSignature /, '').replaceAll('+', '%2B')),
  )
  const signed = `${resource}\n${fields['se']}`
  return (
    header.startsWith(`SharedAccessSignature sr=${resource}&sig=`) &&
    fields['skn'] === 'Send.Only' &&
    Number(fields['se']) > 1_000_000_000 &&
    fields['sig'] === createHmac('sha256', key).update(signed).digest('base64')
  )
}

function answer({ method, path, headers, body }: TargetRequest) {
  if (!isAuthorized(headers['authorization'])) return { status: 401, body: '<Error><Code>401</Code></Error>' }
  const isKnown =
    method === 'POST' &&
    path === '/crm/messages/messages' &&
    headers['content-type'] === 'application/vnd.microsoft.servicebus.json'
  if (!isKnown) return { status: 400 }
  const sent = JSON.parse(body.toString()) as Sent[]
  const received = sent.map(({ Body }) => unwrapped(Body))
  const isWhole = sent.every(
    ({ BrokerProperties, UserProperties }, at) =>
      BrokerProperties.MessageId === received[at]?.id &&
      BrokerProperties.SessionId === sent[0]?.BrokerProperties.SessionId &&
      BrokerProperties.ContentType === 'application/json' &&
      UserProperties['webhook-signature'] === received[at]?.headers['webhook-signature'],
  )
  if (!isWhole || received.some(isBad)) return { status: 400, body: '<Error><Code>400</Code></Error>' }
  return { status: 201, received }
}

const failures = {
  'is full': { status: 403, body: '<Error><Code>403</Code><Detail>Quota exceeded</Detail></Error>' },
  'has no such queue': { status: 404, body: '<Error><Code>404</Code></Error>' },
  'answers 200': { status: 200 },
}

export const harness: KindHarness = {
  refusesBad: true,
  settingsFor: (host, port) => ({ ...settings, endpointUrl: `https://${host}:${port}/` }),
  wrong: {
    input: { name: '/queue', endpointUrl: 'ftp://example.com', connectionString: 'Endpoint=sb://x/' },
    names: ['name', 'endpointUrl', 'connectionString'],
  },
  failures: { ...confirmedFailures, ...retried(failures), 'takes no message of this size': 'refused' },
  start: () =>
    startHttpTarget({
      settings: (port) => ({ ...settings, endpointUrl: `http://127.0.0.1:${port}/` }),
      secret: key,
      answer,
      failures: { ...failures, 'takes no message of this size': { status: 413 } },
    }),
}
