import { mac, ourSecret, url, type WebhookCase } from './webhook-case.testkit.ts'

/** Projects, tasks and sites. */

const asana: WebhookCase = {
  provider: 'asana',
  secret: 'b537207f20cbfa02357cf448134da559e8bd39d61597dcd5631b8012eae53e81',
  sign: (body, { secret }) => ({ 'x-hook-signature': mac(body, secret) }),
  events: [
    {
      body: {
        events: [
          {
            user: { gid: '12345', resource_type: 'user' },
            resource: { gid: '1337', resource_type: 'task', resource_subtype: 'default_task' },
            parent: null,
            created_at: '2026-01-01T00:00:00.411Z',
            action: 'changed',
            change: { field: 'due_on', action: 'changed' },
          },
        ],
      },
      parsed: {
        name: 'task.changed',
        id: '1337',
        fieldsUpdated: ['due_on'],
        time: new Date('2026-01-01T00:00:00.411Z'),
      },
      object: 'tasks',
      kind: 'update',
    },
  ],
  handshakes: [
    {
      request: { headers: { 'x-hook-secret': 'b537207f' }, body: {} },
      reply: { text: '', headers: { 'X-Hook-Secret': 'b537207f' } },
    },
  ],
  registration: {
    wanted: [{ object: 'tasks', events: ['task.added', 'task.changed'] }],
    answers: {
      'GET /api/1.0/projects': { body: { data: [{ gid: '8675309' }], next_page: null } },
      'POST /api/1.0/webhooks': { status: 201, body: { data: { gid: '43214' }, 'X-Hook-Secret': 'b537207f' } },
    },
    sent: [
      ['POST /api/1.0/webhooks', { data: { resource: '8675309', target: url, filters: [{ resource_type: 'task' }] } }],
    ],
    registered: { id: '43214', secret: 'b537207f' },
    removed: ['DELETE /api/1.0/webhooks/43214'],
  },
}

const clickup: WebhookCase = {
  provider: 'clickup',
  secret: 'O94IM25S7PXBPYTMNXLLET230SRP0S89',
  sign: (body, { secret }) => ({ 'x-signature': mac(body, secret) }),
  events: [
    {
      body: {
        event: 'taskUpdated',
        history_items: [{ id: '2800763136717140857', date: '1767225600000', field: 'status' }],
        task_id: '1vj37mc',
        webhook_id: '7fa3ec74-69a8-4530-a251-8a13730bd204',
      },
      parsed: { name: 'taskUpdated', id: '1vj37mc', time: new Date(1_767_225_600_000) },
      object: 'tasks',
      kind: 'update',
    },
    {
      body: { event: 'spaceDeleted', space_id: '54650507', webhook_id: '7fa3ec74' },
      parsed: { name: 'spaceDeleted', id: '54650507' },
      object: 'spaces',
      kind: 'delete',
    },
  ],
  registration: {
    wanted: [{ object: 'tasks', events: ['taskUpdated', 'taskCreated'] }],
    answers: {
      'GET /api/v2/team': { body: { teams: [{ id: '108' }] } },
      'POST /api/v2/team/108/webhook': {
        body: { id: '4b67ac88', webhook: { id: '4b67ac88', team_id: 108, secret: 'O94IM25S7' } },
      },
    },
    sent: [['POST /api/v2/team/108/webhook', { endpoint: url, events: ['taskCreated', 'taskUpdated'] }]],
    registered: { id: '4b67ac88', secret: 'O94IM25S7' },
    removed: ['DELETE /api/v2/webhook/4b67ac88'],
  },
}

const created = `mutation ($input: WebhookCreateInput!) {
  webhookCreate(input: $input) { success webhook { id } }
}
`

