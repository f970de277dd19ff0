import { mac, ourSecret, url, type WebhookCase } from './webhook-case.testkit.ts'

/** Newsletters, by endpoints that the API of the provider registers. */

const kit: WebhookCase = {
  provider: 'kit',
  secret: 'whsec_a-secret-of-the-endpoint',
  isTimed: true,
  sign: (body, { secret, seconds }) => ({
    'x-kit-signature': `t=${seconds},v1=${mac(`${seconds}.${body}`, 'the-secret-before')},v1=${mac(`${seconds}.${body}`, secret)}`,
  }),
  events: [
    {
      body: {
        delivery_id: 'd1',
        events: [
          {
            id: 'e1',
            type: 'subscriber.unsubscribed',
            created: '2026-01-01T00:00:00Z',
            data: { subscriber: { id: 42, first_name: 'Ada', state: 'cancelled', fields: {} } },
          },
        ],
      },
      parsed: { name: 'subscriber.unsubscribed', id: '42', time: new Date('2026-01-01T00:00:00Z') },
      object: 'subscribers',
      kind: 'update',
    },
  ],
  registration: {
    wanted: [{ object: 'subscribers', events: ['subscriber.created'] }],
    answers: {
      'POST /v4/webhook_endpoints': { status: 201, body: { webhook_endpoint: { id: 2, secret: 'whsec_1' } } },
      'DELETE /v4/webhook_endpoints/2': { status: 204 },
    },
    sent: [['POST /v4/webhook_endpoints', { url, events: ['subscriber.created'], name: 'Mortise' }]],
    registered: { id: '2', secret: 'whsec_1' },
    removed: ['DELETE /v4/webhook_endpoints/2'],
  },
}

const brevo: WebhookCase = {
  provider: 'brevo',
  secret: ourSecret,
  isToken: true,
  sign: (_, { secret }) => ({ authorization: `Bearer ${secret}` }),
  events: [
    {
      body: { id: 123456, email: ['ada@example.com'], event: 'contact_updated', ts: 1_767_225_600 },
      parsed: { name: 'contactUpdated' },
      object: 'contacts',
      kind: 'changed',
    },
  ],
  registration: {
    wanted: [{ object: 'contacts', events: ['contactUpdated'] }],
    answers: { 'POST /v3/webhooks': { status: 201, body: { id: 5 } }, 'DELETE /v3/webhooks/5': { status: 204 } },
    sent: [
      [
        'POST /v3/webhooks',
        {
          type: 'marketing',
          url,
          events: ['contactUpdated'],
          description: 'Mortise',
          auth: { type: 'bearer', token: ourSecret },
        },
      ],
    ],
    registered: { id: '5' },
    removed: ['DELETE /v3/webhooks/5'],
  },
}

export const newsletterCases = [brevo, kit]
