import { jobReference } from '../../../kernel/jobs/index.ts'
import type { EventQueue } from './inbound-store.ts'

/** Which installations: all, or only those that should have a subscription and have none yet. */
export interface ResyncSubscriptionsData {
  projectId: string
  integrationId: string
  onlyUnsubscribed?: true
}

/** Turns the waiting events of an event queue into messages. The key is the id of the queue. */
export const deliverEvents = jobReference<EventQueue>('subscribing.deliver')

/** Brings the subscriptions of an integration in line with its manifest. */
export const resyncSubscriptions = jobReference<ResyncSubscriptionsData>('subscribing.resync')

/** Brings the registrations of an installation in line. The key is the installation. */
export const setUpSubscription = jobReference<{ projectId: string; installationId: string }>('subscribing.set-up')

/** Ends at the provider what was registered for a deleted installation. */
export const tearDownJob = jobReference<{ projectId: string; id: string }>('subscribing.tear-down')
