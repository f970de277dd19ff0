import { generateKeyPairSync, sign } from 'node:crypto'
import { mac, ourSecret, url, type WebhookCase, withClientState } from './webhook-case.testkit.ts'

/** Meetings, calls and mailboxes. */

const zoom: WebhookCase = {
  provider: 'zoom',
  secret: 'secret-token',
  isTimed: true,
  sign: (body, { secret, seconds }) => ({
    'x-zm-request-timestamp': `${seconds}`,
    'x-zm-signature': `v0=${mac(`v0:${seconds}:${body}`, secret)}`,
  }),
  events: [
    {
      body: {
        event: 'meeting.updated',
        event_ts: 1_626_230_691_572,
        payload: { account_id: 'AAAAAABBBB', operator: 'a@example.com', object: { id: 94_778_763_636, topic: 'Call' } },
      },
      parsed: {
        name: 'meeting.updated',
        id: '94778763636',
        account: 'AAAAAABBBB',
        time: new Date(1_626_230_691_572),
      },
      object: 'meetings',
      kind: 'update',
    },
    {
      body: {
        event: 'recording.completed',
        payload: { account_id: 'A', object: { id: 9, uuid: 'u==', topic: 'Call' } },
      },
      parsed: { name: 'recording.completed', id: 'u==' },
      object: 'recordings',
      kind: 'create',
      record: { id: 9, uuid: 'u==', topic: 'Call' },
    },
    {
      body: { event: 'user.disassociated', payload: { account_id: 'A', object: { id: 'u1' } } },
      parsed: { name: 'user.disassociated', id: 'u1' },
      object: 'users',
      kind: 'delete',
    },
    {
      body: { event: 'meeting.deleted', payload: { account_id: 'A', operation: 'all', object: { id: 9 } } },
      parsed: { name: 'meeting.deleted', id: '9' },
      object: 'meetings',
      kind: 'delete',
    },
    {
      // One occurrence of a series, which is still there.
      body: { event: 'webinar.deleted', payload: { account_id: 'A', operation: 'single', object: { id: 9 } } },
      parsed: { name: 'webinar.deleted.occurrence', id: '9' },
      object: 'webinars',
      kind: 'update',
    },
  ],
  handshakes: [
    {
      request: {
        body: { payload: { plainToken: 'qgg8vlvZRS6UYooatFL8Aw' }, event_ts: 1, event: 'endpoint.url_validation' },
      },
      reply: {
        text: JSON.stringify({
          plainToken: 'qgg8vlvZRS6UYooatFL8Aw',
          encryptedToken: mac('qgg8vlvZRS6UYooatFL8Aw', 'secret-token'),
        }),
        type: 'application/json',
      },
    },
  ],
}

const acuityScheduling: WebhookCase = {
  provider: 'acuityScheduling',
  secret: 'an API key of the account',
  isForm: true,
  sign: (body, { secret }) => ({ 'x-acuity-signature': mac(body, secret, 'base64') }),
  events: [
    {
      body: { action: 'changed', id: '1', calendarID: '1', appointmentTypeID: '1' },
      parsed: { name: 'changed', id: '1' },
      object: 'appointments',
      kind: 'update',
    },
  ],
}

const messages = {
  uuid: '4b5b1a1c-2c4a-4d0e-8a3e-7a6d0f5b1e11',
  event: '/restapi/v1.0/account/400131426008/extension/400131426008/message-store',
  timestamp: '2026-01-01T00:00:00.000Z',
  body: { changes: [{ type: 'SMS', newCount: 1 }] },
}

const ringCentral: WebhookCase = {
  provider: 'ringCentral',
  secret: ourSecret,
  isToken: true,
  sign: (_, { secret }) => ({ 'verification-token': secret }),
  events: [
    {
      body: messages,
      parsed: { name: 'message-store.changed', key: messages.uuid },
      object: 'message-store',
      kind: 'changed',
    },
  ],
  handshakes: [
    {
      request: { headers: { 'validation-token': '5f3e' }, body: {} },
      reply: { text: '', headers: { 'Validation-Token': '5f3e' } },
    },
  ],
  registration: {
    wanted: [{ object: 'message-store', events: ['message-store.changed'] }],
    answers: {
      'POST /restapi/v1.0/subscription': { body: { id: '95fecfc9', expirationTime: '2026-04-02T00:00:00.000Z' } },
      'POST /restapi/v1.0/subscription/95fecfc9/renew': {
        body: { id: '95fecfc9', expirationTime: '2026-07-01T00:00:00.000Z' },
      },
      'DELETE /restapi/v1.0/subscription/95fecfc9': { status: 204 },
    },
    sent: [
      [
        'POST /restapi/v1.0/subscription',
        {
          eventFilters: ['/restapi/v1.0/account/~/extension/~/message-store'],
          expiresIn: 7_776_000,
          deliveryMode: { transportType: 'WebHook', address: url, verificationToken: ourSecret },
        },
      ],
    ],
    registered: { id: '95fecfc9', expires: new Date('2026-04-02T00:00:00Z') },
    renewed: ['POST /restapi/v1.0/subscription/95fecfc9/renew'],
    removed: ['DELETE /restapi/v1.0/subscription/95fecfc9'],
  },
}

