import { mac, ourSecret, url, type WebhookCase } from './webhook-case.testkit.ts'

/** Shops and payments. */

const customer = { id: 5, email: 'ada@example.com', date_modified_gmt: '2026-01-01T00:00:00' }

const wooCommerce: WebhookCase = {
  provider: 'wooCommerce',
  connection: {
    metadata: { baseUrl: 'https://shop.example.com' },
    credential: { scheme: 'basic', username: 'ck', password: 'cs' },
  },
  secret: ourSecret,
  sign: (body, { secret }) => ({ 'x-wc-webhook-signature': mac(body, secret, 'base64') }),
  events: [
    {
      body: customer,
      headers: { 'x-wc-webhook-topic': 'customer.updated', 'x-wc-webhook-delivery-id': 'd1' },
      parsed: { name: 'customer.updated', id: '5', key: 'd1' },
      object: 'customers',
      kind: 'update',
      record: customer,
    },
    {
      body: { id: 6 },
      headers: { 'x-wc-webhook-topic': 'order.deleted' },
      parsed: { name: 'order.deleted', id: '6' },
      object: 'orders',
      kind: 'delete',
      record: { id: 6 },
    },
  ],
  registration: {
    wanted: [{ object: 'customers', events: ['customer.updated'] }],
    answers: { 'POST /wp-json/wc/v3/webhooks': { status: 201, body: { id: 142, status: 'active' } } },
    sent: [
      [
        'POST /wp-json/wc/v3/webhooks',
        {
          name: 'Mortise customer.updated',
          topic: 'customer.updated',
          delivery_url: url,
          secret: ourSecret,
          status: 'active',
        },
      ],
    ],
    registered: { id: '142' },
    removed: ['DELETE /wp-json/wc/v3/webhooks/142?force=true'],
  },
}

const bigCommerce: WebhookCase = {
  provider: 'bigCommerce',
  connection: { metadata: { storeHash: 'abc' }, credential: { scheme: 'apiKey', apiKey: 'key' } },
  secret: ourSecret,
  isToken: true,
  sign: (_, { secret }) => ({ 'x-mortise-secret': secret }),
  events: [
    {
      body: {
        scope: 'store/order/created',
        store_id: '1025646',
        data: { type: 'order', id: 250 },
        hash: 'dd70c0976e06b67aaf671e73f49dcb79230ebf9d',
        created_at: 1_561_479_335,
        producer: 'stores/abc',
      },
      parsed: { name: 'store/order/created', id: '250', time: new Date(1_561_479_335_000) },
      object: 'orders',
      kind: 'create',
    },
    {
      body: {
        scope: 'store/sku/updated',
        data: { type: 'sku', id: 461, sku: { product_id: 206, variant_id: 509 } },
        created_at: 1_561_480_465,
      },
      parsed: { name: 'store/sku/updated', id: '509' },
      object: 'variants',
      kind: 'update',
    },
  ],
  registration: {
    wanted: [{ object: 'orders', events: ['store/order/created'] }],
    answers: {
      'POST /stores/abc/v3/hooks': { body: { data: { id: 20_172_984, is_active: true }, meta: {} } },
      'PUT /stores/abc/v3/hooks/20172984': { body: { data: { id: 20_172_984, is_active: true }, meta: {} } },
    },
    sent: [
      [
        'POST /stores/abc/v3/hooks',
        {
          scope: 'store/order/created',
          destination: url,
          is_active: true,
          headers: { 'X-Mortise-Secret': ourSecret },
        },
      ],
    ],
    registered: { id: '20172984', expires: new Date('2026-04-02T00:00:00Z') },
    // A webhook that has been deactivated is active again.
    renewed: [
      [
        'PUT /stores/abc/v3/hooks/20172984',
        {
          scope: 'store/order/created',
          destination: url,
          is_active: true,
          headers: { 'X-Mortise-Secret': ourSecret },
        },
      ],
    ],
    removed: ['DELETE /stores/abc/v3/hooks/20172984'],
  },
}

const square: WebhookCase = {
  provider: 'square',
  secret: 'signature-key',
  sign: (body, { secret, url }) => ({ 'x-square-hmacsha256-signature': mac(`${url}${body}`, secret, 'base64') }),
  events: [
    {
      body: {
        merchant_id: '6SSW7HV8K2ST5',
        type: 'customer.created',
        event_id: '6c8f7a5c-6d9b-4a21-8e5d-5d0d3e7d9a11',
        created_at: '2026-01-01T00:00:00.000Z',
        data: { type: 'customer', id: 'JDKYHBWT1D4F8MFH63DBMEN8Y4', object: { customer: {} } },
      },
      parsed: { name: 'customer.created', id: 'JDKYHBWT1D4F8MFH63DBMEN8Y4', account: '6SSW7HV8K2ST5' },
      object: 'customers',
      kind: 'create',
    },
  ],
}

const xero: WebhookCase = {
  provider: 'xero',
  secret: 'webhook-key',
  sign: (body, { secret }) => ({ 'x-xero-signature': mac(body, secret, 'base64') }),
  events: [
    {
      body: {
        events: [
          {
            resourceUrl: 'https://api.xero.com/api.xro/2.0/Contacts/717f2bfc-c6d4-41fd-b238-3f2f0c0cf777',
            resourceId: '717f2bfc-c6d4-41fd-b238-3f2f0c0cf777',
            eventDateUtc: '2017-06-21T01:15:39.902',
            eventType: 'UPDATE',
            eventCategory: 'CONTACT',
            tenantId: 'c2cc9b6e-9458-4c7d-93cc-f02b81b0594f',
            tenantType: 'ORGANISATION',
          },
        ],
        lastEventSequence: 1,
        firstEventSequence: 1,
        entropy: 'S0m3r4Nd0mt3xt',
      },
      parsed: {
        name: 'CONTACT.UPDATE',
        id: '717f2bfc-c6d4-41fd-b238-3f2f0c0cf777',
        account: 'c2cc9b6e-9458-4c7d-93cc-f02b81b0594f',
      },
      object: 'contacts',
      kind: 'update',
    },
    {
      body: {
        events: [
          {
            resourceUrl: 'https://api.xero.com/api.xro/2.0/CreditNotes/55d84274-a3da-4829-a7c0-0cab601b95cc',
            resourceId: '55d84274-a3da-4829-a7c0-0cab601b95cc',
            tenantId: 'aef86862-2015-4b6b-88bc-d89032cecc50',
            tenantType: 'ORGANISATION',
            eventCategory: 'CREDITNOTE',
            eventType: 'CREATE',
            eventDateUtc: '2025-12-02T00:44:09.923',
            data: { Type: 'ACCPAYCREDIT', Status: 'DRAFT' },
          },
        ],
        firstEventSequence: 76,
        lastEventSequence: 76,
        entropy: 'S0m3r4Nd0mt3xt',
      },
      parsed: {
        name: 'CREDITNOTE.CREATE',
        id: '55d84274-a3da-4829-a7c0-0cab601b95cc',
        account: 'aef86862-2015-4b6b-88bc-d89032cecc50',
      },
      object: 'creditNotes',
      kind: 'create',
    },
  ],
}

export const commerceCases = [wooCommerce, bigCommerce, square, xero]
