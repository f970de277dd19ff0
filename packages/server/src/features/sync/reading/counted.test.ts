import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestAnswer } from '../../../testkit/test-app.ts'
import { type Installed, type ReadingKit, startReadingKit } from './reading.testkit.ts'

interface CountsAnswer {
  total: Record<string, number>
}

let kit: ReadingKit
beforeAll(async () => {
  kit = await startReadingKit({ contacts: 250 })
})
afterAll(() => kit?.stop())

async function totalOf({ installationId }: Installed): Promise<Record<string, number>> {
  const { app } = kit
  await app.app.services.counts.flush()
  const query = `installationId=${installationId}&objectName=contacts`
  const { body }: TestAnswer<CountsAnswer> = await app.call('GET', `/projects/default/counts?${query}`)
  return body.total
}

test('a backfill counts its read, records, messages, deliveries and requests to the provider', async () => {
  const installed = await kit.install({ object: { backfill: { defaultPeriod: { fullHistory: true } } } })
  const total = await kit.until(async () => {
    const total = await totalOf(installed)
    const { reads = 0, messagesPosted = 0, deliveries } = total
    return reads > 0 && messagesPosted > 0 && deliveries === messagesPosted && total
  })
  expect(total).toMatchObject({
    reads: 1,
    failedReads: 0,
    recordsRead: 250,
    failedDeliveries: 0,
    failedProviderCalls: 0,
  })
  // The requests of the pages.
  expect(total['providerCalls']).toBeGreaterThan(0)
})

test('a scheduled read that finds nothing is counted', async () => {
  const installed = await kit.install()
  const before = await totalOf(installed)
  await kit.makeDue(installed.installationId)
  const total = await kit.until(async () => {
    const total = await totalOf(installed)
    return (total['reads'] ?? 0) > (before['reads'] ?? 0) && total
  })
  expect(total['failedReads']).toBe(0)
})
