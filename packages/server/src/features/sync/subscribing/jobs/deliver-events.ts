import { job } from '../../../../kernel/jobs/index.ts'
import { deliverEventsOf } from '../deliver-events-of.ts'
import { deliverEvents } from '../job-references.ts'
import type { SubscribeServices } from '../subscribe-services.ts'

/**
 * Converts the waiting events of one event queue, whose id is the job's key, to messages. Two jobs at the same time are
 * safe: only one can take an event.
 */
export const deliverEventsHandler = job(deliverEvents, {
  policy: 'one-per-key',
  concurrency: 8,
  expireInSeconds: 3_600,
  heartbeatSeconds: 10,
  retryLimit: 0,
  retryDelaySeconds: 0,
  run: ({ data, signal, log }, services: SubscribeServices) => deliverEventsOf(data, services, signal, log),
})
