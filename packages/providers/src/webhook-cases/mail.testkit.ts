import { createPublicKey, sign } from 'node:crypto'
import { signingCertificates } from '../testing/signing-certificates.testkit.ts'
import { mac, ourSecret, type Signing, url, type WebhookCase } from './webhook-case.testkit.ts'

/** Mail and messages. */

const mailgun: WebhookCase = {
  provider: 'mailgun',
  secret: 'a-signing-key',
  isTimed: true,
  sign: () => ({}),
  complete: (event, { secret, seconds }) => {
    const token = 'e0b5477167110d68991efc6b9f89f0a11066af27834600e123'
    const signature = { token, timestamp: `${seconds}`, signature: mac(`${seconds}${token}`, secret) }
    return { signature, ...event }
  },
  events: [
    {
      body: {
        'event-data': {
          event: 'failed',
          severity: 'permanent',
          id: 'G9Bn5sl1TC6nu79C8C0bwg',
          timestamp: 1_767_225_600.5,
          recipient: 'alice@example.com',
        },
      },
      parsed: { name: 'failed', id: 'G9Bn5sl1TC6nu79C8C0bwg', time: new Date(1_767_225_600_500) },
      object: 'events',
      kind: 'create',
      record: {
        event: 'failed',
        severity: 'permanent',
        id: 'G9Bn5sl1TC6nu79C8C0bwg',
        timestamp: 1_767_225_600.5,
        recipient: 'alice@example.com',
      },
    },
  ],
}

const customerIo: WebhookCase = {
  provider: 'customerJourneysApp',
  secret: 'a signing key',
  isTimed: true,
  sign: (body, { secret, seconds }) => ({
    'x-cio-timestamp': `${seconds}`,
    'x-cio-signature': mac(`v0:${seconds}:${body}`, secret),
  }),
  events: [
    {
      body: {
        event_id: '01E4C4CT6YDC7Y5M7FE1GWWPQJ',
        object_type: 'email',
        metric: 'opened',
        timestamp: 1_767_225_600,
        data: { customer_id: '42', delivery_id: 'RPILAgUBcRhIBqSfeiIwdIYJKxTY' },
      },
      parsed: { name: 'email.opened', id: 'RPILAgUBcRhIBqSfeiIwdIYJKxTY', time: new Date(1_767_225_600_000) },
      object: 'messages',
      kind: 'update',
    },
  ],
}

const topicArn = 'arn:aws:sns:us-west-2:123456789012:MyTopic'

