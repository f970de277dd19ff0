import { expect } from 'vitest'
import { ourSecret, url, type WebhookCase, withClientState } from './webhook-case.testkit.ts'

/** Notification channels of Google: requests without a body that say that something changed. */

const channel = { id: '01234567-89ab-cdef-0123456789ab', resourceId: 'o3hgv1538sdjfh' }
const expires = new Date('2026-01-09T00:00:00Z')
const registered = { id: `${channel.id}/${channel.resourceId}`, expires }
const answer = { body: { kind: 'api#channel', ...channel, token: ourSecret, expiration: `${expires.getTime()}` } }
const sent = {
  id: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
  type: 'web_hook',
  address: url,
  token: ourSecret,
}

/** A notification as the documentation of push notifications shows it. */
const notification = (state: string, number: number) => ({
  body: {},
  headers: {
    'x-goog-channel-id': channel.id,
    'x-goog-channel-expiration': 'Fri, 09 Jan 2026 00:00:00 GMT',
    'x-goog-resource-id': channel.resourceId,
    'x-goog-resource-state': state,
    'x-goog-message-number': `${number}`,
  },
  parsed: { name: state, key: `${channel.id}\n${number}` },
  kind: 'changed' as const,
})

const common = {
  secret: ourSecret,
  isToken: true as const,
  sign: (_: string, { secret }: { secret: string }) => ({ 'x-goog-channel-token': secret }),
}

const calendar: WebhookCase = {
  ...common,
  provider: 'google',
  events: [{ ...notification('exists', 10), object: 'events' }],
  registration: {
    wanted: [{ object: 'events', events: ['exists', 'not_exists'] }],
    answers: {
      'POST /calendar/v3/calendars/primary/events/watch': answer,
      'POST /calendar/v3/channels/stop': { status: 204 },
    },
    sent: [['POST /calendar/v3/calendars/primary/events/watch', sent]],
    registered,
    removed: [['POST /calendar/v3/channels/stop', channel]],
  },
}

const drive: WebhookCase = {
  ...common,
  provider: 'googleDrive',
  events: [{ ...notification('change', 2), object: 'files' }],
  registration: {
    wanted: [{ object: 'files', events: ['change'] }],
    answers: {
      'GET /drive/v3/changes/startPageToken': { body: { kind: 'drive#startPageToken', startPageToken: '23' } },
      'POST /drive/v3/changes/watch': answer,
      'POST /drive/v3/channels/stop': { status: 204 },
    },
    sent: [
      'GET /drive/v3/changes/startPageToken?supportsAllDrives=true',
      [
        'POST /drive/v3/changes/watch?pageToken=23&supportsAllDrives=true&includeItemsFromAllDrives=true',
        { ...sent, expiration: Date.parse('2026-01-08T22:40:00Z') },
      ],
    ],
    registered,
    removed: [['POST /drive/v3/channels/stop', channel]],
  },
}

const central = '/v2.0/tenant/Production/api/v2.0/subscriptions'
const central1 = `${central}('c670ea73cacb459bb51dc1740da2f1db')`
const subscription = {
  notificationUrl: url,
  resource: '/api/v2.0/companies(b18aed47)/customers',
  clientState: ourSecret,
}
const subscribed = {
  body: {
    ...subscription,
    subscriptionId: 'c670ea73cacb459bb51dc1740da2f1db',
    expirationDateTime: '2026-01-04T00:00:00Z',
  },
}

const businessCentral: WebhookCase = {
  provider: 'dynamicsBusinessCentral',
  connection: { workspaceRef: 'tenant', metadata: { companyId: 'b18aed47', environmentName: 'Production' } },
  secret: ourSecret,
  isToken: true,
  sign: () => ({}),
  complete: withClientState,
  events: [
    {
      body: {
        value: [
          {
            subscriptionId: 'c670ea73cacb459bb51dc1740da2f1db',
            clientState: ourSecret,
            resource: 'api/v2.0/companies(b18aed47)/customers(130bbd17-dbb9-4790-9b12-2b0e9c9d22c3)',
            changeType: 'created',
            lastModifiedDateTime: '2026-01-01T00:00:00.000Z',
          },
        ],
      },
      parsed: { name: 'created', time: new Date('2026-01-01T00:00:00Z') },
      object: 'customers',
      kind: 'changed',
    },
  ],
  handshakes: [{ request: { url: `${url}&validationToken=abc` }, reply: { text: 'abc' } }],
  registration: {
    wanted: [{ object: 'customers', events: ['created', 'updated'] }],
    answers: {
      [`POST ${central}`]: subscribed,
      [`PATCH ${central1}`]: subscribed,
      [`DELETE ${central1}`]: { status: 204 },
    },
    sent: [[`POST ${central}`, subscription]],
    registered: { id: 'c670ea73cacb459bb51dc1740da2f1db', expires: new Date('2026-01-04T00:00:00Z') },
    renewed: [[`PATCH ${central1}`, subscription]],
    removed: [`DELETE ${central1}`],
  },
}

export const channelCases = [calendar, drive, businessCentral]
