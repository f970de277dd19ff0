import { mac, ourSecret, url, type WebhookCase } from './webhook-case.testkit.ts'

/** Support, incidents and identity. */

const zendesk: WebhookCase = {
  provider: 'zendeskSupport',
  connection: { metadata: { workspace: 'acme' } },
  secret: 'dGhpc19zZWNyZXRfaXNfZm9yX3Rlc3Rpbmdfb25seQ==',
  isTimed: true,
  sign: (body, { secret, seconds }) => {
    const time = new Date(seconds * 1_000).toISOString().replace('.000', '')
    return {
      'x-zendesk-webhook-signature-timestamp': time,
      'x-zendesk-webhook-signature': mac(`${time}${body}`, secret, 'base64'),
    }
  },
  events: [
    {
      body: {
        type: 'zen:event-type:ticket.status_changed',
        account_id: 22_129_848,
        id: '51d3ed0c-8a4e-4b43-a7a0-eb6e9d1e1e19',
        time: '2026-01-01T00:00:00Z',
        zendesk_event_version: '2022-11-06',
        subject: 'zen:ticket:5158',
        detail: { id: '5158', status: 'OPEN' },
        event: { current: 'OPEN', previous: 'NEW' },
      },
      parsed: {
        name: 'zen:event-type:ticket.status_changed',
        id: '5158',
        key: '51d3ed0c-8a4e-4b43-a7a0-eb6e9d1e1e19',
      },
      object: 'tickets',
      kind: 'update',
    },
  ],
  registration: {
    wanted: [{ object: 'users', events: ['zen:event-type:user.created'] }],
    answers: {
      'POST /api/v2/webhooks': { status: 201, body: { webhook: { id: '01EJFT', status: 'active' } } },
      'GET /api/v2/webhooks/01EJFT/signing_secret': {
        body: { signing_secret: { algorithm: 'SHA256', secret: 'dGhl' } },
      },
    },
    sent: [
      [
        'POST /api/v2/webhooks',
        {
          webhook: {
            name: 'Mortise our-id',
            endpoint: url,
            http_method: 'POST',
            request_format: 'json',
            status: 'active',
            subscriptions: ['zen:event-type:user.created'],
          },
        },
      ],
      'GET /api/v2/webhooks/01EJFT/signing_secret',
    ],
    registered: { id: '01EJFT', secret: 'dGhl' },
    removed: ['DELETE /api/v2/webhooks/01EJFT'],
  },
}

const intercom: WebhookCase = {
  provider: 'intercom',
  secret: 'client-secret',
  sign: (body, { secret }) => ({ 'x-hub-signature': `sha1=${mac(body, secret, 'hex', 'sha1')}` }),
  events: [
    {
      body: {
        type: 'notification_event',
        app_id: 'a86dr8yl',
        id: 'notif_ccd8a4d0-f965-11e3-a367-c779cae3e1b3',
        topic: 'contact.user.created',
        created_at: 1_767_225_600,
        data: { type: 'notification_event_data', item: { type: 'contact', id: '5ba682d23d7cf92bef87bfd4' } },
      },
      parsed: { name: 'contact.user.created', id: '5ba682d23d7cf92bef87bfd4', account: 'a86dr8yl' },
      object: 'contacts',
      kind: 'create',
    },
  ],
  handshakes: [{ request: { method: 'HEAD' }, reply: { text: '' } }],
}

const helpScout: WebhookCase = {
  provider: 'helpScoutMailbox',
  secret: ourSecret.slice(0, 40),
  sign: (body, { secret }) => ({ 'x-helpscout-signature': mac(body, secret, 'base64', 'sha1') }),
  events: [
    {
      body: { id: 123, number: 12, type: 'email', status: 'active' },
      headers: { 'x-helpscout-event': 'convo.status' },
      parsed: { name: 'convo.status', id: '123' },
      object: 'conversations',
      kind: 'update',
    },
    {
      body: { id: 9, name: 'printer' },
      headers: { 'x-helpscout-event': 'tag.deleted' },
      parsed: { name: 'tag.deleted', id: '9' },
      object: 'tags',
      kind: 'delete',
    },
  ],
  registration: {
    wanted: [{ object: 'customers', events: ['customer.created'] }],
    answers: { 'POST /v2/webhooks': { status: 201, headers: { 'Resource-ID': '77' } } },
    sent: [
      [
        'POST /v2/webhooks',
        { url, events: ['customer.created'], secret: ourSecret.slice(0, 40), payloadVersion: 'V2' },
      ],
    ],
    registered: { id: '77' },
    removed: ['DELETE /v2/webhooks/77'],
  },
}

