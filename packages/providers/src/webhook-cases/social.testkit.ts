import { expect } from 'vitest'
import { mac, ourSecret, url, type WebhookCase } from './webhook-case.testkit.ts'

/** Webhooks of pages and accounts, as developers.facebook.com shows them. */

const signed: Pick<WebhookCase, 'secret' | 'sign'> = {
  secret: 'an-app-secret',
  sign: (body, { secret }) => ({ 'x-hub-signature-256': `sha256=${mac(body, secret)}` }),
}

const time = 1_767_225_600
const pageEntry = (entry: object) => ({ object: 'page', entry: [{ id: '101', time, ...entry }] })
const feed = (value: object) => pageEntry({ changes: [{ field: 'feed', value }] })
const message = (id: string, more: object = {}) => ({
  sender: { id: '9' },
  recipient: { id: '101' },
  timestamp: time * 1000,
  message: { mid: id, ...more },
})

const facebookPages: WebhookCase = {
  provider: 'facebookPages',
  connection: { credential: { scheme: 'apiKey', apiKey: 'a-page-token' } },
  ...signed,
  events: [
    {
      body: feed({ item: 'comment', verb: 'add', comment_id: '101_5', post_id: '101_1', message: 'Hello' }),
      parsed: {
        name: 'page.feed.comment.add',
        id: '101_5',
        account: '101',
        time: new Date('2026-01-01T00:00:00Z'),
      },
      object: 'comments',
      kind: 'create',
    },
    {
      body: feed({ item: 'comment', verb: 'remove', comment_id: '101_5', post_id: '101_1' }),
      parsed: { name: 'page.feed.comment.remove', id: '101_5' },
      object: 'comments',
      kind: 'delete',
    },
    {
      body: feed({ item: 'status', verb: 'edited', post_id: '101_1' }),
      parsed: { name: 'page.feed.status.edited', id: '101_1' },
      object: 'posts',
      kind: 'update',
    },
    {
      body: pageEntry({ changes: [{ field: 'leadgen', value: { leadgen_id: '444', form_id: '5', page_id: '101' } }] }),
      parsed: { name: 'page.leadgen', id: '444' },
      object: 'leads',
      kind: 'create',
    },
    {
      body: pageEntry({ messaging: [message('m_1', { text: 'Hello' })] }),
      parsed: { name: 'page', id: 'm_1', account: '101' },
      object: 'messages',
      kind: 'create',
      record: message('m_1', { text: 'Hello' }),
    },
  ],
  registration: {
    wanted: [
      { object: 'comments', events: ['page.feed.comment.add'] },
      { object: 'leads', events: ['page.leadgen'] },
    ],
    answers: { 'POST /v25.0/me/subscribed_apps': { body: { success: true } } },
    sent: ['POST /v25.0/me/subscribed_apps?subscribed_fields=feed,leadgen'],
    headers: { authorization: 'Bearer a-page-token' },
    registered: { id: 'true' },
    removed: [],
  },
}

const accountEntry = (entry: object) => ({ object: 'instagram', entry: [{ id: '178', time, ...entry }] })
const comment = { id: '17865799348089039', from: { id: '9', username: 'ada' }, text: 'Hello', media: { id: '1' } }

const instagram: WebhookCase = {
  provider: 'instagram',
  ...signed,
  events: [
    {
      body: accountEntry({ changes: [{ field: 'comments', value: comment }] }),
      parsed: {
        name: 'instagram.comments',
        id: comment.id,
        account: '178',
        time: new Date('2026-01-01T00:00:00Z'),
      },
      object: 'comments',
      kind: 'create',
    },
    {
      body: accountEntry({ field: 'live_comments', value: comment }),
      parsed: { name: 'instagram.live_comments', id: comment.id, account: '178' },
      object: 'comments',
      kind: 'create',
    },
    {
      body: accountEntry({ messaging: [message('m_1', { text: 'Hello' })] }),
      parsed: { name: 'instagram', id: 'm_1', account: '178' },
      object: 'messages',
      kind: 'create',
      record: message('m_1', { text: 'Hello' }),
    },
    {
      body: accountEntry({ messaging: [message('m_1', { is_deleted: true })] }),
      parsed: { name: 'instagram.true', id: 'm_1' },
      object: 'messages',
      kind: 'delete',
      record: message('m_1', { is_deleted: true }),
    },
  ],
  registration: {
    wanted: [
      { object: 'comments', events: ['instagram.comments'] },
      { object: 'messages', events: ['instagram'] },
    ],
    answers: { 'POST /v25.0/me/subscribed_apps': { body: { success: true } } },
    sent: ['POST /v25.0/me/subscribed_apps?subscribed_fields=comments,live_comments,messages'],
    registered: { id: 'true' },
    removed: [],
  },
}

const todoist: WebhookCase = {
  provider: 'todoist',
  connection: { metadata: { userId: '2671355' } },
  secret: 'client secret',
  sign: (body, { secret }) => ({ 'x-todoist-hmac-sha256': mac(body, secret, 'base64') }),
  events: [
    {
      body: {
        version: '1',
        user_id: '2671355',
        event_name: 'item:completed',
        event_data: { id: '6XR4GqQQCW6Gv9h4', content: 'Buy Milk', checked: true },
        triggered_at: '2026-01-01T00:00:00.000000Z',
      },
      parsed: {
        name: 'item:completed',
        id: '6XR4GqQQCW6Gv9h4',
        account: '2671355',
        time: new Date('2026-01-01T00:00:00Z'),
      },
      object: 'tasks',
      kind: 'update',
    },
  ],
}

const webex: WebhookCase = {
  provider: 'webex',
  secret: ourSecret,
  sign: (body, { secret }) => ({ 'x-spark-signature': mac(body, secret, 'hex', 'sha1') }),
  events: [
    {
      body: {
        id: 'Y2lzY29w',
        name: 'Mortise',
        resource: 'messages',
        event: 'created',
        data: { id: 'm1', roomId: 'r1', personId: 'p1', created: '2026-01-01T00:00:00.000Z' },
      },
      parsed: { name: 'messages.created', id: 'm1' },
      object: 'messages',
      kind: 'create',
    },
  ],
  registration: {
    wanted: [{ object: 'messages', events: ['messages.created', 'messages.deleted'] }],
    answers: { 'POST /v1/webhooks': { body: { id: 'w1' } } },
    sent: [
      [
        'POST /v1/webhooks',
        {
          name: expect.stringMatching(/^Mortise /) as string,
          targetUrl: url,
          resource: 'messages',
          event: 'all',
          secret: ourSecret,
        },
      ],
    ],
    registered: { id: 'w1' },
    removed: ['DELETE /v1/webhooks/w1'],
  },
}

export const socialCases = [facebookPages, instagram, todoist, webex]
