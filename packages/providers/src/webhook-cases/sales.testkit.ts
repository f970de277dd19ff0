import { generateKeyPairSync, sign } from 'node:crypto'
import { expect } from 'vitest'
import { basic, mac, ourSecret, url, type WebhookCase } from './webhook-case.testkit.ts'

/** Sales and marketing. */

const lead = { id: 'lead_1', name: 'Wayne Enterprises' }

const close: WebhookCase = {
  provider: 'close',
  secret: '0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c4b5a69788796a5b4c3d2e1f0',
  isTimed: true,
  sign: (body, { secret, seconds }) => ({
    'close-sig-timestamp': `${seconds}`,
    'close-sig-hash': mac(`${seconds}${body}`, Buffer.from(secret, 'hex')),
  }),
  events: [
    {
      body: {
        event: {
          id: 'ev_1',
          action: 'updated',
          object_type: 'lead',
          object_id: 'lead_1',
          date_created: '2026-01-01T00:00:00.000000',
          changed_fields: ['name'],
          previous_data: { name: 'Wayne' },
          data: lead,
        },
        subscription_id: 'whsub_1',
      },
      parsed: { name: 'lead.updated', id: 'lead_1', key: 'ev_1', fieldsUpdated: ['name'] },
      object: 'lead',
      kind: 'update',
      record: lead,
    },
  ],
  registration: {
    wanted: [{ object: 'lead', events: ['lead.updated'] }],
    answers: { 'POST /api/v1/webhook/': { body: { id: 'whsub_1', signature_key: 'abcd', status: 'active' } } },
    sent: [
      [
        'POST /api/v1/webhook/',
        { url, events: ['created', 'updated', 'deleted'].map((action) => ({ object_type: 'lead', action })) },
      ],
    ],
    registered: { id: 'whsub_1', secret: 'abcd' },
    removed: ['DELETE /api/v1/webhook/whsub_1/'],
  },
}

const copper: WebhookCase = {
  provider: 'copper',
  connection: { metadata: { userEmail: 'ada@example.com' }, credential: { scheme: 'apiKey', apiKey: 'k1' } },
  secret: ourSecret,
  isToken: true,
  sign: (_, { secret }) => ({ 'x-mortise-secret': secret }),
  events: [
    {
      body: { ids: [42], type: 'lead', event: 'update', subscription_id: 5, updated_attributes: { name: ['A', 'B'] } },
      parsed: { name: 'update', id: '42', object: 'leads', fieldsUpdated: ['name'] },
      object: 'leads',
      kind: 'update',
    },
    {
      body: { ids: [43, 44], type: 'person', event: 'delete', subscription_id: 6 },
      parsed: { name: 'delete', id: '43', object: 'people' },
      object: 'people',
      kind: 'delete',
    },
  ],
  registration: {
    wanted: [{ object: 'people', events: ['delete'] }],
    answers: { 'POST /developer_api/v1/webhooks': { body: { id: 6, type: 'person', event: 'delete' } } },
    sent: [
      [
        'POST /developer_api/v1/webhooks',
        { target: url, type: 'person', event: 'delete', headers: { 'X-Mortise-Secret': ourSecret } },
      ],
    ],
    registered: { id: '6' },
    removed: ['DELETE /developer_api/v1/webhooks/6'],
  },
}

const pipedriveMeta = (entity: string, action: string, id: string) => ({
  action,
  company_id: '1',
  entity,
  entity_id: id,
  id: '9d8b3c2e-0000-4000-8000-000000000001',
  timestamp: '2026-01-01T00:00:00.000Z',
  version: '2.0',
})

const pipedrive: WebhookCase = {
  provider: 'pipedrive',
  secret: ourSecret,
  isToken: true,
  sign: (_, signing) => basic(signing),
  events: [
    {
      body: {
        meta: pipedriveMeta('deal', 'change', '42'),
        data: { id: 42, title: 'Deal' },
        previous: { title: 'Old' },
      },
      parsed: { name: 'deal.change', id: '42', fieldsUpdated: ['title'], time: new Date('2026-01-01T00:00:00Z') },
      object: 'deals',
      kind: 'update',
    },
    {
      body: { meta: pipedriveMeta('lead', 'delete', 'adf21080-0e10-11eb-879b-05d71fb426ec'), data: null },
      parsed: { name: 'lead.delete', id: 'adf21080-0e10-11eb-879b-05d71fb426ec' },
      object: 'leads',
      kind: 'delete',
    },
    {
      body: { meta: pipedriveMeta('note', 'create', '7'), data: { id: 7, content: 'Hello' }, previous: null },
      parsed: { name: 'note.create', id: '7' },
      object: 'notes',
      kind: 'create',
    },
    {
      body: { meta: pipedriveMeta('user', 'change', '3'), data: { id: 3 }, previous: { name: 'Ada' } },
      parsed: { name: 'user.change', id: '3', fieldsUpdated: ['name'] },
      object: 'users',
      kind: 'update',
    },
  ],
  registration: {
    wanted: [{ object: 'deals', events: ['deal.create', 'deal.change'] }],
    answers: { 'POST /v1/webhooks': { status: 201, body: { status: 'ok', success: true, data: { id: 5 } } } },
    sent: [
      [
        'POST /v1/webhooks',
        {
          name: 'Mortise',
          subscription_url: url,
          event_action: '*',
          event_object: 'deal',
          http_auth_user: 'mortise',
          http_auth_password: ourSecret,
          version: '2.0',
        },
      ],
    ],
    registered: { id: '5' },
    removed: ['DELETE /v1/webhooks/5'],
  },
}

