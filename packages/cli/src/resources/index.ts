import { agentSessions } from './agent-sessions.ts'
import { approvals } from './approvals.ts'
import { claimedDomains } from './claimed-domains.ts'
import { configs } from './configs.ts'
import { connections } from './connections.ts'
import { deadLetters } from './dead-letters.ts'
import { destinationConnections } from './destination-connections.ts'
import { destinationGroups } from './destination-groups.ts'
import { destinations } from './destinations.ts'
import { failing } from './failing.ts'
import { consumers, groups } from './groups.ts'
import { installations } from './installations.ts'
import { integrations } from './integrations.ts'
import { apiKeys, jwtKeys } from './keys.ts'
import { attempts, messages, replays } from './messages.ts'
import { mySessions } from './my-sessions.ts'
import { destinationRoutes, eventRoutes, topics } from './notifications.ts'
import { operations } from './operations.ts'
import { builders, invites, orgs } from './orgs.ts'
import { projects } from './projects.ts'
import { providerApps } from './provider-apps.ts'
import { providerEvents } from './provider-events.ts'
import { providers } from './providers.ts'
import { recordObjects, records } from './records.ts'
import type { Resource } from './resource.ts'
import { revisions } from './revisions.ts'
import { schedules } from './schedules.ts'
import { schemaChanges, schemaWatches } from './schema-changes.ts'
import { tools } from './tools.ts'

/** Every kind of thing that the commands know, in the order of the help. */
export const resources: readonly Resource[] = [
  projects,
  integrations,
  revisions,
  installations,
  configs,
  failing,
  connections,
  groups,
  consumers,
  destinations,
  destinationGroups,
  destinationConnections,
  messages,
  attempts,
  replays,
  deadLetters,
  records,
  recordObjects,
  operations,
  tools,
  approvals,
  agentSessions,
  mySessions,
  schedules,
  providerEvents,
  schemaWatches,
  schemaChanges,
  topics,
  eventRoutes,
  destinationRoutes,
  providerApps,
  apiKeys,
  jwtKeys,
  orgs,
  builders,
  invites,
  claimedDomains,
  providers,
]
