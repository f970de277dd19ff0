import { expect } from 'vitest'
import { ourSecret, url, type WebhookCase } from './webhook-case.testkit.ts'

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

export const channelCases = [calendar, drive]
