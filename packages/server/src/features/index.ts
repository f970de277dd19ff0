import { sql } from 'kysely'
import type { Endpoint } from '../kernel/http/index.ts'
import type { Job, Tick } from '../kernel/jobs/index.ts'
import type { ClaimLoop } from '../kernel/work/index.ts'
import type { Hooks, Services } from '../services.ts'
import { connectingEndpoints, connectingTicks } from './accounts/authorization-flows/index.ts'
import { authorizationServersEndpoints } from './accounts/authorization-servers/index.ts'
import { connectionsEndpoints, connectionsJobs, connectionsTicks } from './accounts/connections/index.ts'
import { consumersEndpoints } from './accounts/consumers/index.ts'
import { erasuresEndpoints, erasuresJobs, erasuresTicks } from './accounts/erasures/index.ts'
import { agentSessionsEndpoints, agentSessionsTicks } from './agents/agent-sessions/index.ts'
import { managementEndpoints } from './agents/management/index.ts'
import { mcpEndpoints } from './agents/mcp/index.ts'
import { forgetConsumer, forgetTools, nameTools, toolsEndpoints, toolsTicks } from './agents/tools/index.ts'
import { accessEndpoints } from './identity/access/index.ts'
import { orgsEndpoints, orgsJobs } from './identity/orgs/index.ts'
import { projectsEndpoints } from './identity/projects/index.ts'
import { signInEndpoints, signInJobs, signInTicks } from './identity/sign-in/index.ts'
import { catalogueEndpoints } from './integrations/catalogue/index.ts'
import {
  connectionStatusReached,
  hasAlwaysIntegrations,
  installAutomatically,
  installationsEndpoints,
  uninstall,
} from './integrations/installations/index.ts'
import { integrationsEndpoints, integrationsTicks } from './integrations/integrations/index.ts'
import { providerAppsEndpoints } from './integrations/provider-apps/index.ts'
import { providerTestingEndpoints } from './integrations/provider-testing/index.ts'
import { deliveryEndpoints, deliveryJobs, deliveryTicks } from './messaging/delivery/index.ts'
import { destinationsEndpoints, destinationsTicks } from './messaging/destinations/index.ts'
import { messagesEndpoints, messagesJobs, messagesTicks } from './messaging/messages/index.ts'
import {
  approvalDecidedEvents,
  approvalRequestedEvents,
  connectionEvents,
  connectionRefreshedEvents,
  connectionStatusEvents,
  connectionsDeletedEvents,
  deadLetterEvents,
  destinationEvents,
  findOrigins,
  installationEvents,
  installationsDeletedEvents,
  isRouted,
  notificationsEndpoints,
  readEvents,
  readsPausedEvents,
  subscriptionEvents,
  writeEvents,
} from './messaging/notifications/index.ts'
import { insertRemovals, recordsEndpoints, recordsTicks, syncRecordStore } from './messaging/records/index.ts'
import { referenceEndpoints } from './platform/api-docs/index.ts'
import { auditEndpoints, auditTicks } from './platform/audit/index.ts'
import { changesEndpoints } from './platform/changes/index.ts'
import { consoleEndpoints } from './platform/console/index.ts'
import { countsEndpoints, countsTicks } from './platform/counts/index.ts'
import { healthEndpoints } from './platform/health/index.ts'
import { lookupEndpoints } from './platform/lookup/index.ts'
import { operationsEndpoints } from './platform/operations/index.ts'
import { overviewEndpoints } from './platform/overview/index.ts'
import { retentionTicks } from './platform/retention/index.ts'
import {
  recordDeletedConnections,
  recordEvents,
  recordStatus,
  recordUninstalled,
  timelinesEndpoints,
  timelinesTicks,
} from './platform/timelines/index.ts'
import { objectMetadataEndpoints } from './provider-calls/object-metadata/index.ts'
import { providerEventsEndpoints, providerEventsTicks } from './sync/provider-events/index.ts'
import {
  lockReadsOf,
  pauseForCredentials,
  readingEndpoints,
  readingJobs,
  readingLoops,
  readingTicks,
  syncAfterDeploy,
  syncInstallation,
} from './sync/reading/index.ts'
import {
  findFieldTypes,
  schemaWatchingEndpoints,
  schemaWatchingJobs,
  schemaWatchingTicks,
  syncSchemaWatch,
  syncWatchesAfterDeploy,
} from './sync/schema-watching/index.ts'
import { searchingEndpoints } from './sync/searching/index.ts'
import {
  planTeardowns,
  retrySubscriptionsOf,
  streamsLoop,
  subscribingEndpoints,
  subscribingJobs,
  subscribingTicks,
  syncSubscription,
  syncSubscriptionsAfterDeploy,
} from './sync/subscribing/index.ts'
import { writesAbandoned, writingEndpoints, writingJobs, writingTicks } from './sync/writing/index.ts'