const task = { id: 721_356_732, subject: 'Follow-up', updated_at: '2026-01-22T01:22:45.587713-05:00' }

const salesloft: WebhookCase = {
  provider: 'salesloft',
  secret: ourSecret,
  sign: (body, { secret }) => ({ 'x-salesloft-signature': mac(body, secret, 'hex', 'sha1') }),
  events: [
    {
      body: task,
      headers: { 'x-salesloft-event': 'task_created' },
      parsed: { name: 'task_created', id: '721356732', time: new Date('2026-01-22T06:22:45.587Z') },
      object: 'tasks',
      kind: 'create',
      record: task,
    },
    {
      body: { id: 12, updated_at: '2026-01-22T06:22:45Z' },
      headers: { 'x-salesloft-event': 'meeting_booked' },
      parsed: { name: 'meeting_booked', id: '12' },
      object: 'meetings',
      kind: 'create',
      record: { id: 12, updated_at: '2026-01-22T06:22:45Z' },
    },
  ],
  registration: {
    wanted: [{ object: 'tasks', events: ['task_created'] }],
    answers: { 'POST /v2/webhook_subscriptions': { body: { data: { id: 12, enabled: true } } } },
    sent: [
      ['POST /v2/webhook_subscriptions', { callback_url: url, callback_token: ourSecret, event_type: 'task_created' }],
    ],
    registered: { id: '12' },
    removed: ['DELETE /v2/webhook_subscriptions/12'],
  },
}

const { privateKey, publicKey } = generateKeyPairSync('ed25519')

const highLevel: WebhookCase = {
  provider: 'highLevelStandard',
  secret: publicKey.export({ type: 'spki', format: 'der' }).toString('base64'),
  sign: (body) => ({ 'x-ghl-signature': sign(null, Buffer.from(body), privateKey).toString('base64') }),
  events: [
    {
      body: { type: 'ContactCreate', locationId: 've9EPM428h8vShlRW1KT', id: 'nmFmQEsNgz6AVpgLVUJ0', name: 'Ada' },
      parsed: { name: 'ContactCreate', id: 'nmFmQEsNgz6AVpgLVUJ0', account: 've9EPM428h8vShlRW1KT' },
      object: 'contacts',
      kind: 'create',
    },
    {
      body: { type: 'ContactTagUpdate', locationId: 've9EPM428h8vShlRW1KT', id: 'nmFmQEsNgz6AVpgLVUJ0', tags: ['vip'] },
      parsed: { name: 'ContactTagUpdate', id: 'nmFmQEsNgz6AVpgLVUJ0', account: 've9EPM428h8vShlRW1KT' },
      object: 'contacts',
      kind: 'update',
    },
  ],
}

const highLevelWhiteLabel: WebhookCase = { ...highLevel, provider: 'highLevelWhiteLabel' }

const response = { form_id: 'lT4Z3j', token: 'a3a12ec67a1365927098a606107fac15', submitted_at: '2018-01-18T18:17:02Z' }

const typeform: WebhookCase = {
  provider: 'typeform',
  secret: ourSecret,
  sign: (body, { secret }) => ({ 'typeform-signature': `sha256=${mac(body, secret, 'base64')}` }),
  events: [
    {
      body: { event_id: 'LtWXD3crgy', event_type: 'form_response', form_response: response },
      parsed: { name: 'form_response', id: response.token, key: 'LtWXD3crgy' },
      object: 'responses',
      kind: 'create',
      record: response,
    },
  ],
  registration: {
    wanted: [{ object: 'responses', events: ['form_response'] }],
    answers: {
      'GET /forms': { body: { items: [{ id: 'lT4Z3j' }], page_count: 1 } },
      'PUT /forms/lT4Z3j/webhooks/our-id': { body: { id: '01D', form_id: 'lT4Z3j', tag: 'our-id', enabled: true } },
    },
    sent: [['PUT /forms/lT4Z3j/webhooks/our-id', { url, enabled: true, secret: ourSecret }]],
    registered: { id: 'our-id' },
    removed: ['DELETE /forms/lT4Z3j/webhooks/our-id'],
  },
}