const meeting = { recording_id: 123_456_789, title: 'Quarterly review', created_at: '2026-01-01T00:00:00Z' }
const key = Buffer.from('a key of Fathom, 32 bytes long...')

/** Standard Webhooks: a signature of id, time and body. */
const signStandard: WebhookCase['sign'] = (body, { secret, seconds }) => ({
  'webhook-id': 'msg_1',
  'webhook-timestamp': `${seconds}`,
  'webhook-signature': `v1,${mac(`msg_1.${seconds}.${body}`, Buffer.from(secret.replace('whsec_', ''), 'base64'), 'base64')}`,
})

const edited = {
  event_id: 'evt_1',
  event_type: 'note.edited',
  note_id: 'not_1d3tmYTlCICgjy',
  occurred_at: '2026-01-01T00:00:00.000Z',
  data: { changed_fields: ['summary'] },
}

const granola: WebhookCase = {
  provider: 'granola',
  connection: { credential: { scheme: 'apiKey', apiKey: 'grn_1' } },
  secret: `whsec_${key.toString('base64')}`,
  isTimed: true,
  sign: signStandard,
  events: [
    {
      body: edited,
      headers: { 'webhook-id': 'msg_1' },
      parsed: { name: 'note.edited', id: 'not_1d3tmYTlCICgjy', key: 'evt_1' },
      object: 'notes',
      kind: 'update',
    },
  ],
  registration: {
    wanted: [{ object: 'notes', events: ['note.edited'] }],
    answers: { 'POST /v1/webhook-endpoints': { status: 201, body: { id: 'whe_1', signing_secret: 'whsec_x' } } },
    sent: [['POST /v1/webhook-endpoints', { url, scopes: ['personal', 'public'], events: ['note.edited'] }]],
    registered: { id: 'whe_1', secret: 'whsec_x' },
    removed: ['DELETE /v1/webhook-endpoints/whe_1'],
  },
}

const fathom: WebhookCase = {
  provider: 'fathom',
  connection: { credential: { scheme: 'apiKey', apiKey: 'key' } },
  secret: `whsec_${key.toString('base64')}`,
  isTimed: true,
  sign: signStandard,
  events: [
    {
      body: meeting,
      headers: { 'webhook-id': 'msg_1' },
      parsed: { name: 'meeting.created', id: '123456789', key: 'msg_1' },
      object: 'meetings',
      kind: 'create',
      record: meeting,
    },
  ],
  registration: {
    wanted: [{ object: 'meetings', events: ['meeting.created'] }],
    answers: { 'POST /external/v1/webhooks': { status: 201, body: { id: 'ikEoQ4bVoq4JYUmc', secret: 'whsec_x' } } },
    sent: [
      [
        'POST /external/v1/webhooks',
        {
          destination_url: url,
          triggered_for: [
            'my_recordings',
            'shared_external_recordings',
            'my_shared_with_team_recordings',
            'shared_team_recordings',
          ],
          include_action_items: true,
          include_crm_matches: true,
          include_summary: true,
          include_transcript: true,
        },
      ],
    ],
    registered: { id: 'ikEoQ4bVoq4JYUmc', secret: 'whsec_x' },
    removed: ['DELETE /external/v1/webhooks/ikEoQ4bVoq4JYUmc'],
  },
}

const avoma: WebhookCase = {
  provider: 'avoma',
  connection: { credential: { scheme: 'apiKey', apiKey: 'key' } },
  secret: 'a3f8e1c0d2b4',
  sign: (body, { secret }) => ({ 'x-avoma-signature': mac(body, secret) }),
  events: [
    {
      body: { event_type: 'AINOTE', uuid: 'aa380fc2', modified: '2026-01-01T00:00:00Z', subject: 'Quarterly review' },
      parsed: { name: 'AINOTE', id: 'aa380fc2', time: new Date('2026-01-01T00:00:00Z') },
      object: 'meetings',
      kind: 'update',
    },
  ],
  registration: {
    wanted: [{ object: 'meetings', events: ['AINOTE'] }],
    answers: {
      'POST /v1/webhooks/': {
        status: 201,
        body: { uuid: 'w1', event_type: 'AINOTE', target_url: url, is_active: true },
      },
      'GET /v1/webhooks/signing-secret/': { body: { signing_secret: 'a3f8e1c0d2b4' } },
      'DELETE /v1/webhooks/w1/': { status: 204 },
    },
    sent: [
      ['POST /v1/webhooks/', { event_type: 'AINOTE', target_type: 2, target_url: url }],
      'GET /v1/webhooks/signing-secret/',
    ],
    registered: { id: 'w1', secret: 'a3f8e1c0d2b4' },
    removed: ['DELETE /v1/webhooks/w1/'],
  },
}

const call = { id: 812, direction: 'inbound', status: 'done' }

