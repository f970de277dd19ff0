import { expect } from 'vitest'
import { itReads, type ListCase } from './testing/list-cases.testkit.ts'

/** Objects that a provider lists only inside others: which requests find them, and what their ids are. */

const recent = '2026-03-01T08:00:00Z'
const old = '2026-01-01T08:00:00Z'

const repositories = [{ id: 1, name: 'web', owner: { login: 'acme' } }]
const nodes = (name: string, ...records: object[]) => ({
  [name]: { nodes: records, pageInfo: { hasNextPage: false, endCursor: null } },
})
const body = (part: string) => expect.stringContaining(part) as string

const cases: Record<string, ListCase> = {
  'asana stories': {
    object: 'stories',
    answers: {
      '/projects': { data: [{ gid: 'p1' }] },
      '/tasks': { data: [{ gid: 't1' }] },
      '/tasks/t1/stories': { data: [{ gid: 's1', type: 'comment' }] },
    },
    requests: [
      'GET /api/1.0/projects?limit=100',
      'GET /api/1.0/tasks?project=p1&limit=100',
      'GET /api/1.0/tasks/t1/stories?opt_fields=type&limit=100',
    ],
    ids: ['s1'],
    fields: ['type', 'task'],
    first: { type: 'comment', task: 't1' },
  },
  'atlassian sprints': {
    object: 'sprints',
    module: 'jira',
    metadata: { workspace: 'acme', cloudId: 'c1' },
    answers: {
      '/board': { values: [{ id: 1 }], isLast: true },
      '/board/1/sprint': { values: [{ id: 7, state: 'active' }], isLast: true },
    },
    requests: [
      'GET /ex/jira/c1/rest/agile/1.0/board?type=scrum&startAt=0&maxResults=50',
      'GET /ex/jira/c1/rest/agile/1.0/board/1/sprint?startAt=0&maxResults=50',
    ],
    ids: ['7'],
  },
  'atlassian queues': {
    object: 'queues',
    module: 'jira',
    metadata: { workspace: 'acme', cloudId: 'c1' },
    answers: {
      '/servicedesk': { values: [{ id: '3' }], isLastPage: true },
      '/servicedesk/3/queue': { values: [{ id: '9', name: 'Open' }], isLastPage: true },
    },
    requests: [
      'GET /ex/jira/c1/rest/servicedeskapi/servicedesk?start=0&limit=50',
      'GET /ex/jira/c1/rest/servicedeskapi/servicedesk/3/queue?start=0&limit=50&includeCount=false',
    ],
    ids: ['9'],
  },
  'attio list_entries': {
    object: 'list_entries',
    answers: {
      '/v2/lists': { data: [{ id: { list_id: 'l1' }, api_slug: 'sales' }] },
      '/entries/query': {
        data: [{ id: { list_id: 'l1', entry_id: 'e1' }, parent_record_id: 'r1', entry_values: { stage: [1] } }],
      },
    },
    requests: ['GET /v2/lists', 'POST /v2/lists/l1/entries/query {"limit":500,"offset":0}'],
    ids: ['l1/e1'],
    fields: ['list', 'stage', 'parent_record_id'],
    first: { list: 'sales', stage: [1], parent_record_id: 'r1' },
  },
  'front messages of a full read': {
    object: 'messages',
    answers: {
      '/conversations': { _results: [{ id: 'cnv_1' }], _pagination: { next: null } },
      '/messages': { _results: [{ id: 'msg_1' }], _pagination: { next: null } },
    },
    requests: ['GET /conversations?limit=100', 'GET /conversations/cnv_1/messages?limit=100'],
    ids: ['msg_1'],
    isFull: true,
  },
  'front messages of a window': {
    object: 'messages',
    answers: {
      '/events': {
        _results: [
          { id: 'evt_1', type: 'inbound', target: { data: { id: 'msg_1', body: 'old' } } },
          { id: 'evt_2', type: 'out_reply', target: { data: { id: 'msg_gone' } } },
        ],
        _pagination: { next: null },
      },
      '/messages/msg_1': { id: 'msg_1', body: 'new' },
    },
    requests: [
      'GET /events?limit=15&q[after]=1772323199&q[before]=1772409600&q[types][]=inbound&q[types][]=outbound&q[types][]=out_reply',
      'GET /messages/msg_1',
      'GET /messages/msg_gone',
    ],
    ids: ['msg_1'],
    fields: ['body', 'type'],
    first: { body: 'new' },
  },
  'github reviews': {
    object: 'repos/pulls/reviews',
    answers: {
      '/user/repos': repositories,
      '/repositories/1/pulls': [{ number: 5 }],
      '/pulls/5/reviews': [
        { id: 80, submitted_at: recent },
        { id: 81, submitted_at: old },
      ],
    },
    requests: [
      'GET /user/repos?per_page=100',
      'GET /repositories/1/pulls?per_page=100&state=all&sort=created&direction=asc',
      'GET /repositories/1/pulls/5/reviews?per_page=100',
    ],
    ids: ['1/5/80'],
  },
  'github jobs': {
    object: 'repos/actions/jobs',
    answers: {
      '/user/repos': repositories,
      '/actions/runs': { workflow_runs: [{ id: 30 }] },
      '/actions/runs/30/jobs': { jobs: [{ id: 31, completed_at: null }] },
    },
    requests: [
      'GET /user/repos?per_page=100',
      'GET /repositories/1/actions/runs?per_page=100&created=>=2026-02-28T00:00:00Z',
      'GET /repositories/1/actions/runs/30/jobs?per_page=100&filter=all',
    ],
    ids: ['1/31'],
  },
  'github alerts': {
    object: 'repos/dependabot/alerts',
    answers: {
      '/user/repos': [...repositories, { id: 2, name: 'without', owner: { login: 'acme' } }],
      '/repositories/1/dependabot/alerts': [
        { number: 2, updated_at: recent },
        { number: 1, updated_at: old },
      ],
    },
    requests: [
      'GET /user/repos?per_page=100',
      'GET /repositories/1/dependabot/alerts?per_page=100&sort=updated&direction=desc',
      'GET /repositories/2/dependabot/alerts?per_page=100&sort=updated&direction=desc',
    ],
    ids: ['1/2'],
  },
  'gong dailyActivity': {
    object: 'dailyActivity',
    metadata: { api_base_url_for_customer: 'https://us-1.api.gong.io' },
    answers: {
      '/day-by-day': {
        records: {},
        usersDetailedActivities: [
          {
            userId: 'u1',
            userEmailAddress: 'ada@example.com',
            userDailyActivityStats: [
              { fromDate: '2026-02-27', callsAsHost: ['c1'] },
              { fromDate: '2026-02-28', callsAsHost: [] },
            ],
          },
          { userId: 'u2', userDailyActivityStats: null },
        ],
      },
    },
    requests: ['POST /v2/stats/activity/day-by-day {"filter":{"fromDate":"2026-02-27","toDate":"2026-03-01"}}'],
    ids: ['u1/2026-02-27', 'u1/2026-02-28'],
    fields: ['userEmailAddress', 'callsAsHost'],
    first: { useremailaddress: 'ada@example.com', callsashost: ['c1'] },
  },
  'hubspot conversation-messages': {
    object: 'conversation-messages',
    module: 'crm',
    answers: {
      '/threads': { results: [{ id: '7' }] },
      '/threads/7/messages': {
        results: [
          { id: 'm1', createdAt: recent },
          { id: 'm0', createdAt: old },
        ],
      },
    },
    requests: [
      'GET /conversations/v3/conversations/threads?limit=500&sort=latestMessageTimestamp&latestMessageTimestampAfter=2026-03-01T00:00:00.000Z',
      'GET /conversations/v3/conversations/threads/7/messages?limit=100',
    ],
    ids: ['m1'],
  },
  'intercom conversation_parts': {
    object: 'conversation_parts',
    answers: {
      '/conversations/search': { conversations: [{ id: '5' }], pages: {} },
      '/conversations/5': {
        id: '5',
        conversation_parts: {
          conversation_parts: [
            { id: 'a', updated_at: 1772352000 },
            { id: 'b', updated_at: 1 },
          ],
        },
      },
    },
    requests: [
      'POST /conversations/search {"query":{"field":"updated_at","operator":">","value":"1772323199"},"pagination":{"per_page":150}}',
      'GET /conversations/5',
    ],
    ids: ['a'],
    fields: ['conversation_id'],
    first: { conversation_id: '5' },
  },
  'shopify refunds': {
    object: 'refunds',
    metadata: { workspace: 'acme' },
    answers: {
      '/graphql.json': {
        data: nodes('orders', { id: 'o1', refunds: [{ id: 'r1' }, { id: 'r2' }] }, { id: 'o2', refunds: [] }),
      },
    },
    requests: [body("updated_at:>='2026-03-01T00:00:00Z' AND updated_at:<='2026-03-02T00:00:00Z'")],
    ids: ['r1', 'r2'],
    fields: ['orderId'],
    first: { orderid: 'o1' },
  },
  'shopify inventoryLevels': {
    object: 'inventoryLevels',
    metadata: { workspace: 'acme' },
    answers: {
      '/graphql.json': {
        data: { ...nodes('locations', { id: 'l1' }), location: nodes('inventoryLevels', { id: 'i1' }) },
      },
    },
    requests: [body('query Locations'), body('"location":"l1"')],
    ids: ['i1'],
  },
  'shopify productMetafields': {
    object: 'productMetafields',
    metadata: { workspace: 'acme' },
    answers: {
      '/graphql.json': {
        data: {
          ...nodes('products', { id: 'p1' }),
          node: nodes('metafields', { id: 'm1', updatedAt: recent }, { id: 'm0', updatedAt: old }),
        },
      },
    },
    requests: [body('products(first'), body('"owner":"p1"')],
    ids: ['m1'],
    fields: ['ownerId'],
    first: { ownerid: 'p1' },
  },
  'slack reactions': {
    object: 'reactions',
    answers: {
      '/users.list': {
        ok: true,
        members: [
          { id: 'U1', deleted: false },
          { id: 'U2', deleted: true },
        ],
      },
      '/reactions.list': {
        ok: true,
        items: [
          { type: 'message', channel: 'C1', message: { ts: '1.2', reactions: [] } },
          { type: 'file', file: {} },
        ],
      },
    },
    requests: ['GET /api/users.list?limit=200', 'GET /api/reactions.list?user=U1&full=true&limit=200'],
    ids: ['U1/C1/1.2'],
  },
  'facebookPages comments': {
    object: 'comments',
    isFull: true,
    answers: {
      '/me': { id: '9', category: 'Bakery' },
      '/9/feed': { data: [{ id: 'p_1' }], paging: { cursors: { after: 'X' } } },
      '/p_1/comments': { data: [{ id: 'c1', message: 'Hello' }] },
    },
    requests: [
      'GET /v25.0/me?fields=id,category',
      'GET /v25.0/9/feed?fields=id&limit=100',
      'GET /v25.0/p_1/comments?fields=created_time,from,id,is_hidden,like_count,message,object,parent,permalink_url&limit=100&filter=stream',
    ],
    ids: ['c1'],
    fields: ['post_id'],
    first: { post_id: 'p_1' },
  },
  'facebookPages leads': {
    object: 'leads',
    answers: {
      '/me/leadgen_forms': { data: [{ id: 'f1' }] },
      '/f1/leads': {
        data: [
          { id: 'l1', created_time: '2026-03-01T08:00:00+0000' },
          { id: 'l2', created_time: '2026-01-01T08:00:00+0000' },
        ],
      },
    },
    requests: [
      'GET /v25.0/me/leadgen_forms?fields=id&limit=100',
      'GET /v25.0/f1/leads?fields=ad_id,adset_id,campaign_id,created_time,field_data,form_id,id,is_organic,platform&limit=100&filtering=[{"field":"time_created","operator":"GREATER_THAN","value":1772323199}]',
    ],
    ids: ['l1'],
  },
  'instagram comments': {
    object: 'comments',
    isFull: true,
    answers: {
      '/me/media': { data: [{ id: 'm1' }] },
      '/m1/comments': { data: [{ id: 'c1', text: 'Hello' }] },
    },
    requests: [
      'GET /v25.0/me/media?fields=id&limit=100',
      'GET /v25.0/m1/comments?fields=from,hidden,id,like_count,media,parent_id,text,timestamp,username&limit=50',
    ],
    ids: ['c1'],
    fields: ['media_id'],
    first: { media_id: 'm1' },
  },
  'helpScoutMailbox threads': {
    object: 'threads',
    answers: {
      '/conversations': { _embedded: { conversations: [{ id: 4 }] }, page: { totalPages: 1 } },
      '/conversations/4/threads': { _embedded: { threads: [{ id: 41, type: 'note' }] }, page: { totalPages: 1 } },
    },
    requests: [
      'GET /v2/conversations?page=1&status=all&sortField=createdAt&sortOrder=asc&modifiedSince=2026-02-28T23:59:59Z',
      'GET /v2/conversations/4/threads?page=1',
    ],
    ids: ['41'],
    fields: ['conversationId'],
    first: { conversationid: 4 },
  },
  'zendeskSupport ticket_comments': {
    object: 'ticket_comments',
    metadata: { workspace: 'acme' },
    answers: {
      '/tickets/cursor': { tickets: [{ id: 4 }, { id: 5 }], end_of_stream: true },
      '/tickets/4/comments': {
        comments: [
          { id: 41, created_at: recent },
          { id: 40, created_at: old },
        ],
        meta: { has_more: false },
      },
    },
    requests: [
      'GET /api/v2/incremental/tickets/cursor?per_page=1000&start_time=1772323110',
      'GET /api/v2/tickets/4/comments?page[size]=100',
      'GET /api/v2/tickets/5/comments?page[size]=100',
    ],
    ids: ['41'],
    fields: ['ticket_id'],
    first: { ticket_id: 4 },
  },
}

itReads(cases)
