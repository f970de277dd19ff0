import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { parse } from 'yaml'

interface File {
  webhooks: { objects: Record<string, Partial<Record<'create' | 'update' | 'delete', string[]>>> }
  objects: Record<string, { incremental?: { read?: { query?: { 'types[]'?: string[] } } } }>
}

const stripe = parse(readFileSync(new URL('../../providers/stripe.yaml', import.meta.url), 'utf8')) as File

/** Events that change no record, and those of objects that are not subscribed to. */
const leftOut = [
  'customer.subscription.trial_will_end',
  'invoice.overdue',
  'invoice.payment_succeeded', // `invoice.paid` is sent, too
  'invoice.will_be_due',
  'reporting.report_run.failed',
  'reporting.report_run.succeeded',
  'subscription_schedule.expiring',
]

it('a subscription to an object of Stripe receives the events by which its changes are read', () => {
  const missing = Object.entries(stripe.objects).flatMap(([name, { incremental }]) => {
    const { create = [], update = [] } = stripe.webhooks.objects[name] ?? {}
    return (incremental?.read?.query?.['types[]'] ?? []).filter((event) => ![...create, ...update].includes(event))
  })
  expect(missing.toSorted()).toEqual(leftOut)
})

it('a subscription of Stripe that has ended is no deleted record: lists still have it', () => {
  expect(stripe.webhooks.objects['subscriptions']).not.toHaveProperty('delete')
})
