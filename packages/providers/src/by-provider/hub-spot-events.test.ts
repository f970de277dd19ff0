import { createHmac } from 'node:crypto'
import { expect, it } from 'vitest'
import { eventNamesOf, linkedRecords, parseEvents, webhooksOf } from '../index.ts'
import { verifyingKeys, verifyRequest } from '../interpreter/webhooks/verify-request.ts'
import { entryFor } from '../webhook-cases/webhook-case.testkit.ts'

/**
 * Association events, as developers.hubspot.com documents them: in the changelog of new subscription types, and in the
 * guides of webhooks and of generic subscriptions.
 */

const url = 'https://m.test/in'
const now = 1_783_182_646_000
const common = { eventId: 2382693416, portalId: 39939588, appId: 44796352, occurredAt: 1783182645780, attemptNumber: 0 }
const sent = { ...common, subscriptionId: 6969872, changeSource: 'USER', associationRemoved: false }

/** Subscriptions of one object name the other record by the type of the association. */
const named = (subscriptionType: string, associationType: string) => ({
  ...sent,
  ...{ subscriptionType, associationType, fromObjectId: 184896670, toObjectId: 198432, isPrimaryAssociation: false },
})

/** Generic subscriptions name both records by the ids of their types. */
const generic = (fromObjectTypeId: string, toObjectTypeId: string, more: object = {}) => ({
  ...sent,
  ...{ subscriptionType: 'object.associationChange', fromObjectTypeId, toObjectTypeId },
  ...{ fromObjectId: 184896670, toObjectId: 198432, associationTypeId: 1, associationCategory: 'HUBSPOT_DEFINED' },
  ...more,
})

/** The changes that a signed request reports: by the objects that list its events as changes of associations. */
async function posted(events: object[]) {
  const webhooks = webhooksOf(await entryFor('hubspot'), undefined)
  if (webhooks === undefined) throw new Error('no webhooks')
  const body = JSON.stringify(events)
  const signature = createHmac('sha256', 'client-secret').update(`POST${url}${body}${now}`).digest('base64')
  const headers = { 'x-hubspot-signature-v3': signature, 'x-hubspot-request-timestamp': String(now) }
  const request = { method: 'POST', url, headers, body: Buffer.from(body) }
  const keys = verifyingKeys(webhooks.verify, 'client-secret')
  expect(await verifyRequest(webhooks.verify, request, keys, now)).toBe('genuine')
  return parseEvents(webhooks, JSON.parse(body), headers).map(({ name, object, account, raw }) => ({
    objects: Object.keys(webhooks.objects ?? {}).filter(
      (one) => (object ?? one) === one && eventNamesOf(webhooks, one)?.association.includes(name),
    ),
    account,
    ...linkedRecords(webhooks, raw),
  }))
}

const linked = { account: '39939588', from: '184896670', to: '198432' }

it.each([
  ['contact.associationChange', 'CONTACT_TO_COMPANY', 'contacts', 'companies'],
  ['contact.associationChange', 'CONTACT_TO_DEAL', 'contacts', 'deals'],
  ['contact.associationChange', 'CONTACT_TO_TICKET', 'contacts', 'tickets'],
  ['company.associationChange', 'COMPANY_TO_CONTACT', 'companies', 'contacts'],
  ['company.associationChange', 'COMPANY_TO_DEAL', 'companies', 'deals'],
  ['company.associationChange', 'COMPANY_TO_TICKET', 'companies', 'tickets'],
  ['deal.associationChange', 'DEAL_TO_CONTACT', 'deals', 'contacts'],
  ['deal.associationChange', 'DEAL_TO_COMPANY', 'deals', 'companies'],
  ['deal.associationChange', 'DEAL_TO_LINE_ITEM', 'deals', 'line_items'],
  ['deal.associationChange', 'DEAL_TO_TICKET', 'deals', 'tickets'],
  ['ticket.associationChange', 'TICKET_TO_CONTACT', 'tickets', 'contacts'],
  ['ticket.associationChange', 'TICKET_TO_COMPANY', 'tickets', 'companies'],
  ['ticket.associationChange', 'TICKET_TO_DEAL', 'tickets', 'deals'],
  ['line_item.associationChange', 'LINE_ITEM_TO_DEAL', 'line_items', 'deals'],
])('%s with %s links %s with %s', async (subscription, associationType, object, toObject) => {
  expect(await posted([named(subscription, associationType)])).toEqual([{ objects: [object], ...linked, toObject }])
})

it.each([
  ['0-1', '0-2', 'contacts', 'companies'],
  ['0-2', '0-1', 'companies', 'contacts'],
  ['0-3', '0-8', 'deals', 'line_items'],
  ['0-8', '0-3', 'line_items', 'deals'],
  ['0-5', '0-27', 'tickets', 'tasks'],
  ['0-136', '0-48', 'leads', 'calls'],
  ['0-123', '0-142', 'orders', 'carts'],
  ['0-421', '0-162', 'appointments', 'services'],
])('object.associationChange of %s and %s links %s with %s', async (from, to, object, toObject) => {
  expect(await posted([generic(from, to)])).toEqual([{ objects: [object], ...linked, toObject }])
})

it('the type id of the other record counts before the type of the association', async () => {
  const both = generic('0-1', '0-3', { associationType: 'CONTACT_TO_COMPANY' })
  expect(await posted([both])).toEqual([{ objects: ['contacts'], ...linked, toObject: 'deals' }])
})

it('a request of both directions, of which one was removed, is a change of each', async () => {
  const back = { fromObjectId: 198432, toObjectId: 184896670, associationRemoved: true }
  expect(await posted([generic('0-1', '0-2'), generic('0-2', '0-1', back)])).toEqual([
    { objects: ['contacts'], ...linked, toObject: 'companies' },
    { objects: ['companies'], account: '39939588', from: '198432', to: '184896670', toObject: 'contacts' },
  ])
})

it('a link to a custom object has its id alone, and one from a custom object is a change of none', async () => {
  expect(await posted([generic('0-1', '2-1234567'), generic('2-1234567', '0-1')])).toEqual([
    { objects: ['contacts'], ...linked },
  ])
})
