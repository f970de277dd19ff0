import { createHmac } from 'node:crypto'
import { mac, ourSecret, url, type WebhookCase } from './webhook-case.testkit.ts'

/** Recruiting. */

const ashby: WebhookCase = {
  provider: 'ashby',
  connection: { credential: { scheme: 'basic', username: 'key', password: '' } },
  secret: ourSecret,
  sign: (body, { secret }) => ({ 'ashby-signature': `sha256=${mac(body, secret)}` }),
  events: [
    {
      body: { action: 'candidateStageChange', data: { application: { id: 'app-1', status: 'Active' } } },
      parsed: { name: 'candidateStageChange', id: 'app-1' },
      object: 'application',
      kind: 'update',
    },
    {
      body: { action: 'jobUpdate', data: { job: { id: 'job-1' } } },
      parsed: { name: 'jobUpdate', id: 'job-1' },
      object: 'job',
      kind: 'update',
    },
    {
      body: { action: 'candidateMerge', data: { deletedCandidate: { id: 'c-1' }, mergedCandidate: { id: 'c-2' } } },
      parsed: { name: 'candidateMerge', id: 'c-2' },
      object: 'candidate',
      kind: 'update',
    },
  ],
  registration: {
    wanted: [{ object: 'application', events: ['applicationSubmit'] }],
    answers: { 'POST /webhook.create': { body: { success: true, results: { id: 'wh-1', enabled: true } } } },
    sent: [['POST /webhook.create', { webhookType: 'applicationSubmit', requestUrl: url, secretToken: ourSecret }]],
    registered: { id: 'wh-1' },
    removed: [['POST /webhook.delete', { webhookId: 'wh-1' }]],
  },
}

const bambooHR: WebhookCase = {
  provider: 'bambooHR',
  connection: {
    metadata: { companyDomain: 'acme' },
    credential: { scheme: 'basic', username: 'key', password: 'x' },
  },
  secret: 'b1946ac92492d2347c6235b4d2611184',
  isTimed: true,
  sign: (body, { secret, seconds }) => ({
    'x-bamboohr-signature': mac(`${body}${seconds}`, secret),
    'x-bamboohr-timestamp': String(seconds),
  }),
  events: [
    {
      body: {
        type: 'employee.updated',
        timestamp: '2026-01-01T12:00:00Z',
        data: { companyId: '7', employeeId: '123', changedFields: ['jobTitle', 'department'] },
      },
      parsed: {
        name: 'employee.updated',
        id: '123',
        fieldsUpdated: ['jobTitle', 'department'],
        time: new Date('2026-01-01T12:00:00Z'),
      },
      object: 'employees',
      kind: 'update',
    },
    {
      body: {
        type: 'employee.deleted',
        timestamp: '2026-01-01T12:00:00Z',
        data: { companyId: '7', employeeId: '124' },
      },
      parsed: { name: 'employee.deleted', id: '124' },
      object: 'employees',
      kind: 'delete',
    },
  ],
  registration: {
    wanted: [{ object: 'employees', events: ['employee.updated', 'employee.deleted'] }],
    answers: {
      'GET /api/gateway.php/acme/v1/webhooks/monitor_fields': {
        body: {
          fields: [
            { id: 1, name: 'First Name', alias: 'firstName' },
            { id: 17, name: 'Job Title', alias: 'jobTitle' },
            { id: 4048, name: 'Shirt size' },
          ],
        },
      },
      'POST /api/gateway.php/acme/v1/webhooks': { status: 201, body: { id: 9, privateKey: 'key-of-webhook' } },
    },
    sent: [
      'GET /api/gateway.php/acme/v1/webhooks/monitor_fields',
      [
        'POST /api/gateway.php/acme/v1/webhooks',
        {
          name: 'Mortise',
          url,
          format: 'json',
          events: ['employee.deleted', 'employee.updated'],
          monitorFields: ['1', '17', '4048'],
        },
      ],
    ],
    registered: { id: '9', secret: 'key-of-webhook' },
    removed: ['DELETE /api/gateway.php/acme/v1/webhooks/9'],
  },
}

const lever: WebhookCase = {
  provider: 'lever',
  secret: 'signature-token',
  isTimed: true,
  sign: () => ({}),
  complete: (event, { secret, seconds }) => {
    const token = '3f9a06cd7a03ac0cd3d4e1a9'
    const triggeredAt = seconds * 1_000
    return { ...event, token, triggeredAt, signature: mac(`${token}${triggeredAt}`, secret) }
  },
  events: [
    {
      body: {
        event: 'candidateStageChange',
        triggeredAt: 1_767_225_600_000,
        data: {
          candidateId: '82ef0f3e',
          contactId: '5f4cd7b9',
          opportunityId: '31c9716c',
          fromStageId: '485c0e77',
          toStageId: '51adadf1',
        },
      },
      parsed: { name: 'candidateStageChange', id: '31c9716c', time: new Date(1_767_225_600_000) },
      object: 'opportunities',
      kind: 'update',
    },
    {
      body: { event: 'applicationCreated', data: { applicationId: 'a1', opportunityId: 'o1' } },
      parsed: { name: 'applicationCreated', id: 'a1' },
      object: 'applications',
      kind: 'create',
    },
  ],
  registration: {
    wanted: [{ object: 'opportunities', events: ['candidateHired'] }],
    answers: {
      'POST /v1/webhooks': {
        body: { data: { id: 'wh-1', event: 'candidateHired', configuration: { signatureToken: 'signature-token' } } },
      },
    },
    sent: [['POST /v1/webhooks', { url, event: 'candidateHired' }]],
    registered: { id: 'wh-1', secret: 'signature-token' },
    removed: ['DELETE /v1/webhooks/wh-1'],
  },
}

