import type { Tick } from '../../../kernel/jobs/index.ts'
import type { Services } from '../../../services.ts'
import { receiveAppEvents } from './endpoints/receive-app-events.ts'
import { receiveInstallationEvents } from './endpoints/receive-installation-events.ts'
import { deleteKeysBefore, listDueStreams, streamId } from './inbound-store.ts'
import { deliverEvents } from './jobs/deliver-events.ts'
import { resyncSubscriptions } from './jobs/resync-subscriptions.ts'
import { setUpSubscription } from './jobs/set-up-subscription.ts'
import { tearDownJob } from './jobs/tear-down.ts'
import { claimDueSubscriptions } from './store.ts'
import { claimDueTeardowns } from './teardown-store.ts'

export { syncSubscriptionsAfterDeploy } from './follow-deploys.ts'
export { planTeardowns } from './plan-teardowns.ts'
export { stopReceiving } from './receive.ts'
export { retrySubscriptionsOf, syncSubscription } from './sync-subscription.ts'

export const subscribingEndpoints = [receiveInstallationEvents, receiveAppEvents]
export const subscribingJobs = [setUpSubscription, resyncSubscriptions, tearDownJob, deliverEvents]

const claimMax = 100
const dueEventsMax = 1_000
/** What was claimed and never settled is due again after this. */
const againMs = 20 * 60_000
const dayMs = 24 * 3_600_000
const forgottenAtOnce = 5_000

export function subscribingTicks({
  config,
  database,
  queue,
  now,
}: Pick<Services, 'config' | 'database' | 'queue' | 'now'>): Tick[] {
  return [
    {
      name: 'subscribing.set-up',
      everyMs: 2_000,
      async run() {
        const claim = { now: now(), again: new Date(now().getTime() + againMs), limit: claimMax }
        return database.system.transaction().execute(async (tx) => {
          const due = await claimDueSubscriptions(tx, claim)
          const setUps = due.map((data) => ({ data, key: data.installationId }))
          await queue.enqueueAll({ sql: tx }, setUpSubscription, setUps)
          const ended = await claimDueTeardowns(tx, claim)
          const tearDowns = ended.map((data) => ({ data, key: data.id }))
          await queue.enqueueAll({ sql: tx }, tearDownJob, tearDowns)
          return due.length === claimMax || ended.length === claimMax
        })
      },
    },
    {
      name: 'subscribing.sweep',
      everyMs: 1_000,
      async run() {
        const streams = await listDueStreams(database.system, now(), dueEventsMax)
        const items = streams.map((data) => ({ data, key: streamId(data) }))
        await queue.enqueueAll({ sql: database.system }, deliverEvents, items)
        return false
      },
    },
    {
      name: 'subscribing.forget',
      everyMs: 60_000,
      async run() {
        const before = new Date(now().getTime() - config.duplicateDays * dayMs)
        return (await deleteKeysBefore(database.system, before, forgottenAtOnce)) === forgottenAtOnce
      },
    },
  ]
}
