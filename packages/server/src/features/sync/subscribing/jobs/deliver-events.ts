import { job } from '../../../../kernel/jobs/index.ts'
import { deliverEventsOf } from '../deliver-events-of.ts'
import { deliverEvents } from '../job-references.ts'
import type { SubscribeServices } from '../subscribe-services.ts'

/**
 * Turns the events of one stream, whose id is the job's key, that wait into messages. Two at once do no harm: an event
 * is taken out once.
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
