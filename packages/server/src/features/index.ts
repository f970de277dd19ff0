import type { Operation } from '../kernel/http/index.ts'
import type { Job, Tick } from '../kernel/jobs/index.ts'
import type { Hooks, Services } from '../services.ts'
import { accessOperations } from './access/index.ts'
import { catalogueOperations } from './catalogue/index.ts'
import { connectingOperations, connectingTicks } from './connecting/index.ts'
import { connectionsJobs, connectionsOperations, connectionsTicks } from './connections/index.ts'
import { destinationsJobs, destinationsOperations, destinationsTicks } from './destinations/index.ts'
import { groupsJobs, groupsOperations, groupsTicks } from './groups/index.ts'
import { healthOperations } from './health/index.ts'
import {
  connectionStatusReached,
  installAutomatically,
  installationsOperations,
  uninstall,
} from './installations/index.ts'
import { integrationsOperations, integrationsTicks } from './integrations/index.ts'
import {
  connectionEvents,
  connectionRefreshedEvents,
  connectionStatusEvents,
  connectionsDeletedEvents,
  destinationEvents,
  installationEvents,
  installationsDeletedEvents,
  notificationsOperations,
  readEvents,
  readsPausedEvents,
  subscriptionEvents,
  writeEvents,
} from './notifications/index.ts'
import { objectMetadataOperations } from './object-metadata/index.ts'
import { operationsOperations } from './operations/index.ts'
import { orgsJobs, orgsOperations } from './orgs/index.ts'
import { projectsOperations } from './projects/index.ts'
import { providerAppsOperations } from './provider-apps/index.ts'
import { providerTestingOperations } from './provider-testing/index.ts'
import {
  pauseForCredentials,
  readingJobs,
  readingOperations,
  readingTicks,
  syncAfterDeploy,
  syncInstallation,
} from './reading/index.ts'
import { referenceOperations } from './reference/index.ts'
import {
  schemaWatchingJobs,
  schemaWatchingOperations,
  schemaWatchingTicks,
  syncSchemaWatch,
  syncWatchesAfterDeploy,
} from './schema-watching/index.ts'
import { searchingOperations } from './searching/index.ts'
import { signInJobs, signInOperations, signInTicks } from './sign-in/index.ts'
import {
  planTeardowns,
  retrySubscriptionsOf,
  subscribingJobs,
  subscribingOperations,
  subscribingTicks,
  syncSubscription,
  syncSubscriptionsAfterDeploy,
} from './subscribing/index.ts'
import { upkeepTicks } from './upkeep/index.ts'
import { writesAbandoned, writingJobs, writingOperations, writingTicks } from './writing/index.ts'

/** Every feature's part, in one place. */

export const commonOperations = [...healthOperations, ...referenceOperations]

export const apiOperations = [
  ...signInOperations,
  ...orgsOperations,
  ...accessOperations,
  ...projectsOperations,
  ...catalogueOperations,
  ...providerAppsOperations,
  ...integrationsOperations,
  ...connectionsOperations,
  ...connectingOperations,
  ...groupsOperations,
  ...installationsOperations,
  ...objectMetadataOperations,
  ...providerTestingOperations,
  ...operationsOperations,
  ...readingOperations,
  ...writingOperations,
  ...schemaWatchingOperations,
  ...searchingOperations,
  ...subscribingOperations,
  ...destinationsOperations,
  ...notificationsOperations,
] as Operation<Services>[]

export const allJobs = [
  ...groupsJobs,
  ...connectionsJobs,
  ...destinationsJobs,
  ...readingJobs,
  ...subscribingJobs,
  ...writingJobs,
  ...schemaWatchingJobs,
  ...orgsJobs,
  ...signInJobs,
] as unknown as Job<never, Services>[]

export function ticks(services: Services): Tick[] {
  return [
    ...connectionsTicks(services),
    ...connectingTicks(services),
    ...destinationsTicks(services),
    ...groupsTicks(services),
    ...integrationsTicks(services),
    ...readingTicks(services),
    ...writingTicks(services),
    ...schemaWatchingTicks(services),
    ...signInTicks(services),
    ...subscribingTicks(services),
    ...upkeepTicks(services),
  ]
}

/** What follows from a change in one feature for the features that build on it. */
export function composeHooks(services: () => Services): Hooks {
  return {
    async integrationsDeployed(tx, changes, options) {
      await syncAfterDeploy(tx, services(), changes, options)
      await syncSubscriptionsAfterDeploy(tx, services(), changes, options)
      await syncWatchesAfterDeploy(tx, services(), changes)
    },
    async connectionCreated(tx, change) {
      await installAutomatically(tx, services(), change)
      await connectionEvents(tx, services(), change)
    },
    async connectionRefreshed(tx, change) {
      await connectionRefreshedEvents(tx, services(), change)
    },
    async connectionStatusChanged(tx, change) {
      await connectionStatusReached(tx, change)
      await retrySubscriptionsOf(tx, services(), change)
      await pauseForCredentials(tx, services(), change)
      await connectionStatusEvents(tx, services(), change)
    },
    async connectionsDeleting(tx, change) {
      await connectionsDeletedEvents(tx, services(), change)
    },
    async installationChanged(tx, change) {
      await syncInstallation(tx, services(), change.installationId)
      await syncSubscription(tx, services(), change.installationId)
      await syncSchemaWatch(tx, services(), change.installationId)
      await installationEvents(tx, services(), change)
    },
    async integrationDeleting(tx, change) {
      await uninstall(tx, services(), change)
    },
    async installationsDeleting(tx, change) {
      await writesAbandoned(tx, services(), change)
      await installationsDeletedEvents(tx, services(), change)
      await planTeardowns(tx, services(), change)
    },
    async readsEnded(tx, ended) {
      await readEvents(tx, services(), ended)
    },
    async writesEnded(tx, ended) {
      await writeEvents(tx, services(), ended)
    },
    async readsPaused(tx, paused) {
      await readsPausedEvents(tx, services(), paused)
    },
    async subscriptionsFailed(tx, failed) {
      await subscriptionEvents(tx, services(), failed)
    },
    async destinationChanged(tx, change) {
      await destinationEvents(tx, services(), change)
    },
  }
}
