import { describe, expect, it } from 'vitest'
import { loadCatalogue } from '../../catalogue/load-catalogue.ts'
import type { Credential, ProviderHttpRequest } from '../../connector.ts'
import { testCache } from '../../testing/test-cache.testkit.ts'
import { openSubscriber, planRegistrations } from './open-subscriber.ts'

const catalogue = await loadCatalogue({ cacheDir: testCache })

function subscriber(provider: string, answers: Record<string, object>, credential: Credential, workspaceRef?: string) {
  const entry = catalogue.find(provider)
  if (!entry) throw new Error(provider)
  const sent: ProviderHttpRequest[] = []
  const http = async (request: ProviderHttpRequest) => {
    sent.push(request)
    const answer = answers[`${request.method} ${new URL(request.url).pathname}`]
    return { status: answer ? 200 : 404, headers: {}, body: JSON.stringify(answer ?? {}) }
  }
  const context = { metadata: {}, credential, ...(workspaceRef !== undefined && { workspaceRef }) }
  return { sent, open: openSubscriber(entry, context, http, { now: () => 0 }) }
}

const oauth2 = { scheme: 'oauth2', accessToken: 'token' } as const
const ours = { registration: 'our-id', url: 'https://m.test/in?registration=our-id', secret: 'ours' }

