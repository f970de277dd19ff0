import type { Operation } from '../kernel/http/index.ts'
import type { Job, Tick } from '../kernel/jobs/index.ts'
import type { Hooks, Services } from '../services.ts'
import { connectionsJobs, connectionsOperations } from './connections/index.ts'
import { destinationsJobs, destinationsOperations, destinationsTicks } from './destinations/index.ts'
import { healthOperations } from './health/index.ts'
import { connectionStatusReached, installAutomatically, installationsOperations } from './installations/index.ts'
import { integrationsOperations, integrationsTicks } from './integrations/index.ts'
import { operationsOperations } from './operations/index.ts'
import { projectsOperations } from './projects/index.ts'
import {
  pauseForCredentials,
  readingJobs,
  readingOperations,
  readingTicks,
  syncAfterDeploy,
  syncInstallation,
} from './reading/index.ts'
import { referenceOperations } from './reference/index.ts'
import { upkeepTicks } from './upkeep/index.ts'

/** Every feature's part, in one place. */

export const commonOperations = [...healthOperations, ...referenceOperations]

export const apiOperations = [
  ...projectsOperations,
  ...integrationsOperations,
  ...connectionsOperations,
  ...installationsOperations,
  ...operationsOperations,
  ...readingOperations,
  ...destinationsOperations,
] as Operation<Services>[]

export const allJobs = [...connectionsJobs, ...destinationsJobs, ...readingJobs] as unknown as Job<never, Services>[]

export function ticks(services: Services): Tick[] {
  return [
    ...destinationsTicks(services),
    ...integrationsTicks(services),
    ...readingTicks(services),
    ...upkeepTicks(services),
  ]
}

/** What follows from a change in one feature for the features that build on it. */
export function composeHooks(services: () => Services): Hooks {
  return {
    async integrationsDeployed(tx, changes, options) {
      await syncAfterDeploy(tx, services(), changes, options)
    },
    async connectionCreated(tx, change) {
      await installAutomatically(tx, services(), change)
    },
    async connectionStatusChanged(tx, change) {
      await connectionStatusReached(tx, change)
      await pauseForCredentials(tx, services(), change)
    },
    async installationChanged(tx, { installationId }) {
      await syncInstallation(tx, services(), installationId)
    },
    async destinationChanged() {},
  }
}