/** Every feature's part, in one place. */

export const commonEndpoints = [...healthEndpoints, ...referenceEndpoints]

export const apiEndpoints = [
  ...signInEndpoints,
  ...orgsEndpoints,
  ...auditEndpoints,
  ...accessEndpoints,
  ...projectsEndpoints,
  ...catalogueEndpoints,
  ...providerAppsEndpoints,
  ...integrationsEndpoints,
  ...connectionsEndpoints,
  ...connectingEndpoints,
  ...authorizationServersEndpoints,
  ...consumersEndpoints,
  ...erasuresEndpoints,
  ...installationsEndpoints,
  ...objectMetadataEndpoints,
  ...providerTestingEndpoints,
  ...operationsEndpoints,
  ...timelinesEndpoints,
  ...providerEventsEndpoints,
  ...changesEndpoints,
  ...countsEndpoints,
  ...overviewEndpoints,
  ...lookupEndpoints,
  ...readingEndpoints,
  ...writingEndpoints,
  ...schemaWatchingEndpoints,
  ...searchingEndpoints,
  ...subscribingEndpoints,
  ...toolsEndpoints,
  ...agentSessionsEndpoints,
  ...managementEndpoints,
  ...mcpEndpoints,
  ...destinationsEndpoints,
  ...deliveryEndpoints,
  ...messagesEndpoints,
  ...recordsEndpoints,
  ...notificationsEndpoints,
  ...consoleEndpoints,
] as Endpoint<Services>[]

export const allJobs = [
  ...erasuresJobs,
  ...connectionsJobs,
  ...deliveryJobs,
  ...messagesJobs,
  ...readingJobs,
  ...subscribingJobs,
  ...writingJobs,
  ...schemaWatchingJobs,
  ...orgsJobs,
  ...signInJobs,
] as unknown as Job<never, Services>[]

/** Work that is claimed where it is stored. */
export function claimLoops(services: Services): ClaimLoop[] {
  return [...readingLoops(services), streamsLoop(services)]
}

export function ticks(services: Services): Tick[] {
  return [
    ...connectionsTicks(services),
    ...connectingTicks(services),
    ...destinationsTicks(services),
    ...deliveryTicks(services),
    ...messagesTicks(services),
    ...recordsTicks(services),
    ...erasuresTicks(services),
    ...integrationsTicks(services),
    ...readingTicks(services),
    ...writingTicks(services),
    ...schemaWatchingTicks(services),
    ...signInTicks(services),
    ...subscribingTicks(services),
    ...toolsTicks(services),
    ...agentSessionsTicks(services),
    ...retentionTicks(services),
    ...auditTicks(services),
    ...countsTicks(services),
    ...timelinesTicks(services),
    ...providerEventsTicks(services),
  ]
}

