import { createPublicKey, sign } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { signingCertificates } from '../testing/signing-certificates.testkit.ts'
import { basic, mac, ourSecret, url, type WebhookCase } from './webhook-case.testkit.ts'

/** Subscriptions, payments and accounting. */

const paddleCustomer = { id: 'ctm_01hv6y1jedq4p1n0yqn5ba3ky4', email: 'jo@example.com', status: 'active' }

const paddle: WebhookCase = {
  provider: 'paddle',
  connection: { credential: { scheme: 'apiKey', apiKey: 'key' } },
  secret: 'pdl_ntfset_01_secret',
  isTimed: true,
  sign: (body, { secret, seconds }) => ({
    'paddle-signature': `ts=${seconds};h1=${mac(`${seconds}:${body}`, secret)}`,
  }),
  events: [
    {
      body: {
        event_id: 'evt_01hv8wptq8987qeep44cyrewp9',
        event_type: 'customer.created',
        occurred_at: '2024-04-12T10:18:47.635628Z',
        notification_id: 'ntf_01hv8wptvvz',
        data: paddleCustomer,
      },
      parsed: { name: 'customer.created', id: paddleCustomer.id, key: 'evt_01hv8wptq8987qeep44cyrewp9' },
      object: 'customers',
      kind: 'create',
      record: paddleCustomer,
    },
  ],
  registration: {
    wanted: [{ object: 'customers', events: ['customer.updated', 'customer.created'] }],
    answers: {
      'POST /notification-settings': {
        status: 201,
        body: { data: { id: 'ntfset_1', endpoint_secret_key: 'pdl_ntfset_1_s' } },
      },
      'DELETE /notification-settings/ntfset_1': { status: 204 },
    },
    sent: [
      [
        'POST /notification-settings',
        {
          description: 'Mortise',
          type: 'url',
          destination: url,
          subscribed_events: ['customer.created', 'customer.updated'],
          api_version: 1,
        },
      ],
    ],
    registered: { id: 'ntfset_1', secret: 'pdl_ntfset_1_s' },
    removed: ['DELETE /notification-settings/ntfset_1'],
  },
}

const lemonSqueezy: WebhookCase = {
  provider: 'lemonSqueezy',
  connection: { credential: { scheme: 'apiKey', apiKey: 'key' } },
  secret: ourSecret.slice(0, 40),
  sign: (body, { secret }) => ({ 'x-signature': mac(body, secret) }),
  events: [
    {
      body: {
        meta: { event_name: 'subscription_updated', test_mode: true },
        data: { type: 'subscriptions', id: '1', attributes: { updated_at: '2026-01-01T00:00:00.000000Z' } },
      },
      parsed: { name: 'subscription_updated', id: '1', time: new Date('2026-01-01T00:00:00Z') },
      object: 'subscriptions',
      kind: 'update',
    },
  ],
  registration: {
    wanted: [{ object: 'subscriptions', events: ['subscription_updated'] }],
    answers: {
      'GET /v1/stores': { body: { data: [{ id: '7' }], meta: { page: { lastPage: 1 } } } },
      'POST /v1/webhooks': { status: 201, body: { data: { type: 'webhooks', id: '9' } } },
    },
    sent: [
      [
        'POST /v1/webhooks',
        {
          data: {
            type: 'webhooks',
            attributes: { url, events: ['subscription_updated'], secret: ourSecret.slice(0, 40) },
            relationships: { store: { data: { type: 'stores', id: '7' } } },
          },
        },
      ],
    ],
    headers: { 'content-type': 'application/vnd.api+json' },
    registered: { id: '9' },
    removed: ['DELETE /v1/webhooks/9'],
  },
}

const subscription = { id: 'AzZlGxSrU', status: 'active' }

