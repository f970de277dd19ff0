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
  ],
  registration: {
    wanted: [{ object: 'application', events: ['applicationSubmit'] }],
    answers: { 'POST /webhook.create': { body: { success: true, results: { id: 'wh-1', enabled: true } } } },
    sent: [['POST /webhook.create', { webhookType: 'applicationSubmit', requestUrl: url, secretToken: ourSecret }]],
    registered: { id: 'wh-1' },
    removed: [['POST /webhook.delete', { webhookId: 'wh-1' }]],
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

export const hiringCases = [ashby, lever]