/** What follows from a change in one feature for the features that build on it. */
export function composeHooks(services: () => Services): Hooks {
  return {
    async integrationsDeployed(tx, changes, options) {
      await syncAfterDeploy(tx, services(), changes, options)
      await syncSubscriptionsAfterDeploy(tx, services(), changes, options)
      await syncWatchesAfterDeploy(tx, services(), changes)
      if (changes.length > 0) await nameTools(tx)
      forgetTools(tx, services())
    },
    async connectionCreated(tx, change) {
      await installAutomatically(tx, services(), change)
      await connectionEvents(tx, services(), change)
      if (!change.isNew) await recordEvents(tx, [{ kind: 'connection.updated', of: change }])
    },
    followsNewConnection: sql<boolean>`(${hasAlwaysIntegrations} or ${isRouted('connection.created')})`,
    async connectionRefreshed(tx, change) {
      await connectionRefreshedEvents(tx, services(), change)
    },
    async connectionStatusChanged(tx, change) {
      await recordStatus(tx, change)
      await connectionStatusReached(tx, change)
      await retrySubscriptionsOf(tx, services(), change)
      await pauseForCredentials(tx, services(), change)
      await connectionStatusEvents(tx, services(), change)
    },
    async connectionsDeleting(tx, change) {
      await connectionsDeletedEvents(tx, services(), change)
      await recordDeletedConnections(tx, change.connectionIds)
    },
    async installationChanged(tx, change) {
      await syncInstallation(tx, services(), change.installationId)
      await syncSubscription(tx, services(), change.installationId)
      await syncSchemaWatch(tx, services(), change.installationId)
      await installationEvents(tx, services(), change)
      forgetTools(tx, services())
      if (change.isMoved) await recordEvents(tx, [{ kind: 'installation.connection', of: change }])
    },
    async consumerErasing(tx, { consumerRef }) {
      await forgetConsumer(tx, consumerRef)
    },
    async approvalRequested(tx, requested) {
      await approvalRequestedEvents(tx, services(), requested)
    },
    async approvalDecided(tx, decided) {
      await approvalDecidedEvents(tx, services(), decided)
    },
    async integrationDeleting(tx, change) {
      await uninstall(tx, services(), change)
      forgetTools(tx, services())
    },
    async installationsLocking(tx, change) {
      await lockReadsOf(tx, change)
    },
    async installationsDeleting(tx, change) {
      await writesAbandoned(tx, services(), change)
      await installationsDeletedEvents(tx, services(), change)
      await planTeardowns(tx, services(), change)
      await insertRemovals(tx, change.installationIds)
      await recordUninstalled(tx, change.installationIds)
      forgetTools(tx, services())
    },
    async readsEnded(tx, ended) {
      await readEvents(tx, services(), ended)
    },
    async writesEnded(tx, ended) {
      await writeEvents(tx, services(), ended)
    },
    async readsPaused(tx, paused) {
      await readsPausedEvents(tx, services(), paused)
      await recordPauses(tx, paused)
    },
    async readsResumed(tx, { installationId, objectNames }) {
      await recordEvents(tx, [{ kind: 'reads.resumed', of: { installationId }, details: { objectNames } }])
    },
    async subscriptionsFailed(tx, failed) {
      await subscriptionEvents(tx, services(), failed)
      await recordEvents(
        tx,
        failed.map(({ installationId, error }) => ({
          kind: 'subscription.failed',
          of: { installationId },
          details: { error },
        })),
      )
    },
    async subscriptionRecovered(tx, of) {
      await recordEvents(tx, [{ kind: 'subscription.recovered', of }])
    },
    async destinationChanged(tx, change) {
      await syncRecordStore(tx, services(), change)
      await destinationEvents(tx, services(), change)
    },
    async deadLettersAdded(tx, added) {
      await deadLetterEvents(tx, services(), added)
    },
    fieldTypes: (db, objects) => findFieldTypes(db, services(), objects),
    originsOf: findOrigins,
  }
}

const recordPauses: Hooks['readsPaused'] = async (tx, paused) => {
  await recordEvents(
    tx,
    paused.map(({ installationId, ...details }) => ({ kind: 'reads.paused', of: { installationId }, details })),
  )
}