const chargebee: WebhookCase = {
  provider: 'chargebee',
  connection: { metadata: { workspace: 'acme' }, credential: { scheme: 'basic', username: 'key', password: '' } },
  secret: ourSecret,
  isToken: true,
  sign: (_, signing) => basic(signing),
  events: [
    {
      body: {
        id: 'ev_16BHtMSr6',
        occurred_at: 1_767_225_600,
        event_type: 'subscription_changed',
        content: { subscription, customer: { id: 'c1' } },
      },
      parsed: { name: 'subscription_changed', id: 'AzZlGxSrU', key: 'ev_16BHtMSr6' },
      object: 'subscriptions',
      kind: 'update',
      record: subscription,
    },
    {
      body: { id: 'ev_2', event_type: 'customer_created', content: { customer: { id: 'c1' } } },
      parsed: { name: 'customer_created', id: 'c1' },
      object: 'customers',
      kind: 'create',
      record: { id: 'c1' },
    },
  ],
  registration: {
    wanted: [{ object: 'customers', events: ['customer_created', 'customer_changed'] }],
    answers: { 'POST /api/v2/webhook_endpoints': { body: { webhook_endpoint: { id: 'we_1' } } } },
    sent: [
      [
        'POST /api/v2/webhook_endpoints',
        [
          'name=Mortise our-id',
          `url=${url}`,
          'basic_auth_username=mortise',
          `basic_auth_password=${ourSecret}`,
          'api_version=v2',
          'enabled_events[0]=customer_changed',
          'enabled_events[1]=customer_created',
        ].join('&'),
      ],
    ],
    registered: { id: 'we_1' },
    removed: ['POST /api/v2/webhook_endpoints/we_1/delete'],
  },
}

const recurly: WebhookCase = {
  provider: 'recurly',
  secret: 'a secret key of the endpoint',
  isTimed: true,
  // During a rotation, Recurly signs with both keys.
  sign: (body, { secret, seconds }) => ({
    'recurly-signature': `${seconds}000,${mac(`${seconds}000.${body}`, 'another key')},${mac(`${seconds}000.${body}`, secret)}`,
  }),
  events: [
    {
      body: {
        id: 'ra8foq26o2dt',
        object_type: 'subscription',
        site_id: 'qc326l1hl8k9',
        event_type: 'created',
        event_time: '2022-07-26T22:01:56Z',
        uuid: '63ab531e1d5b1d47eaf1ef44eeb853c3',
      },
      parsed: { name: 'subscription.created', id: 'ra8foq26o2dt', time: new Date('2022-07-26T22:01:56Z') },
      object: 'subscriptions',
      kind: 'create',
    },
  ],
}

const payPal: WebhookCase = {
  provider: 'payPal',
  connection: { credential: { scheme: 'oauth2', accessToken: 'token' } },
  // The key of the certificate, which is fetched elsewhere.
  secret: createPublicKey(signingCertificates.leaf).export({ type: 'spki', format: 'pem' }).toString(),
  registrationId: '0EH40505U7160970P',
  sign: (body, { seconds }) => {
    const time = new Date(seconds * 1_000).toISOString()
    const signed = `6d2d8a10|${time}|0EH40505U7160970P|${crc32(body)}`
    return {
      'paypal-transmission-id': '6d2d8a10',
      'paypal-transmission-time': time,
      'paypal-transmission-sig': sign('sha256', Buffer.from(signed), signingCertificates.key).toString('base64'),
    }
  },
  events: [
    {
      body: {
        id: 'WH-2WR32451HC0233532-67976317FL4543714',
        create_time: '2026-01-01T00:00:00.000Z',
        resource_type: 'invoices',
        event_type: 'INVOICING.INVOICE.PAID',
        resource: { invoice: { id: 'INV2-Z56S-5LLA-Q52L-CPZ5' } },
      },
      parsed: {
        name: 'INVOICING.INVOICE.PAID',
        id: 'INV2-Z56S-5LLA-Q52L-CPZ5',
        key: 'WH-2WR32451HC0233532-67976317FL4543714',
        time: new Date('2026-01-01T00:00:00Z'),
      },
      object: 'invoices',
      kind: 'update',
    },
    {
      body: { id: 'WH-2', event_type: 'CATALOG.PRODUCT.CREATED', resource: { id: 'PROD-7XB' } },
      parsed: { name: 'CATALOG.PRODUCT.CREATED', id: 'PROD-7XB', key: 'WH-2' },
      object: 'products',
      kind: 'create',
    },
    {
      body: { id: 'WH-4', event_type: 'CUSTOMER.DISPUTE.RESOLVED', resource: { dispute_id: 'PP-D-4012' } },
      parsed: { name: 'CUSTOMER.DISPUTE.RESOLVED', id: 'PP-D-4012', key: 'WH-4' },
      object: 'disputes',
      kind: 'update',
    },
    {
      body: { id: 'WH-3', event_type: 'BILLING.SUBSCRIPTION.CANCELLED', resource: { id: 'I-BW452GLLEP1G' } },
      parsed: { name: 'BILLING.SUBSCRIPTION.CANCELLED', id: 'I-BW452GLLEP1G', key: 'WH-3' },
      object: 'subscriptions',
      kind: 'update',
    },
  ],
  registration: {
    wanted: [{ object: 'products', events: ['CATALOG.PRODUCT.CREATED'] }],
    answers: { 'POST /v1/notifications/webhooks': { status: 201, body: { id: '0EH40505U7160970P', url } } },
    sent: [['POST /v1/notifications/webhooks', { url, event_types: [{ name: 'CATALOG.PRODUCT.CREATED' }] }]],
    registered: { id: '0EH40505U7160970P' },
    removed: ['DELETE /v1/notifications/webhooks/0EH40505U7160970P'],
  },
}