const linear: WebhookCase = {
  provider: 'linear',
  secret: ourSecret,
  isTimed: true,
  sign: (body, { secret }) => ({ 'linear-signature': mac(body, secret) }),
  complete: (event, { seconds }) => ({ ...event, webhookTimestamp: seconds * 1_000 }),
  events: [
    {
      body: {
        action: 'update',
        type: 'Issue',
        createdAt: '2026-01-01T00:00:00.000Z',
        data: { id: '539068e2-ae88-4d09-bd75-22eb4a59612f', title: 'Fix it' },
        updatedFrom: { title: 'Fix', updatedAt: '2025-12-31T00:00:00.000Z' },
        webhookTimestamp: 1_767_225_600_000,
      },
      headers: { 'linear-delivery': '234d1a4e-b617-4388-90fe-adc3633d6b72' },
      parsed: {
        name: 'Issue.update',
        id: '539068e2-ae88-4d09-bd75-22eb4a59612f',
        key: '234d1a4e-b617-4388-90fe-adc3633d6b72',
        fieldsUpdated: ['title', 'updatedAt'],
      },
      object: 'issues',
      kind: 'update',
    },
  ],
  registration: {
    wanted: [{ object: 'issues', events: ['Issue.create', 'Issue.update'] }],
    answers: { 'POST /graphql': { body: { data: { webhookCreate: { success: true, webhook: { id: 'wh-1' } } } } } },
    sent: [
      [
        'POST /graphql',
        {
          query: created,
          variables: { input: { url, allPublicTeams: true, resourceTypes: ['Issue'], secret: ourSecret } },
        },
      ],
    ],
    registered: { id: 'wh-1' },
    removed: [
      [
        'POST /graphql',
        { query: 'mutation ($id: String!) { webhookDelete(id: $id) { success } }', variables: { id: 'wh-1' } },
      ],
    ],
  },
}

const trello: WebhookCase = {
  provider: 'trello',
  connection: { credential: { scheme: 'custom', values: { key: 'key', token: 'token' } } },
  secret: 'app-secret',
  sign: (body, { secret, url }) => ({ 'x-trello-webhook': mac(`${body}${url}`, secret, 'base64', 'sha1') }),
  events: [
    {
      body: {
        action: {
          id: '51f9424bcd6e040f3c002412',
          type: 'updateCard',
          date: '2026-01-01T00:00:00.000Z',
          data: { board: { id: '4d5ea62fd76aa1136000000c' }, card: { id: '4eea503d91e31d174600008f', name: 'Card' } },
        },
        model: { id: '4d5ea62fd76aa1136000000c' },
      },
      parsed: { name: 'updateCard', id: '4eea503d91e31d174600008f', key: '51f9424bcd6e040f3c002412' },
      object: 'cards',
      kind: 'update',
    },
    {
      body: { action: { id: '2', type: 'createList', data: { board: { id: 'b' }, list: { id: 'l' } } } },
      parsed: { name: 'createList', id: 'l' },
      object: 'lists',
      kind: 'create',
    },
  ],
  handshakes: [{ request: { method: 'HEAD' }, reply: { text: '' } }],
  registration: {
    wanted: [{ object: 'cards', events: ['createCard'] }],
    answers: {
      'GET /1/members/me/boards': { body: [{ id: '4d5ea62f' }] },
      'POST /1/webhooks': { body: { id: '51a79e72', active: true } },
    },
    sent: [['POST /1/webhooks?key=key&token=token', { callbackURL: url, idModel: '4d5ea62f' }]],
    registered: { id: '51a79e72' },
    removed: ['DELETE /1/webhooks/51a79e72?key=key&token=token'],
  },
}

const webflow: WebhookCase = {
  provider: 'webflow',
  secret: 'client-secret',
  isTimed: true,
  sign: (body, { secret, seconds }) => ({
    'x-webflow-timestamp': `${seconds * 1_000}`,
    'x-webflow-signature': mac(`${seconds * 1_000}:${body}`, secret),
  }),
  events: [
    {
      body: {
        triggerType: 'page_created',
        payload: { siteId: '62749158efef318abc8d5a0f', pageId: '63c1e1f8', pageTitle: 'Home' },
      },
      parsed: { name: 'page_created', id: '63c1e1f8' },
      object: 'pages',
      kind: 'create',
    },
    {
      body: {
        triggerType: 'form_submission',
        payload: { name: 'Contact', siteId: '62749158', data: { name: 'Ada' }, id: '6321ca84df3949bfc6752327' },
      },
      parsed: { name: 'form_submission', id: '6321ca84df3949bfc6752327' },
      object: 'form_submissions',
      kind: 'create',
    },
  ],
  registration: {
    wanted: [{ object: 'pages', events: ['page_created'] }],
    answers: {
      'GET /v2/sites': { body: { sites: [{ id: '580e63e9' }] } },
      'POST /v2/sites/580e63e9/webhooks': { body: { id: '57ca0a9e', triggerType: 'page_created' } },
    },
    sent: [['POST /v2/sites/580e63e9/webhooks', { triggerType: 'page_created', url }]],
    registered: { id: '57ca0a9e' },
    removed: ['DELETE /v2/webhooks/57ca0a9e'],
  },
}