const greenhouse: WebhookCase = {
  provider: 'greenhouse',
  secret: 'a secret key of the customer',
  sign: (body, { secret }) => ({ signature: `sha256 ${mac(body, secret)}` }),
  events: [
    {
      body: { action: 'hire_candidate', payload: { application: { id: 46_194_062, candidate: { id: 35_897_443 } } } },
      headers: { 'greenhouse-event-id': 'e1' },
      parsed: { name: 'hire_candidate', id: '46194062', key: 'e1' },
      object: 'applications',
      kind: 'update',
    },
    {
      body: { action: 'merge_candidate', payload: { person: { id: 37_031_511, new_candidate_id: 457_456 } } },
      parsed: { name: 'merge_candidate', id: '37031511' },
      object: 'candidates',
      kind: 'delete',
    },
    {
      body: { action: 'candidate_anonymized', payload: { candidate_id: 37_031_511, anonymized_fields: ['full_name'] } },
      parsed: { name: 'candidate_anonymized', id: '37031511' },
      object: 'candidates',
      kind: 'update',
    },
    {
      body: { action: 'job_post_deleted', payload: { job_post: { id: 258_341, job_id: 284_999 } } },
      parsed: { name: 'job_post_deleted', id: '258341' },
      object: 'job_posts',
      kind: 'delete',
    },
    {
      body: { action: 'offer_updated', payload: { id: 12_345, application_id: 234_556, version: 2 } },
      parsed: { name: 'offer_updated', id: '12345' },
      object: 'offers',
      kind: 'update',
    },
    {
      body: { action: 'scorecard_deleted', payload: { scorecard: { id: 87_654_321 } } },
      parsed: { name: 'scorecard_deleted', id: '87654321' },
      object: 'scorecards',
      kind: 'delete',
    },
  ],
}

const candidate = { id: '3fc7b0', name: 'Lakita Marrero', stage: 'Applied' }

const workable: WebhookCase = {
  provider: 'workable',
  connection: { metadata: { subdomain: 'acme' }, credential: { scheme: 'apiKey', apiKey: 'token' } },
  secret: 'the token of the account',
  sign: (body, { secret }) => ({ 'x-workable-signature': mac(body, secret) }),
  events: [
    {
      body: {
        id: '2ac5',
        event_type: 'candidate_moved',
        fired_at: '2026-01-01T00:00:00.000Z',
        resource_type: 'candidate',
        data: candidate,
      },
      parsed: { name: 'candidate_moved', id: '3fc7b0', key: '2ac5', time: new Date('2026-01-01T00:00:00Z') },
      object: 'candidates',
      kind: 'update',
      record: candidate,
    },
  ],
  registration: {
    wanted: [{ object: 'candidates', events: ['candidate_created'] }],
    answers: { 'POST /spi/v3/subscriptions': { status: 201, body: { id: 103_591 } } },
    sent: [
      [
        'POST /spi/v3/subscriptions',
        { target: url, event: 'candidate_created', args: { account_id: 'acme', job_shortcode: '', stage_slug: '' } },
      ],
    ],
    registered: { id: '103591' },
    removed: ['DELETE /spi/v3/subscriptions/103591'],
  },
}

const hiBob: WebhookCase = {
  provider: 'hiBob',
  connection: { credential: { scheme: 'basic', username: 'SERVICE-1', password: 'token' } },
  secret: 'bob-secret',
  sign: (body, { secret }) => ({
    'bob-signature': createHmac('sha512', secret).update(body).digest('base64'),
  }),
  events: [
    {
      body: {
        companyId: 636_192,
        type: 'employee.updated',
        triggeredBy: '3498867108266115473',
        triggeredAt: '2024-12-30T12:56:18.955603',
        version: 'v2',
        data: { employeeId: '7', fieldUpdates: [{ id: 'root.surname' }] },
      },
      parsed: { name: 'employee.updated', id: '7' },
      object: 'employees',
      kind: 'update',
    },
  ],
  handshakes: [{ request: { body: { text: 'Ping test' } }, reply: { text: '' } }],
}

export const hiringCases = [ashby, bambooHR, greenhouse, hiBob, lever, workable]