const fastSpring: WebhookCase = {
  provider: 'fastSpring',
  secret: 'a secret of the customer',
  sign: (body, { secret }) => ({ 'x-fs-signature': mac(body, secret, 'base64') }),
  events: [
    {
      body: {
        events: [
          {
            id: 'ztqtVGxKQ2SGkNSHz8VXLg',
            processed: false,
            created: 1_767_225_600_000,
            type: 'subscription.deactivated',
            live: true,
            data: { id: '0xIL9i48TQaGdGjBVgzV8A', subscription: '0xIL9i48TQaGdGjBVgzV8A', active: false },
          },
        ],
      },
      parsed: {
        name: 'subscription.deactivated',
        id: '0xIL9i48TQaGdGjBVgzV8A',
        key: 'ztqtVGxKQ2SGkNSHz8VXLg',
        time: new Date('2026-01-01T00:00:00Z'),
      },
      object: 'subscriptions',
      kind: 'update',
    },
  ],
}

const revenueCat: WebhookCase = {
  provider: 'revenueCat',
  secret: 'a text of the customer',
  isToken: true,
  sign: (_, { secret }) => ({ authorization: secret }),
  events: [
    {
      body: {
        event: {
          event_timestamp_ms: 1_767_225_600_000,
          product_id: 'com.subscription.weekly',
          app_user_id: '1234567890',
          type: 'RENEWAL',
          id: '12345678-1234-1234-1234-123456789012',
        },
        api_version: '1.0',
      },
      parsed: {
        name: 'RENEWAL',
        id: '1234567890',
        key: '12345678-1234-1234-1234-123456789012\n1234567890',
        time: new Date('2026-01-01T00:00:00Z'),
      },
      object: 'customers',
      kind: 'update',
    },
  ],
}

const chargeOver: WebhookCase = {
  provider: 'chargeOver',
  values: { workspace: 'example' },
  secret: 'SFkJ3fy02n17YxNXm96tCGUKVTOAIBsH',
  isToken: true,
  sign: (_body, { secret }) => ({ 'x-chargeover-key': secret }),
  events: [
    {
      body: {
        context_str: 'user',
        context_id: 370,
        event: 'insert',
        data: { user: { user_id: 370, first_name: 'Jane', last_name: 'Doe', customer_id: 413 } },
      },
      parsed: { name: 'user.insert', id: '370' },
      object: 'user',
      kind: 'create',
      record: { user_id: 370, first_name: 'Jane', last_name: 'Doe', customer_id: 413 },
    },
  ],
}

export const billingCases = [chargeOver, paddle, lemonSqueezy, chargebee, recurly, payPal, fastSpring, revenueCat]
