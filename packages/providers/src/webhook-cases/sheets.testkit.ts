import { expect } from 'vitest'
import { mac, url, type WebhookCase } from './webhook-case.testkit.ts'

/** Tables, as the documentation of their webhooks and public clients show what they send. */

const smartsheet: WebhookCase = {
  provider: 'smartsheet',
  secret: '216ejjzdnq17mq1q8xs7d4hu8b',
  sign: (body, { secret }) => ({ 'smartsheet-hmac-sha256': mac(body, secret) }),
  events: [
    {
      body: {
        nonce: 'dea04437-e6f6-42be-9647-b9b296131a1b',
        timestamp: '2026-01-01T00:00:01.003+00:00',
        webhookId: 7,
        scope: 'sheet',
        scopeObjectId: 5,
        events: [
          {
            objectType: 'cell',
            eventType: 'updated',
            rowId: 6,
            columnId: 11,
            timestamp: '2026-01-01T00:00:00.000+00:00',
          },
          { objectType: 'row', eventType: 'deleted', id: 8, timestamp: '2026-01-01T00:00:00.000+00:00' },
        ],
      },
      parsed: { name: 'cell.updated', id: '6', time: new Date('2026-01-01T00:00:00.000Z') },
      object: 'sheets/5',
      kind: 'update',
    },
    {
      body: { events: [{ objectType: 'row', eventType: 'deleted', id: 8 }] },
      parsed: { name: 'row.deleted', id: '8' },
      object: 'sheets/5',
      kind: 'delete',
    },
  ],
  handshakes: [
    {
      request: { headers: { 'smartsheet-hook-challenge': 'd78dd1d3' }, body: { challenge: 'd78dd1d3', webhookId: 7 } },
      reply: { text: '', headers: { 'Smartsheet-Hook-Response': 'd78dd1d3' } },
    },
  ],
  registration: {
    wanted: [{ object: 'sheets/5', events: ['row.created', 'cell.updated'] }],
    answers: {
      'GET /2.0/sheets/5': { body: { id: 5, name: 'Plan' } },
      'POST /2.0/webhooks': { body: { message: 'SUCCESS', result: { id: 7, sharedSecret: '216e', enabled: false } } },
      'PUT /2.0/webhooks/7': { body: { message: 'SUCCESS', result: { id: 7, sharedSecret: '216e', enabled: true } } },
      'DELETE /2.0/webhooks/7': { body: { message: 'SUCCESS' } },
    },
    sent: [
      'GET /2.0/sheets/5?page=1&pageSize=1',
      [
        'POST /2.0/webhooks',
        { name: 'Mortise', callbackUrl: url, scope: 'sheet', scopeObjectId: 5, events: ['*.*'], version: 1 },
      ],
      ['PUT /2.0/webhooks/7', { enabled: true }],
    ],
    registered: { id: '7', secret: '216e', expires: expect.any(Date) },
    renewed: [['PUT /2.0/webhooks/7', { enabled: true }]],
    removed: ['DELETE /2.0/webhooks/7'],
  },
}

export const sheetCases = [smartsheet]
