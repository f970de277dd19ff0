import { describe, expect, it } from 'vitest'
import { loadCatalogue } from '../../catalogue/load-catalogue.ts'
import { entryOf } from '../../testing/provider.testkit.ts'
import { testCache } from '../../testing/test-cache.testkit.ts'
import { eventNamesOf, linkedRecords } from './event-names.ts'
import { handshakeSecret, sendsHandshakeSecret } from './handshakes.ts'
import { instantOf, parseEvents, recordIn } from './parse-events.ts'

const catalogue = await loadCatalogue({ cacheDir: testCache })

function of(provider: string) {
  const webhooks = catalogue.find(provider)?.file?.webhooks
  if (!webhooks) throw new Error(`${provider} has no webhooks`)
  return webhooks
}

describe('parseEvents', () => {
  it('joins a name and an id of several places, and looks for the id of an object where that object says', () => {
    const { webhooks } =
      entryOf(`name: test
baseUrl: https://example.com
authentication: [{ scheme: none }]
webhooks:
  endpoint: installation
  verify: { by: token, header: X-Token, secret: { from: app } }
  event: { name: ['header:X-Event', action], id: [repository.id] }
  objects:
    repositories: { create: [repository] }
    issues: { id: [[repository.owner, issue.number]], create: [issue.opened], delete: [issue.deleted] }
`).file ?? {}
    if (!webhooks) throw new Error('no webhooks')
    const told = (event: string, payload: object) => parseEvents(webhooks, payload, { 'x-event': event })
    const repository = { id: 1, owner: 'a' }
    expect(told('issue', { action: 'opened', issue: { number: 7 }, repository })).toMatchObject([
      { name: 'issue.opened', id: 'a/7' },
    ])
    expect(told('issue', { action: 'deleted', issue: {}, repository })[0]).not.toHaveProperty('id')
    expect(told('repository', { repository })).toMatchObject([{ name: 'repository', id: '1' }])
  })

  it('reads what Stripe tells of a changed customer', () => {
    const record = { id: 'cus_1', object: 'customer', email: 'b@x.test' }
    const event = {
      id: 'evt_1',
      type: 'customer.updated',
      created: 1_700_000_000,
      data: { object: record, previous_attributes: { email: 'a@x.test' } },
    }
    expect(parseEvents(of('stripe'), event, {})).toEqual([
      {
        name: 'customer.updated',
        id: 'cus_1',
        key: 'evt_1',
        time: new Date(1_700_000_000_000),
        fieldsUpdated: ['email'],
        raw: event,
      },
    ])
    expect(recordIn(of('stripe'), 'customers', event)).toEqual(record)
  })

  it('writes ids as reads do, and takes whole records only of objects that are not read', () => {
    const headers = { 'x-shopify-topic': 'products/delete', 'x-shopify-event-id': 'e-1' }
    const [event] = parseEvents(of('shopify'), { id: 8071372079140 }, headers)
    expect(event).toMatchObject({ name: 'products/delete', id: expect.stringMatching(/^gid:..shopify.Product.\d+$/) })
    const cart = { id: 'exampleCartId' }
    const [changed] = parseEvents(of('shopify'), cart, { 'x-shopify-topic': 'carts/update' })
    expect(changed).toMatchObject({ id: 'exampleCartId' })
    expect(recordIn(of('shopify'), 'carts', cart)).toEqual(cart)
    expect(recordIn(of('shopify'), 'products', { id: 1 })).toBeUndefined()
  })

  it('reads HubSpot’s lists, each event with its account', () => {
    const event = { eventId: 1, subscriptionId: 2, portalId: 33, occurredAt: 1_700_000_000_001, objectId: 7 }
    const changed = { ...event, subscriptionType: 'contact.propertyChange', propertyName: 'email' }
    const linked = {
      ...event,
      objectId: undefined,
      subscriptionType: 'contact.associationChange',
      associationType: 'CONTACT_TO_COMPANY',
      fromObjectId: 7,
      toObjectId: 9,
    }
    const [first, second] = parseEvents(of('hubspot'), [changed, linked, 'no event', { no: 'name' }], {})
    expect(first).toMatchObject({ id: '7', account: '33', fieldsUpdated: ['email'], key: '2\n1\n1700000000001' })
    expect(second).toMatchObject({ id: '7', name: 'contact.associationChange' })
    expect(linkedRecords(of('hubspot'), linked)).toEqual({ from: '7', to: '9', toObject: 'companies' })
  })

  it('finds the object of HubSpot’s generic events by its type id', () => {
    // As apps of the current platform receive them.
    const generic = {
      eventId: 2382693416,
      subscriptionId: 6969872,
      portalId: 39939588,
      appId: 44796352,
      occurredAt: 1783182645780,
      attemptNumber: 0,
    }
    const creation = { ...generic, subscriptionType: 'object.creation', objectId: 42, objectTypeId: '0-1' }
    const renamed = {
      ...generic,
      subscriptionType: 'object.propertyChange',
      objectId: 333511736013,
      objectTypeId: '0-3',
      propertyName: 'dealname',
    }
    const merged = {
      ...generic,
      subscriptionType: 'object.merge',
      objectTypeId: '0-2',
      primaryObjectId: 5,
      mergedObjectIds: [6],
      newObjectId: 7,
      numberOfPropertiesMoved: 1,
    }
    const linked = {
      ...generic,
      subscriptionType: 'object.associationChange',
      fromObjectTypeId: '0-1',
      toObjectTypeId: '0-2',
      fromObjectId: 7,
      toObjectId: 9,
      associationRemoved: false,
    }
    const hubspot = of('hubspot')
    expect(parseEvents(hubspot, [creation, renamed, merged, linked], {})).toMatchObject([
      { name: 'object.creation', object: 'contacts', id: '42', account: '39939588' },
      { name: 'object.propertyChange', object: 'deals', id: '333511736013', fieldsUpdated: ['dealname'] },
      { name: 'object.merge', object: 'companies', id: '7' },
      { name: 'object.merge.merged', object: 'companies', id: '5' },
      { name: 'object.merge.merged', object: 'companies', id: '6' },
      { name: 'object.associationChange', object: 'contacts', id: '7' },
    ])
    expect(linkedRecords(hubspot, linked)).toEqual({ from: '7', to: '9', toObject: 'companies' })
    expect(eventNamesOf(hubspot, 'companies')?.delete).toContain('object.merge.merged')
    // A merge into one of the records, which keeps its id.
    expect(parseEvents(hubspot, { ...merged, newObjectId: 5, mergedObjectIds: [5, 6] }, {})).toMatchObject([
      { id: '5', key: '6969872\n2382693416\n1783182645780' },
      { id: '6', key: '6969872\n2382693416\n1783182645780\n6' },
    ])
    const orders = { ...creation, objectTypeId: '0-123' }
    expect(parseEvents(hubspot, orders, {})).toMatchObject([{ name: 'object.creation', object: 'orders', id: '42' }])
    expect(eventNamesOf(hubspot, 'appointments')?.create).toContain('object.creation')
    // Nobody could say whose it is.
    const unknown = [
      { ...creation, objectTypeId: '2-1234567' },
      { ...creation, objectTypeId: undefined },
    ]
    expect(parseEvents(hubspot, unknown, {})).toEqual([])
  })

  it('reads Shopify’s headers', () => {
    const headers = {
      'x-shopify-topic': 'orders/updated',
      'x-shopify-event-id': 'e',
      'x-shopify-triggered-at': '2026-01-02T03:04:05Z',
    }
    expect(parseEvents(of('shopify'), { id: 5 }, headers)).toEqual([
      {
        name: 'orders/updated',
        id: 'gid://shopify/Order/5',
        key: 'e\norders/updated',
        time: new Date('2026-01-02T03:04:05Z'),
        raw: { id: 5 },
      },
    ])
    expect(parseEvents(of('shopify'), { id: 5 }, {})).toEqual([])
  })

  it('reads what GitHub and GitLab tell: the kind and the action, and ids as reading gives them', () => {
    const repository = { id: 4, name: 'web', owner: { login: 'acme' } }
    const headers = { 'x-github-event': 'issue_comment', 'x-github-delivery': '72d3162e' }
    const comment = { action: 'created', issue: { number: 7 }, comment: { id: 9 }, repository }
    expect(parseEvents(of('github'), comment, headers)).toMatchObject([
      { name: 'issue_comment.created', id: '4/9', key: '72d3162e' },
    ])
    const edited = { action: 'edited', issue: { number: 7 }, changes: { title: { from: 'A' } }, repository }
    expect(parseEvents(of('github'), edited, { ...headers, 'x-github-event': 'issues' })).toMatchObject([
      { name: 'issues.edited', id: '4/7', fieldsUpdated: ['title'] },
    ])
    expect(parseEvents(of('github'), { zen: 'Keep it simple.' }, { 'x-github-event': 'ping' })).toMatchObject([
      { name: 'ping' },
    ])
    const project = { id: 4 }
    const merged = { object_kind: 'merge_request', project, object_attributes: { id: 90, iid: 1, action: 'merge' } }
    const pipeline = { object_kind: 'pipeline', project, object_attributes: { id: 31, iid: 3, status: 'success' } }
    const release = { object_kind: 'release', id: 1, tag: 'v1.1', action: 'create', project }
    expect(parseEvents(of('gitlab'), [merged, pipeline, release], {})).toMatchObject([
      { name: 'merge_request.merge', id: '4/1' },
      { name: 'pipeline', id: '4/31' },
      { name: 'release.create', id: '4/v1.1' },
    ])
  })

  it('reads Notion’s events, each with its workspace, and the token that comes before them', () => {
    // As developers.notion.com/reference/webhooks shows them.
    const event = {
      id: '367cba44-b6f3-4c92-81e7-6a2e9659efd4',
      timestamp: '2024-12-05T23:55:34.285Z',
      workspace_id: '13950b26-c203-4f3b-b97d-93ec06319565',
      workspace_name: 'Quantify Labs',
      subscription_id: '29d75c0d-5546-4414-8459-7b7a92f1fc4b',
      integration_id: '0ef2e755-4912-8096-91c1-00376a88a5ca',
      type: 'page.properties_updated',
      authors: [{ id: 'c7c11cca-1d73-471d-9b6e-bdef51470190', type: 'person' }],
      attempt_number: 1,
      entity: { id: '153104cd-477e-809d-8dc4-ff2d96ae3090', type: 'page' },
      data: { parent: { id: '13950b26', type: 'space' }, updated_properties: ['XGe%40', 'bDf%5B'] },
    }
    expect(parseEvents(of('notion'), event, {})).toEqual([
      {
        name: 'page.properties_updated',
        id: event.entity.id,
        account: event.workspace_id,
        time: new Date(event.timestamp),
        key: event.id,
        raw: event,
      },
    ])
    expect(eventNamesOf(of('notion'), 'pages')?.update).toContain('page.properties_updated')
    expect(sendsHandshakeSecret(of('notion'))).toBe(true)
    expect(handshakeSecret(of('notion'), { verification_token: 'secret_tMr' })).toBe('secret_tMr')
    expect(handshakeSecret(of('notion'), event)).toBeUndefined()
    expect(sendsHandshakeSecret(of('slack'))).toBe(false)
  })

  it('takes a merge at Attio as a new record and a deleted one', () => {
    const event = {
      event_type: 'record.merged',
      id: { workspace_id: 'w1', object_id: 'o1', record_id: 'new' },
      duplicate_object_id: 'o1',
      duplicate_record_id: 'old',
    }
    const events = parseEvents(of('attio'), { webhook_id: 'h1', events: [event] }, {})
    expect(events).toMatchObject([
      { name: 'record.merged', id: 'new' },
      { name: 'record.merged.merged', id: 'old' },
    ])
    expect(eventNamesOf(of('attio'), 'people')?.delete).toContain('record.merged.merged')
  })

  it('makes nothing of payloads of other shapes', () => {
    for (const payload of [null, 5, 'text', [], [[]], [null], {}, { events: 'x' }, { events: [1, null] }])
      expect(parseEvents(of('attio'), payload, {})).toEqual([])
  })

  it('knows instants in every form, and nothing else', () => {
    const time = new Date(1_700_000_000_000)
    for (const form of [1_700_000_000, '1700000000', 1_700_000_000_000, '2023-11-14T22:13:20Z'])
      expect(instantOf(form)).toEqual(time)
    for (const form of [undefined, null, '', 'soon', {}, Number.POSITIVE_INFINITY, '9e99'])
      expect(instantOf(form)).toBeUndefined()
  })
})

describe('eventNamesOf', () => {
  it('names the events of listed objects, and of others where there is a rule for them', () => {
    expect(eventNamesOf(of('stripe'), 'customers')).toEqual({
      create: ['customer.created'],
      update: ['customer.updated'],
      delete: ['customer.deleted'],
      association: [],
      changed: [],
    })
    expect(eventNamesOf(of('stripe'), 'nothing')).toBeUndefined()
    expect(eventNamesOf(of('stripe'), '__proto__')).toBeUndefined()
    expect(eventNamesOf(of('attio'), 'my_object')?.create).toEqual(['record.created'])
  })
})