const watched = {
  watch: [
    {
      code: 'SUCCESS',
      details: {
        events: [
          {
            channel_expiry: '2026-01-08T05:30:00+05:30',
            resource_uri: 'https://www.zohoapis.eu/crm/v8/Leads',
            resource_id: '554023000000000131',
            resource_name: 'Leads',
            channel_id: '100000000000000001',
          },
        ],
      },
      message: 'Successfully subscribed for actions-watch of the given module',
      status: 'success',
    },
  ],
}

const zoho: WebhookCase = {
  provider: 'zoho',
  module: 'crm',
  connection: { module: 'crm', metadata: { zoho_api_domain: 'www.zohoapis.eu' } },
  secret: ourSecret.slice(0, 48),
  isToken: true,
  sign: () => ({}),
  complete: (event, { secret }) => ({ ...event, token: secret }),
  events: (['insert', 'update', 'delete'] as const).map((operation) => ({
    body: {
      server_time: 1_767_225_600_000,
      query_params: {},
      module: 'Leads',
      resource_uri: 'https://www.zohoapis.eu/crm/v2/Leads',
      ids: ['5725767000003000064', '5725767000003000065'],
      affected_fields: [],
      operation,
      channel_id: '100000000000000001',
      token: ourSecret.slice(0, 48),
    },
    parsed: { name: `Leads.${operation}`, id: '5725767000003000064', time: new Date(1_767_225_600_000) },
    object: 'Leads',
    kind: operation === 'insert' ? 'create' : operation,
  })),
  registration: {
    wanted: [{ object: 'Leads', events: ['Leads.insert'] }],
    answers: {
      'POST /crm/v8/actions/watch': { status: 201, body: watched },
      'DELETE /crm/v8/actions/watch': { body: watched },
    },
    sent: [
      [
        'POST /crm/v8/actions/watch',
        {
          watch: [
            {
              channel_id: expect.stringMatching(/^[1-9]\d{17}$/) as string,
              events: ['Leads.all'],
              channel_expiry: '2026-01-08T00:00:00Z',
              token: ourSecret.slice(0, 48),
              notify_url: url,
              notify_on_related_action: false,
            },
          ],
        },
      ],
    ],
    registered: { id: '100000000000000001', expires: new Date('2026-01-08T00:00:00Z') },
    removed: ['DELETE /crm/v8/actions/watch?channel_ids=100000000000000001'],
  },
}

const docusign: WebhookCase = {
  provider: 'docusign',
  secret: 'key of Connect',
  sign: (body, { secret }) => ({ 'x-docusign-signature-1': mac(body, secret, 'base64') }),
  events: [
    {
      body: {
        event: 'envelope-completed',
        apiVersion: 'v2.1',
        generatedDateTime: '2026-01-01T00:00:00.000Z',
        data: { accountId: 'a', userId: 'u', envelopeId: 'e1' },
      },
      parsed: {
        name: 'envelope-completed',
        id: 'e1',
        time: new Date('2026-01-01T00:00:00Z'),
        key: 'envelope-completed\ne1\n2026-01-01T00:00:00.000Z',
      },
      object: 'envelopes',
      kind: 'update',
    },
    {
      body: { event: 'envelope-purge', data: { accountId: 'a', userId: 'u', envelopeId: 'e1' } },
      parsed: { name: 'envelope-purge', id: 'e1' },
      object: 'envelopes',
      kind: 'update',
    },
    {
      body: { event: 'template-deleted', data: { accountId: 'a', userId: 'u', templateId: 't1' } },
      parsed: { name: 'template-deleted', id: 't1' },
      object: 'templates',
      kind: 'delete',
    },
  ],
}

const dynamicsCRM: WebhookCase = {
  provider: 'dynamicsCRM',
  secret: 'a-long-random-text',
  isToken: true,
  sign: (_, { secret }) => ({ 'x-mortise-secret': secret }),
  events: [
    {
      body: {
        MessageName: 'Update',
        PrimaryEntityName: 'contact',
        PrimaryEntityId: '6d81597f-0f9f-e711-8122-000d3aa2331c',
        OperationId: '4af10637-4ea2-e711-8122-000d3aa2331c',
        CorrelationId: 'b374239d-4233-41a9-8b17-a86cb4f737b5',
      },
      parsed: { name: 'contact.Update', id: '6d81597f-0f9f-e711-8122-000d3aa2331c' },
      object: 'contacts',
      kind: 'update',
    },
    {
      body: { MessageName: 'Delete', PrimaryEntityName: 'contact', PrimaryEntityId: '6d81597f', Mode: 1 },
      parsed: { name: 'contact.Delete', id: '6d81597f' },
      object: 'contacts',
      kind: 'delete',
    },
  ],
}

export const salesCases = [
  ...[dynamicsCRM, close, copper, docusign, pipedrive, salesloft],
  ...[highLevel, highLevelWhiteLabel, typeform, zoho],
]
