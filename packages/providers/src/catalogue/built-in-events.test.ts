import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { parse } from 'yaml'

interface Events extends Partial<Record<'create' | 'update' | 'delete', string[]>> {
  id?: string[]
  record?: string
}

interface File {
  webhooks: { event: { id: string[] }; objects: Record<string, Events> }
  objects: Record<string, { incremental?: { read?: { query?: { 'types[]'?: string[] } } } }>
}

const fileOf = (name: string) =>
  parse(readFileSync(new URL(`../../providers/${name}.yaml`, import.meta.url), 'utf8')) as File
const stripe = fileOf('stripe')

/** Events that change no record, and those of objects that are not subscribed to. */
const leftOut = [
  'customer.subscription.trial_will_end',
  'invoice.overdue',
  'invoice.payment_succeeded', // `invoice.paid` is sent, too
  'invoice.will_be_due',
  'subscription_schedule.expiring',
]

it('a subscription to an object of Stripe receives the events by which its changes are read', () => {
  const missing = Object.entries(stripe.objects).flatMap(([name, { incremental }]) => {
    const { create = [], update = [], delete: gone = [] } = stripe.webhooks.objects[name] ?? {}
    return (incremental?.read?.query?.['types[]'] ?? []).filter(
      (event) => ![...create, ...update, ...gone].includes(event),
    )
  })
  expect(missing.toSorted()).toEqual(leftOut)
})

it('a subscription of Stripe that has ended is a deletion, as subscribers know it', () => {
  expect(stripe.webhooks.objects['subscriptions']?.delete).toEqual(['customer.subscription.deleted'])
})

it('events of Chargebee have the id of their record, and backdated and scheduled changes are events, too', () => {
  const { event, objects } = fileOf('chargebee').webhooks
  const others = Object.entries(objects).filter(([, { id = event.id, record }]) => id.join() !== `${record}.id`)
  expect(others.map(([name]) => name)).toEqual([])
  expect(objects['subscriptions']?.update).toEqual(
    expect.arrayContaining(['subscription_trial_extended', 'subscription_changes_scheduled']),
  )
  expect(objects['invoices']?.create).toContain('invoice_generated_with_backdating')
  expect(objects['transactions']).toMatchObject({ record: 'content.transaction', delete: ['transaction_deleted'] })
  expect(objects['payment_sources']?.delete).toEqual(['payment_source_deleted', 'payment_source_locally_deleted'])
  expect(objects['orders']?.update).toContain('order_cancelled')
})

it('changes of tickets of Intercom are events, with the id of the ticket also where the item holds it', () => {
  const { tickets } = fileOf('intercom').webhooks.objects
  expect(tickets?.update).toEqual(expect.arrayContaining(['ticket.state.updated', 'ticket.closed']))
  expect(tickets?.id).toEqual(['data.item.ticket.id', 'data.item.id'])
})

it('voided and emailed transactions of QuickBooks are updates, and budgets have events', () => {
  const { objects } = fileOf('quickbooks').webhooks
  expect(objects['transfer']?.update).toEqual(['qbo.transfer.updated.v1', 'qbo.transfer.voided.v1'])
  expect(objects['invoice']?.update).toContain('qbo.invoice.emailed.v1')
  expect(objects['budget']?.create).toEqual(['qbo.budget.created.v1'])
})