const aircall: WebhookCase = {
  provider: 'aircall',
  connection: { credential: { scheme: 'basic', username: 'id', password: 'token' } },
  secret: '45XXYYZZa08',
  isToken: true,
  sign: () => ({}),
  complete: (event, { secret }) => ({ ...event, token: secret }),
  events: [
    {
      body: { resource: 'call', event: 'call.ended', timestamp: 1_767_225_600, token: '45XXYYZZa08', data: call },
      parsed: { name: 'call.ended', id: '812', time: new Date(1_767_225_600_000) },
      object: 'calls',
      kind: 'update',
      record: call,
    },
  ],
  registration: {
    wanted: [{ object: 'calls', events: ['call.created', 'call.ended'] }],
    answers: {
      'POST /v1/webhooks': { status: 201, body: { webhook: { webhook_id: 'uuid-1', token: '45XXYYZZa08' } } },
    },
    sent: [['POST /v1/webhooks', { custom_name: 'Mortise', url, events: ['call.created', 'call.ended'] }]],
    registered: { id: 'uuid-1', secret: '45XXYYZZa08' },
    removed: ['DELETE /v1/webhooks/uuid-1'],
  },
}

const subscriptions = '/v1.0/subscriptions'
const expirationDateTime = '2026-01-08T22:40:00.000Z'

const microsoft: WebhookCase = {
  provider: 'microsoft',
  secret: ourSecret,
  isToken: true,
  sign: () => ({}),
  complete: withClientState,
  events: [
    {
      body: {
        value: [
          {
            subscriptionId: '7f105c7d-2dc5-4530-97cd-4e7ae6534c07',
            changeType: 'updated',
            clientState: ourSecret,
            resource: 'Users/48d3/Messages/AAMk',
            resourceData: { '@odata.type': '#Microsoft.Graph.Message', id: 'AAMk' },
          },
        ],
      },
      parsed: { name: 'updated', id: 'AAMk' },
      object: 'me/messages',
      kind: 'update',
    },
  ],
  handshakes: [
    {
      request: { url: `${url}&validationToken=Validation%3A+Testing+client%3Cscript%3E` },
      reply: { text: 'Validation: Testing client<script>' },
    },
  ],
  registration: {
    wanted: [{ object: 'me/messages', events: ['created', 'updated', 'deleted'] }],
    answers: {
      [`POST ${subscriptions}`]: { status: 201, body: { id: 'sub-1', expirationDateTime } },
      [`PATCH ${subscriptions}/sub-1`]: { body: { id: 'sub-1', expirationDateTime } },
    },
    sent: [
      [
        `POST ${subscriptions}`,
        {
          changeType: 'created,deleted,updated',
          notificationUrl: url,
          lifecycleNotificationUrl: url,
          resource: 'me/messages',
          expirationDateTime,
          clientState: ourSecret,
        },
      ],
    ],
    registered: { id: 'sub-1', expires: new Date(expirationDateTime) },
    renewed: [[`PATCH ${subscriptions}/sub-1`, { expirationDateTime }]],
    removed: [`DELETE ${subscriptions}/sub-1`],
  },
}

const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const settings = '/v3/user/webhooks/event/settings'

const sendGrid: WebhookCase = {
  provider: 'sendGrid',
  connection: { credential: { scheme: 'apiKey', apiKey: 'key' } },
  secret: pair.publicKey.export({ type: 'spki', format: 'der' }).toString('base64'),
  isTimed: true,
  sign: (body, { seconds }) => ({
    'x-twilio-email-event-webhook-timestamp': `${seconds}`,
    'x-twilio-email-event-webhook-signature': sign(
      'sha256',
      Buffer.from(`${seconds}${body}`),
      pair.privateKey,
    ).toString('base64'),
  }),
  events: [
    {
      body: [
        { email: 'ada@example.com', event: 'bounce', sg_event_id: 'ev-1', timestamp: 1_767_225_600, status: '5.0.0' },
      ],
      parsed: { name: 'bounce', id: 'ada@example.com', key: 'ev-1', time: new Date(1_767_225_600_000) },
      object: 'bounces',
      kind: 'create',
    },
  ],
  registration: {
    wanted: [{ object: 'bounces', events: ['bounce'] }],
    answers: {
      [`POST ${settings}`]: { status: 201, body: { id: 'c2e5', enabled: true } },
      [`PATCH ${settings}/signed/c2e5`]: { body: { id: 'c2e5', public_key: 'MFkw' } },
    },
    sent: [
      [
        `POST ${settings}`,
        { enabled: true, url, friendly_name: 'Mortise', bounce: true, spam_report: true, unsubscribe: true },
      ],
      [`PATCH ${settings}/signed/c2e5`, { enabled: true }],
    ],
    registered: { id: 'c2e5', secret: 'MFkw' },
    removed: [`DELETE ${settings}/c2e5`],
  },
}

export const meetingCases = [zoom, acuityScheduling, ringCentral, fathom, granola, avoma, aircall, microsoft, sendGrid]
