import { type Job, job } from '../../../../kernel/jobs/index.ts'
import type { Services } from '../../../../services.ts'
import { deliverEventsOf } from '../deliver-events-of.ts'
import type { Stream } from '../inbound-store.ts'

/**
 * Turns the events of one stream, whose id is the job's key, that wait into messages. Two at once do no harm: an event
 * is taken out once.
 */
export const deliverEvents: Job<Stream, Services> = job({
  name: 'subscribing.deliver',
  policy: 'one-per-key',
  concurrency: 8,
  expireInSeconds: 3_600,
  heartbeatSeconds: 10,
  retryLimit: 0,
  retryDelaySeconds: 0,
  run: ({ data, signal, log }, services) => deliverEventsOf(data, services, signal, log),
})
