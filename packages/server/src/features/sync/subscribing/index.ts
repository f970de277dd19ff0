import type { Config } from '../../../config.ts'
import type { Database } from '../../../kernel/db/index.ts'
import type { JobQueue, Tick } from '../../../kernel/jobs/index.ts'
import type { Work } from '../../../kernel/work/index.ts'
import { checkAppWebhook } from './endpoints/check-app-webhook.ts'
import { checkInstallationWebhook } from './endpoints/check-installation-webhook.ts'
import { getInstallationWebhook } from './endpoints/get-installation-webhook.ts'
import { receiveAppEvents } from './endpoints/receive-app-events.ts'
import { receiveInstallationEvents } from './endpoints/receive-installation-events.ts'
import { setWebhookSecret } from './endpoints/set-webhook-secret.ts'
import { enqueueDue } from './enqueue-due.ts'
import { deleteKeysBefore, eventQueueId, listDueEventQueues } from './inbound-store.ts'
import { deliverEvents } from './job-references.ts'
import { deliverEventsHandler } from './jobs/deliver-events.ts'
import { resyncSubscriptionsHandler } from './jobs/resync-subscriptions.ts'
import { setUpSubscriptionHandler } from './jobs/set-up-subscription.ts'
import { tearDownHandler } from './jobs/tear-down.ts'

export { syncSubscriptionsAfterDeploy } from './follow-deploys.ts'
export type { SubscriptionHooks } from './hooks.ts'
export { planTeardowns } from './plan-teardowns.ts'
export { stopReceiving } from './receive.ts'
export { streamsLoop } from './streams/streams-loop.ts'
export { retrySubscriptionsOf, syncSubscription } from './sync-subscription.ts'

export const subscribingEndpoints = [
  getInstallationWebhook,
  setWebhookSecret,
  receiveInstallationEvents,
  receiveAppEvents,
  checkInstallationWebhook,
  checkAppWebhook,
]
export const subscribingJobs = [
  setUpSubscriptionHandler,
  resyncSubscriptionsHandler,
  tearDownHandler,
  deliverEventsHandler,
]

const dueEventsMax = 1_000
const dayMs = 24 * 3_600_000
const forgottenAtOnce = 5_000

export function subscribingTicks(services: {
  config: Config
  database: Database
  queue: JobQueue
  now: () => Date
  work: Work
}): Tick[] {
  const { config, database, queue, now } = services
  return [
    {
      name: 'subscribing.set-up',
      everyMs: 2_000,
      async run() {
        await enqueueDue(services)
        return false
      },
    },
    {
      name: 'subscribing.poll',
      everyMs: 1_000,
      async run() {
        const eventQueues = await listDueEventQueues(database.system, now(), dueEventsMax)
        const items = eventQueues.map((data) => ({ data, key: eventQueueId(data) }))
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