const devrev: WebhookCase = {
  provider: 'devrev',
  connection: { credential: { scheme: 'custom', values: { token: 'token' } } },
  secret: 'a secret of DevRev',
  sign: (body, { secret }) => ({ 'x-devrev-signature': mac(body, secret) }),
  events: [
    {
      body: {
        id: 'don:integration:dvrv-us-1:devo/1:webhook/123:event/abcdef',
        webhook_id: 'don:integration:dvrv-us-1:devo/1:webhook/123',
        timestamp: '2022-08-01T12:00:00.123456789Z',
        type: 'work_created',
        work_created: { work: { id: 'don:core:dvrv-us-1:devo/1:issue/7' } },
      },
      parsed: {
        name: 'work_created',
        id: 'don:core:dvrv-us-1:devo/1:issue/7',
        time: new Date('2022-08-01T12:00:00.123Z'),
        key: 'don:integration:dvrv-us-1:devo/1:webhook/123:event/abcdef',
      },
      object: 'works',
      kind: 'create',
    },
    {
      body: { id: 'e2', type: 'account_deleted', account_deleted: { id: 'don:identity:dvrv-us-1:devo/1:account/2' } },
      parsed: { name: 'account_deleted', id: 'don:identity:dvrv-us-1:devo/1:account/2' },
      object: 'accounts',
      kind: 'delete',
    },
    {
      body: { id: 'e3', type: 'survey_response_updated', survey_response_updated: { survey_response: { id: 'r1' } } },
      parsed: { name: 'survey_response_updated', id: 'r1' },
      object: 'surveys.responses',
      kind: 'update',
    },
  ],
  handshakes: [
    {
      request: { body: { id: 'e0', type: 'verify', verify: { challenge: 'DlrVaK7zRyZWwbJhj5dZ' } } },
      reply: { text: JSON.stringify({ challenge: 'DlrVaK7zRyZWwbJhj5dZ' }), type: 'application/json' },
    },
  ],
  registration: {
    wanted: [{ object: 'works', events: ['work_created', 'work_deleted'] }],
    answers: {
      'POST /webhooks.create': {
        status: 201,
        body: { webhook: { id: 'don:integration:dvrv-us-1:devo/1:webhook/123', secret: 's3', status: 'unverified' } },
      },
    },
    sent: [['POST /webhooks.create', { url, event_types: ['work_created', 'work_deleted'] }]],
    registered: { id: 'don:integration:dvrv-us-1:devo/1:webhook/123', secret: 's3' },
    removed: [['POST /webhooks.delete', { id: 'don:integration:dvrv-us-1:devo/1:webhook/123' }]],
  },
}

const housecallPro: WebhookCase = {
  provider: 'housecallPro',
  secret: 'webhook-signing-secret',
  isTimed: true,
  sign: (body, { secret, seconds }) => ({
    'api-timestamp': `${seconds}`,
    'api-signature': mac(`${seconds}.${body}`, secret),
  }),
  events: [
    {
      body: {
        event: 'job.completed',
        event_occurred_at: '2026-01-01T23:59:00Z',
        company_id: 'c1',
        job: { id: 'job_1', work_status: 'complete rated', customer: { id: 'cus_1' } },
      },
      parsed: { name: 'job.completed', id: 'job_1', time: new Date('2026-01-01T23:59:00Z') },
      object: 'jobs',
      kind: 'update',
      record: { id: 'job_1', work_status: 'complete rated', customer: { id: 'cus_1' } },
    },
    {
      body: { event: 'customer.deleted', event_occurred_at: '2026-01-01T23:59:00Z', customer: { id: 'cus_1' } },
      parsed: { name: 'customer.deleted', id: 'cus_1' },
      object: 'customers',
      kind: 'delete',
      record: { id: 'cus_1' },
    },
  ],
}