/** The lines that Amazon SNS signs of a message. */
export function signedLines(message: Record<string, string>): string {
  const names = ['Message', 'MessageId', 'Subject', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type']
  return names.flatMap((name) => (message[name] === undefined ? [] : [`${name}\n${message[name]}\n`])).join('')
}

/** A message of Amazon SNS with its time and its signature. */
export function signedBySns(message: Record<string, string>, { seconds }: Pick<Signing, 'seconds'>) {
  const timed = { ...message, Timestamp: new Date(seconds * 1_000).toISOString() }
  const digest = message['SignatureVersion'] === '1' ? 'sha1' : 'sha256'
  const signature = sign(digest, Buffer.from(signedLines(timed)), signingCertificates.key)
  return { ...timed, Signature: signature.toString('base64') }
}

const mail = { timestamp: '2026-01-01T00:00:00.000Z', messageId: 'EXAMPLE7c191be45', destination: ['a@x.test'] }
const notification = (version: string, event: object) => ({
  Type: 'Notification',
  MessageId: '22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324',
  TopicArn: topicArn,
  Message: JSON.stringify({ ...event, mail }, null, 1),
  SignatureVersion: version,
  SigningCertURL: 'https://sns.us-west-2.amazonaws.com/SimpleNotificationService-f3ecfb72.pem',
  UnsubscribeURL: `https://sns.us-west-2.amazonaws.com/?Action=Unsubscribe&SubscriptionArn=${topicArn}`,
})

const amazonSes: WebhookCase = {
  provider: 'amazonSes',
  values: { topicArn },
  // The key of the certificate, which is fetched elsewhere.
  secret: createPublicKey(signingCertificates.leaf).export({ type: 'spki', format: 'pem' }).toString(),
  isTimed: true,
  sign: () => ({}),
  complete: (message, signing) => signedBySns(message as Record<string, string>, signing),
  events: [
    {
      body: notification('1', { eventType: 'Bounce', bounce: { bounceType: 'Permanent' } }),
      parsed: { name: 'Bounce', id: 'EXAMPLE7c191be45', time: new Date('2026-01-01T00:00:00Z') },
      object: 'emails',
      kind: 'update',
      record: mail,
    },
    {
      body: notification('2', { notificationType: 'Complaint', complaint: {} }),
      parsed: { name: 'Complaint', id: 'EXAMPLE7c191be45' },
      object: 'emails',
      kind: 'update',
      record: mail,
    },
    {
      body: notification('2', { eventType: 'Send', send: {} }),
      parsed: { name: 'Send' },
      object: 'emails',
      kind: 'create',
      record: mail,
    },
  ],
}

const dropbox: WebhookCase = {
  provider: 'dropbox',
  secret: 'an-app-secret',
  sign: (body, { secret }) => ({ 'x-dropbox-signature': mac(body, secret) }),
  events: [
    {
      body: { list_folder: { accounts: ['dbid:AAH4f99T0taONIb'] }, delta: { users: [12_345_678] } },
      parsed: {
        name: 'files.changed',
        account: 'dbid:AAH4f99T0taONIb',
        raw: { account: 'dbid:AAH4f99T0taONIb' },
      },
      object: 'files',
      kind: 'changed',
    },
  ],
  handshakes: [{ request: { method: 'GET', url: 'https://m.test/in?challenge=abc123' }, reply: { text: 'abc123' } }],
}

const changes = (field: string, value: object) => ({
  object: 'whatsapp_business_account',
  entry: [{ id: '102290129340398', changes: [{ value, field }] }],
})
const metadata = { display_phone_number: '15550783881', phone_number_id: '106540352242922' }
const message = { from: '16505551234', id: 'wamid.1', timestamp: '1767225600', type: 'text', text: { body: 'Hello' } }

const whatsapp: WebhookCase = {
  provider: 'meta',
  module: 'whatsapp',
  connection: { module: 'whatsapp', metadata: { whatsappAccountId: '102290129340398' } },
  secret: 'an-app-secret',
  sign: (body, { secret }) => ({ 'x-hub-signature-256': `sha256=${mac(body, secret)}` }),
  events: [
    {
      body: changes('messages', { messaging_product: 'whatsapp', metadata, messages: [message] }),
      parsed: {
        name: 'messages',
        id: 'wamid.1',
        account: '102290129340398',
        time: new Date('2026-01-01T00:00:00Z'),
      },
      object: 'messages',
      kind: 'create',
      record: message,
    },
    {
      body: changes('messages', { metadata, statuses: [{ id: 'wamid.2', status: 'delivered' }] }),
      parsed: { name: 'messages.delivered', id: 'wamid.2', account: '102290129340398' },
      object: 'messages',
      kind: 'update',
    },
    {
      body: changes('message_template_status_update', { event: 'APPROVED', message_template_id: 594_425 }),
      parsed: { name: 'message_template_status_update', id: '594425' },
      object: 'message_templates',
      kind: 'update',
    },
  ],
  registration: {
    wanted: [{ object: 'messages', events: ['messages'] }],
    answers: { 'POST /v25.0/102290129340398/subscribed_apps': { body: { success: true } } },
    sent: ['POST /v25.0/102290129340398/subscribed_apps'],
    registered: { id: 'true' },
    removed: [],
  },
}

const opened = { type: 'event', id: '73WCCK7JKtE', attributes: { timestamp: 1_767_225_600, event_properties: {} } }
const openedEmail = { topic: 'event:klaviyo.opened_email', external_id: '73WCCK7JKtE', payload: { data: opened } }

const klaviyo: WebhookCase = {
  provider: 'klaviyo',
  secret: 'a-secret-of-16-characters',
  sign: (body, { secret }) => ({
    'klaviyo-timestamp': 'Thu, 01 Jan 2026 00:00:00 GMT',
    'klaviyo-signature': mac(`${body}Thu, 01 Jan 2026 00:00:00 GMT`, secret),
  }),
  events: [
    {
      body: { data: [openedEmail], meta: { klaviyo_account_id: 'WBhXHN', version: '2026-07-15' } },
      parsed: { name: 'event:klaviyo.opened_email', id: '73WCCK7JKtE', time: new Date(1_767_225_600_000) },
      object: 'events',
      kind: 'create',
      record: opened,
    },
  ],
  registration: {
    wanted: [{ object: 'events', events: ['event:klaviyo.opened_email', 'event:klaviyo.clicked_email'] }],
    answers: {
      'POST /api/webhooks': { status: 201, body: { data: { type: 'webhook', id: '01KP4928' } } },
      'DELETE /api/webhooks/01KP4928': { status: 204 },
    },
    sent: [
      [
        'POST /api/webhooks',
        {
          data: {
            type: 'webhook',
            attributes: { name: 'Mortise our-id', endpoint_url: url, secret_key: ourSecret },
            relationships: {
              'webhook-topics': {
                data: [
                  { type: 'webhook-topic', id: 'event:klaviyo.clicked_email' },
                  { type: 'webhook-topic', id: 'event:klaviyo.opened_email' },
                ],
              },
            },
          },
        },
      ],
    ],
    registered: { id: '01KP4928' },
    removed: ['DELETE /api/webhooks/01KP4928'],
  },
}

const subscriber = { id: '100000000000000000', email: 'john.doe@example.com', status: 'active' }

const mailerLite: WebhookCase = {
  provider: 'mailerLite',
  connection: { credential: { scheme: 'apiKey', apiKey: 'key' } },
  secret: 'a-secret-of-the-webhook',
  sign: (body, { secret }) => ({ signature: mac(body, secret) }),
  events: [
    {
      body: { events: [{ ...subscriber, event: 'subscriber.deleted', account_id: 0 }], total: 1 },
      parsed: { name: 'subscriber.deleted', id: '100000000000000000' },
      object: 'subscribers',
      kind: 'delete',
    },
    {
      body: { ...subscriber, event: 'subscriber.updated', account_id: 0 },
      parsed: { name: 'subscriber.updated', id: '100000000000000000' },
      object: 'subscribers',
      kind: 'update',
    },
  ],
  registration: {
    wanted: [{ object: 'subscribers', events: ['subscriber.created', 'subscriber.deleted'] }],
    answers: {
      'POST /api/webhooks': { status: 201, body: { data: { id: '7', secret: 'a-secret-of-the-webhook' } } },
      'DELETE /api/webhooks/7': { status: 204 },
    },
    sent: [
      [
        'POST /api/webhooks',
        {
          name: 'Mortise our-id',
          events: ['subscriber.created', 'subscriber.deleted'],
          url,
          enabled: true,
          batchable: true,
        },
      ],
    ],
    registered: { id: '7', secret: 'a-secret-of-the-webhook' },
    removed: ['DELETE /api/webhooks/7'],
  },
}

const instantlyAI: WebhookCase = {
  provider: 'instantlyAI',
  connection: { credential: { scheme: 'apiKey', apiKey: 'key' } },
  secret: ourSecret,
  isToken: true,
  sign: (_, { secret }) => ({ 'x-mortise-secret': secret }),
  events: [
    {
      body: {
        timestamp: '2026-01-01T00:00:00.000Z',
        event_type: 'reply_received',
        campaign_id: 'c1',
        lead_email: 'ada@example.com',
        email_id: '019ac285-166a-791a-87fb-fb68878bffb3',
      },
      parsed: { name: 'reply_received', id: '019ac285-166a-791a-87fb-fb68878bffb3' },
      object: 'emails',
      kind: 'create',
    },
    {
      body: { timestamp: '2026-01-01T00:00:00.000Z', event_type: 'campaign_completed', campaign_id: 'c1' },
      parsed: { name: 'campaign_completed' },
      object: 'campaigns',
      kind: 'update',
    },
  ],
  registration: {
    wanted: [{ object: 'emails', events: ['reply_received'] }],
    answers: {
      'POST /api/v2/webhooks': { body: { id: 'wh-1' } },
      'DELETE /api/v2/webhooks/wh-1': { body: { id: 'wh-1' } },
    },
    sent: [
      [
        'POST /api/v2/webhooks',
        {
          name: 'Mortise',
          target_hook_url: url,
          event_type: 'reply_received',
          headers: { 'X-Mortise-Secret': ourSecret },
        },
      ],
    ],
    registered: { id: 'wh-1' },
    removed: ['DELETE /api/v2/webhooks/wh-1'],
  },
}

export const mailCases = [customerIo, mailgun, amazonSes, dropbox, whatsapp, klaviyo, mailerLite, instantlyAI]