const pagerDuty: WebhookCase = {
  provider: 'pagerDuty',
  connection: { credential: { scheme: 'apiKey', apiKey: 'key' } },
  secret: 'a-secret-of-pagerduty',
  sign: (body, { secret }) => ({
    'x-pagerduty-signature': `v1=${mac(body, 'a former secret')},v1=${mac(body, secret)}`,
  }),
  events: [
    {
      body: {
        event: {
          id: '01CH754SM17TWPE2V2H4VPBRO7',
          event_type: 'incident.custom_field_values.updated',
          occurred_at: '2026-01-01T00:00:00.000Z',
          data: { incident: { id: 'PGR0VU2', type: 'incident_reference' }, type: 'incident_field_values' },
        },
      },
      parsed: { name: 'incident.custom_field_values.updated', id: 'PGR0VU2', key: '01CH754SM17TWPE2V2H4VPBRO7' },
      object: 'incidents',
      kind: 'update',
    },
    {
      body: {
        event: {
          id: '01BYS5KKW2Z2',
          event_type: 'incident.triggered',
          resource_type: 'incident',
          occurred_at: '2026-01-01T00:00:00.000Z',
          data: { id: 'PGR0VU2', type: 'incident', status: 'triggered' },
        },
      },
      parsed: { name: 'incident.triggered', id: 'PGR0VU2', key: '01BYS5KKW2Z2' },
      object: 'incidents',
      kind: 'create',
    },
  ],
  registration: {
    wanted: [{ object: 'incidents', events: ['incident.triggered'] }],
    answers: {
      'POST /webhook_subscriptions': {
        status: 201,
        body: { webhook_subscription: { id: 'PY1OL64', delivery_method: { id: 'PF9KMXH', secret: 'theirs' } } },
      },
    },
    sent: [
      [
        'POST /webhook_subscriptions',
        {
          webhook_subscription: {
            type: 'webhook_subscription',
            description: 'Mortise',
            delivery_method: { type: 'http_delivery_method', url },
            events: ['incident.triggered'],
            filter: { type: 'account_reference' },
          },
        },
      ],
    ],
    registered: { id: 'PY1OL64', secret: 'theirs' },
    removed: ['DELETE /webhook_subscriptions/PY1OL64'],
  },
}

const hooks = '/api/v1/eventHooks'

const okta: WebhookCase = {
  provider: 'okta',
  connection: { metadata: { workspace: 'acme' } },
  secret: ourSecret,
  isToken: true,
  sign: (_, { secret }) => ({ authorization: secret }),
  events: [
    {
      body: {
        eventType: 'com.okta.event_hook',
        eventTypeVersion: '1.0',
        data: {
          events: [
            {
              uuid: '93c4c44f-8a05-11f0-9ed1-3b0b3a9a9a55',
              published: '2026-01-01T00:00:00.000Z',
              eventType: 'user.lifecycle.create',
              target: [{ id: '00u7qp2x5a', type: 'User', alternateId: 'ada@example.com' }],
            },
          ],
        },
      },
      parsed: { name: 'user.lifecycle.create', id: '00u7qp2x5a', key: '93c4c44f-8a05-11f0-9ed1-3b0b3a9a9a55' },
      object: 'users',
      kind: 'create',
    },
  ],
  handshakes: [
    {
      request: { method: 'GET', headers: { 'x-okta-verification-challenge': 'my-challenge' } },
      reply: { text: '{"verification":"my-challenge"}', type: 'application/json' },
    },
  ],
  registration: {
    wanted: [{ object: 'users', events: ['user.lifecycle.create'] }],
    answers: {
      [`POST ${hooks}`]: { body: { id: 'who8vt36q', verificationStatus: 'UNVERIFIED' } },
      [`POST ${hooks}/who8vt36q/lifecycle/verify`]: { body: { id: 'who8vt36q', verificationStatus: 'VERIFIED' } },
      [`POST ${hooks}/who8vt36q/lifecycle/deactivate`]: { body: { id: 'who8vt36q', status: 'INACTIVE' } },
    },
    sent: [
      [
        `POST ${hooks}`,
        {
          name: 'Mortise our-id',
          events: { type: 'EVENT_TYPE', items: ['user.lifecycle.create'] },
          channel: {
            type: 'HTTP',
            version: '1.0.0',
            config: { uri: url, authScheme: { type: 'HEADER', key: 'Authorization', value: ourSecret } },
          },
        },
      ],
      `POST ${hooks}/who8vt36q/lifecycle/verify`,
    ],
    registered: { id: 'who8vt36q' },
    removed: [`POST ${hooks}/who8vt36q/lifecycle/deactivate`, `DELETE ${hooks}/who8vt36q`],
  },
}