describe('openSubscriber', () => {
  it('registers at Stripe by a form that may be sent twice, and answers its secret', async () => {
    const { open, sent } = subscriber(
      'stripe',
      { 'POST /v1/webhook_endpoints': { id: 'we_1', secret: 'whsec_1' } },
      { scheme: 'apiKey', apiKey: 'sk' },
    )
    const plan = { key: '', events: ['customer.created', 'customer.updated'] }
    expect(await open.register({ ...ours, ...plan })).toEqual({ id: 'we_1', secret: 'whsec_1' })
    const [{ headers, body } = { headers: {}, body: '' }] = sent
    expect(headers).toMatchObject({
      'content-type': 'application/x-www-form-urlencoded',
      'idempotency-key': 'our-id',
      authorization: 'Bearer sk',
    })
    expect([...new URLSearchParams(body)]).toEqual([
      ['url', ours.url],
      ['enabled_events[0]', 'customer.created'],
      ['enabled_events[1]', 'customer.updated'],
      ['api_version', '2026-02-25.clover'],
    ])
  })

  it('asks Attio for the object first, and filters by it', async () => {
    const { open, sent } = subscriber(
      'attio',
      {
        'GET /v2/objects/people': { data: { id: { object_id: 'uuid-1' } } },
        'POST /v2/webhooks': { data: { id: { webhook_id: 'w' }, secret: 's' } },
      },
      oauth2,
    )
    const plan = { key: 'k', object: 'people', event: 'record.created', events: ['record.created'] }
    expect(await open.register({ ...ours, ...plan })).toEqual({ id: 'w', secret: 's' })
    expect(JSON.parse(sent[1]?.body ?? '')).toEqual({
      data: {
        target_url: ours.url,
        subscriptions: [
          {
            event_type: 'record.created',
            filter: { $and: [{ field: 'id.object_id', operator: 'equals', value: 'uuid-1' }] },
          },
        ],
      },
    })
    await open.unregister({ ...ours, ...plan, id: 'w' })
    expect(sent.at(-1)).toMatchObject({ method: 'DELETE', url: 'https://api.attio.com/v2/webhooks/w' })
  })

  it('registers the merge at Attio whose event says that two records were deleted', () => {
    const webhooks = catalogue.find('attio')?.file?.webhooks
    if (webhooks === undefined) throw new Error('no webhooks')
    const wanted = [{ object: 'people', events: ['record.deleted', 'record.merged.merged', 'record.merged'] }]
    const plans = planRegistrations(webhooks, wanted)
    expect(plans.map(({ event }) => event)).toEqual(['record.deleted', 'record.merged'])
  })

  it('registers the event that a provider sends for a variant', () => {
    const webhooks = catalogue.find('zoom')?.file?.webhooks
    if (webhooks === undefined) throw new Error('no webhooks')
    const wanted = [{ object: 'meetings', events: ['meeting.deleted', 'meeting.deleted.occurrence'] }]
    const perEvent = { ...webhooks, registration: { create: { path: '/hooks' }, id: 'id', per: 'event' as const } }
    expect(planRegistrations(perEvent, wanted).map(({ event }) => event)).toEqual(['meeting.deleted'])
  })

  it('registers notes at Attio without looking up an object: their events are those of all notes', async () => {
    const answers = { 'POST /v2/webhooks': { data: { id: { webhook_id: 'w' }, secret: 's' } } }
    const { open, sent } = subscriber('attio', answers, oauth2)
    const plan = { key: 'k', object: 'notes', event: 'note.created', events: ['note.created'] }
    expect(await open.register({ ...ours, ...plan })).toEqual({ id: 'w', secret: 's' })
    expect(sent.map(({ body }) => JSON.parse(body ?? '') as unknown)).toEqual([
      { data: { target_url: ours.url, subscriptions: [{ event_type: 'note.created', filter: null }] } },
    ])
  })

  it('sends our secret to Outreach, with the word that it has for the object', async () => {
    const { open, sent } = subscriber('outreach', { 'POST /api/v2/webhooks': { data: { id: 5 } } }, oauth2)
    expect(await open.register({ ...ours, key: 'accounts', object: 'accounts', events: [] })).toEqual({ id: '5' })
    expect(JSON.parse(sent[0]?.body ?? '')).toEqual({
      data: { type: 'webhook', attributes: { url: ours.url, secret: 'ours', resource: 'account', action: '*' } },
    })
    expect(sent[0]?.headers['content-type']).toBe('application/vnd.api+json')
  })

  it('registers at GitHub in every repository that the account administers, with the kinds of events of the objects', async () => {
    const repository = (id: number, name: string, admin: boolean) => ({
      id,
      name,
      owner: { login: 'acme' },
      permissions: { admin },
      archived: false,
    })
    const { open, sent } = subscriber(
      'github',
      {
        'GET /user/repos': [repository(1, 'web', true), repository(2, 'theirs', false), repository(3, 'a/b', true)],
        'POST /repositories/3/hooks': { id: 12 },
        'DELETE /repositories/3/hooks/12': {},
      },
      oauth2,
    )
    const events = ['issues.opened', 'issues.edited', 'release.created']
    const [web, other, ...more] = await open.spread([{ key: '', events }])
    expect([web?.key, other?.key, more]).toEqual(['\n{"id":"1"}', '\n{"id":"3"}', []])
    if (other === undefined) throw new Error('none')
    expect(await open.register({ ...ours, ...other })).toEqual({ id: '12' })
    expect(JSON.parse(sent.at(-1)?.body ?? '')).toEqual({
      name: 'web',
      active: true,
      events: ['issues', 'release'],
      config: { url: ours.url, content_type: 'json', secret: 'ours', insecure_ssl: '0' },
    })
    await open.unregister({ ...ours, ...other, id: '12' })
    expect(sent.at(-1)).toMatchObject({ method: 'DELETE', url: 'https://api.github.com/repositories/3/hooks/12' })
  })

  it('registers at GitLab for each object and project, by the words that it has for them', async () => {
    const { open, sent } = subscriber(
      'gitlab',
      { 'GET /api/v4/projects': [{ id: 4 }], 'POST /api/v4/projects/4/hooks': { id: 1 } },
      oauth2,
    )
    const plans = [{ key: 'projects/issues', object: 'projects/issues', events: ['issue.open'] }]
    const [plan] = await open.spread(plans)
    if (plan === undefined) throw new Error('none')
    expect(await open.register({ ...ours, ...plan })).toEqual({ id: '1' })
    expect(JSON.parse(sent.at(-1)?.body ?? '')).toEqual({
      url: ours.url,
      token: 'ours',
      push_events: false,
      issues_events: true,
      confidential_issues_events: true,
    })
  })

  it('registers at Google for each calendar of a person, and once for the primary one', async () => {
    const watched = { id: 'ours', resourceId: 'r' }
    const { open, sent } = subscriber(
      'google',
      {
        'GET /calendar/v3/users/me/calendarList': { items: [{ id: 'ada@example.com' }, { id: 'team@example.com' }] },
        'POST /calendar/v3/calendars/primary/events/watch': watched,
        'POST /calendar/v3/calendars/team%40example.com/events/watch': watched,
      },
      oauth2,
    )
    const plans = ['events', 'calendarEvents'].map((object) => ({ key: object, object, events: ['exists'] }))
    const spread = await open.spread(plans)
    expect(spread.map(({ key }) => key)).toEqual([
      'events',
      'calendarEvents\n{"id":"ada@example.com"}',
      'calendarEvents\n{"id":"team@example.com"}',
    ])
    const [primary, , team] = spread
    if (primary === undefined || team === undefined) throw new Error('none')
    await open.register({ ...ours, ...primary })
    await open.register({ ...ours, ...team })
    expect(sent.slice(1).map(({ url }) => new URL(url).pathname)).toEqual([
      '/calendar/v3/calendars/primary/events/watch',
      '/calendar/v3/calendars/team%40example.com/events/watch',
    ])
    sent.length = 0
    // From a time when the object was not registered for each calendar.
    const failure = await open.unregister({ ...ours, ...team, key: 'calendarEvents', id: 'c' }).catch((error) => error)
    expect(failure).not.toBeInstanceOf(SyntaxError)
    sent.length = 0
    expect(await open.spread(plans.slice(0, 1))).toEqual(plans.slice(0, 1))
    expect(sent).toEqual([])
  })

  it('registers at Microsoft for each list of tasks, and once for a mailbox or a drive', async () => {
    const { open, sent } = subscriber(
      'microsoft',
      { 'GET /v1.0/me/todo/lists': { value: [{ id: 'a' }, { id: 'b' }] }, 'POST /v1.0/subscriptions': { id: 's' } },
      oauth2,
    )
    const objects = ['me/todo/tasks', 'drive/items', 'me/calendars/events']
    const plans = await open.spread(objects.map((object) => ({ key: object, object, events: ['updated'] })))
    for (const plan of plans) await open.register({ ...ours, ...plan })
    const resources = sent.flatMap(({ body }) => (body ? [(JSON.parse(body) as { resource: string }).resource] : []))
    expect(resources).toEqual(['me/todo/lists/a/tasks', 'me/todo/lists/b/tasks', 'me/drive/root', 'me/events'])
  })

  it('throws what the provider refuses', async () => {
    const { open } = subscriber('shopify', {}, oauth2, 'shop')
    const plan = { key: 'k', object: 'orders', event: 'orders/create', events: ['orders/create'] }
    await expect(open.register({ ...ours, ...plan })).rejects.toMatchObject({ class: 'not_found' })
  })

  it('removes a webhook that it cannot confirm, and reports why', async () => {
    const answers = { 'POST /api/v2/webhooks': { webhook: { id: 'w' } }, 'DELETE /api/v2/webhooks/w': {} }
    const { open, sent } = subscriber('zendeskSupport', answers, oauth2, 'acme')
    const plan = { key: '', events: ['zen:event-type:user.created'] }
    await expect(open.register({ ...ours, ...plan })).rejects.toMatchObject({ class: 'not_found' })
    expect(sent.map(({ method, url }) => `${method} ${new URL(url).pathname}`)).toEqual([
      'POST /api/v2/webhooks',
      'GET /api/v2/webhooks/w/signing_secret',
      'DELETE /api/v2/webhooks/w',
    ])
  })

  it('removes a webhook whose response has no secret, because its events would be refused', async () => {
    const answers = { 'POST /v1/webhook_endpoints': { id: 'we_1' }, 'DELETE /v1/webhook_endpoints/we_1': {} }
    const { open, sent } = subscriber('stripe', answers, { scheme: 'apiKey', apiKey: 'sk' })
    const plan = { key: '', events: ['customer.created'] }
    await expect(open.register({ ...ours, ...plan })).rejects.toMatchObject({
      class: 'bad_request',
      message: expect.stringContaining('has no secret'),
    })
    expect(sent.map(({ method, url }) => `${method} ${new URL(url).pathname}`)).toEqual(Object.keys(answers))
  })

  it('removes a webhook that was disabled already, or is not there', async () => {
    const { open, sent } = subscriber('okta', { 'DELETE /api/v1/eventHooks/w': {} }, oauth2, 'acme')
    const plan = { key: '', events: ['user.lifecycle.create'] }
    await open.unregister({ ...ours, ...plan, id: 'w' })
    expect(sent).toHaveLength(2)
    const linear = subscriber(
      'linear',
      { 'POST /graphql': { errors: [{ message: 'Entity not found: Webhook', extensions: { code: 'INPUT_ERROR' } }] } },
      oauth2,
    )
    await linear.open.unregister({ ...ours, ...plan, id: 'w' })
    expect(linear.sent).toHaveLength(1)
  })
})

describe('planRegistrations', () => {
  const wanted = [
    { object: 'b', events: ['y', 'x', 'y'] },
    { object: 'a', events: ['z'] },
    { object: 'none', events: [] },
  ]
  const plan = (provider: string) => {
    const webhooks = catalogue.find(provider)?.file?.webhooks
    return webhooks && planRegistrations(webhooks, wanted)
  }

  it('puts together what the provider takes together', () => {
    expect(plan('stripe')).toEqual([{ key: '', events: ['x', 'y', 'z'] }])
    expect(plan('outreach')?.map(({ key }) => key)).toEqual(['b', 'a'])
    expect(plan('shopify')?.map(({ object, event }) => [object, event])).toEqual([
      ['b', 'x'],
      ['b', 'y'],
      ['a', 'z'],
    ])
    expect(plan('slack')).toEqual([])
  })
})