const atlassian: WebhookCase = {
  provider: 'atlassian',
  secret: 'secret of the webhook',
  sign: (body, { secret }) => ({ 'x-hub-signature': `sha256=${mac(body, secret)}` }),
  events: [
    {
      body: {
        timestamp: 1_767_225_600_000,
        webhookEvent: 'jira:issue_updated',
        issue_event_type_name: 'issue_generic',
        issue: { id: '10002', key: 'A-1' },
        changelog: { id: '1', items: [{ field: 'summary' }] },
      },
      headers: { 'x-atlassian-webhook-identifier': 'delivery-1' },
      parsed: { name: 'jira:issue_updated', id: '10002', time: new Date(1_767_225_600_000), key: 'delivery-1' },
      object: 'issues',
      kind: 'update',
    },
    {
      body: {
        timestamp: 1_767_225_600_000,
        webhookEvent: 'comment_deleted',
        comment: { id: '7' },
        issue: { id: '10002' },
      },
      headers: { 'x-atlassian-webhook-identifier': 'delivery-2' },
      parsed: { name: 'comment_deleted', id: '7', key: 'delivery-2' },
      object: 'comments',
      kind: 'delete',
    },
    {
      body: { timestamp: 1_767_225_600_000, webhookEvent: 'project_soft_deleted', project: { id: '9' } },
      parsed: { name: 'project_soft_deleted', id: '9' },
      object: 'projects',
      kind: 'delete',
    },
  ],
}

const subscription = (eventType: string) => ({
  publisherId: 'tfs',
  eventType,
  resourceVersion: '1.0',
  consumerId: 'webHooks',
  consumerActionId: 'httpRequest',
  publisherInputs: { projectId: 'p1' },
  consumerInputs: { url, basicAuthUsername: 'mortise', basicAuthPassword: ourSecret },
})

const azureDevops: WebhookCase = {
  provider: 'azureDevops',
  connection: {
    metadata: { organization: 'fabrikam' },
    credential: { scheme: 'basic', username: '', password: 'token' },
  },
  secret: ourSecret,
  isToken: true,
  sign: (_, { secret }) => ({ authorization: `Basic ${Buffer.from(`mortise:${secret}`).toString('base64')}` }),
  events: [
    {
      body: {
        id: '27646e0e',
        eventType: 'workitem.updated',
        resource: { id: 2, workItemId: 300, rev: 2 },
        createdDate: '2026-01-01T00:00:00.000Z',
      },
      parsed: { name: 'workitem.updated', id: '300', key: '27646e0e', time: new Date('2026-01-01T00:00:00Z') },
      object: 'workItems',
      kind: 'update',
    },
    {
      body: { id: 'd2d46fb1', eventType: 'workitem.deleted', resource: { id: 300, rev: 3 } },
      parsed: { name: 'workitem.deleted', id: '300', key: 'd2d46fb1' },
      object: 'workItems',
      kind: 'delete',
    },
  ],
  registration: {
    wanted: [{ object: 'workItems', events: ['workitem.updated'] }],
    answers: {
      'GET /fabrikam/_apis/projects': { body: { count: 1, value: [{ id: 'p1' }] } },
      'POST /fabrikam/_apis/hooks/subscriptions': { body: { id: '74aeeed0' } },
    },
    sent: [['POST /fabrikam/_apis/hooks/subscriptions?api-version=7.1', subscription('workitem.updated')]],
    registered: { id: '74aeeed0' },
    removed: ['DELETE /fabrikam/_apis/hooks/subscriptions/74aeeed0?api-version=7.1'],
  },
}

export const workCases = [asana, atlassian, azureDevops, clickup, devrev, housecallPro, linear, trello, webflow]