/** What dev.frontapp.com/docs/application-webhooks and /reference/events show. */
const front: WebhookCase = {
  provider: 'front',
  secret: 'signing-key',
  isTimed: true,
  sign: (body, { secret, seconds }) => ({
    'x-front-request-timestamp': `${seconds}000`,
    'x-front-signature': mac(`${seconds}000:${body}`, secret, 'base64'),
  }),
  events: (['conversation_archived', 'conversation_deleted'] as const).map((type) => ({
    body: {
      type,
      authorization: { id: 'cmp_abc' },
      payload: {
        id: 'evt_4ckcra8e',
        type: 'archive',
        emitted_at: 1_767_225_600.12,
        conversation: { id: 'cnv_55c8c149', subject: 'Printer' },
      },
    },
    parsed: { name: type, id: 'cnv_55c8c149', key: 'evt_4ckcra8e', account: 'cmp_abc' },
    object: 'conversations',
    // It is in the trash, and can be restored.
    kind: 'update',
  })),
  handshakes: [
    {
      request: { headers: { 'x-front-challenge': 'b7e1' }, body: { type: 'sync', authorization: { id: 'cmp_abc' } } },
      reply: { text: 'b7e1' },
    },
  ],
}

/** What SurveyMonkey's public_api_docs (includes/_webhooks.md) shows. */
const surveyMonkey: WebhookCase = {
  provider: 'surveyMonkey',
  secret: 'client-id&client-secret',
  sign: (body, { secret }) => ({ 'sm-signature': mac(body, secret, 'base64', 'sha1') }),
  events: [
    {
      body: {
        name: 'My Webhook',
        filter_type: 'survey',
        filter_id: '123456789',
        event_type: 'response_completed',
        event_id: '123456789',
        object_type: 'response',
        object_id: '123456',
        event_datetime: '2026-01-01T00:00:00.182613+00:00',
        resources: { collector_id: '1', survey_id: '2', user_id: '3' },
      },
      parsed: {
        name: 'response_completed',
        id: '123456',
        key: '123456789',
        time: new Date('2026-01-01T00:00:00.182Z'),
      },
      object: 'responses',
      kind: 'update',
    },
  ],
  handshakes: [{ request: { method: 'HEAD' }, reply: { text: '' } }],
  registration: {
    wanted: [{ object: 'collectors', events: ['collector_created'] }],
    answers: {
      'GET /v3/surveys': { body: { data: [{ id: '1234' }], links: {} } },
      'POST /v3/webhooks': { status: 201, body: { id: '77', event_type: 'collector_created' } },
    },
    sent: [
      [
        'POST /v3/webhooks',
        {
          name: 'Mortise our-id',
          event_type: 'collector_created',
          object_type: 'survey',
          object_ids: ['1234'],
          subscription_url: url,
        },
      ],
    ],
    registered: { id: '77' },
    removed: ['DELETE /v3/webhooks/77'],
  },
}

export const supportCases = [front, surveyMonkey, zendesk, intercom, helpScout, pagerDuty, okta]
