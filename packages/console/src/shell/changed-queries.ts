import type { OperationId } from '@mortise/client'

/** The kinds of changes that the service streams. */
export type ChangeKind =
  | 'installation'
  | 'connection'
  | 'integration'
  | 'destination'
  | 'provider-app'
  | 'operation'
  | 'message'
  | 'provider-event'
  | 'all'

const counts: OperationId[] = ['listCounts', 'listTopInstallations', 'getOverview']
const health: OperationId[] = [
  'listInstallationsForProject',
  'listInstallations',
  'getInstallation',
  'getInstallationStatus',
  'listReadSchedules',
  'listFailingInstallations',
  'listTimeline',
  'getOverview',
]

/** Which answers a change makes stale. */
export const queriesOf: Record<Exclude<ChangeKind, 'all'>, OperationId[]> = {
  installation: [...health, 'listConfigs', 'listSchemaChanges', 'listGroups', 'getBackfillProgress'],
  connection: [...health, 'listConnections', 'getConnection', 'getConnectInfo', 'listGroups'],
  integration: ['listIntegrations', 'getIntegration', 'listRevisions'],
  destination: [
    'listDestinations',
    'getDestination',
    'listDestinationGroups',
    'listDestinationConnections',
    'getOverview',
  ],
  'provider-app': ['listProviderApps'],
  operation: [
    ...counts,
    'searchOperations',
    // A request for approval is an operation, too.
    'listApprovals',
    'getApproval',
    'listOperations',
    'getOperation',
    'listTimeline',
    'getInstallationStatus',
    'listReadSchedules',
    'getBackfillProgress',
    'getResend',
    'listFailingInstallations',
  ],
  message: [
    ...counts,
    'listMessages',
    'getMessage',
    'listMessageAttempts',
    'listDestinations',
    'listDeadLetters',
    'listRecordObjects',
    'listRecords',
  ],
  'provider-event': ['listProviderEvents'],
}

/** Returns whether a query shows something that changed. */
export function isStale(queryKey: readonly unknown[], changed: ReadonlySet<ChangeKind>): boolean {
  const id = queryKey[0] as OperationId
  // The account and the projects are not part of the stream.
  if (id === ('me' as string) || id === ('projects' as string) || id === 'listProviders') return false
  if (changed.has('all')) return true
  return [...changed].some((kind) => kind !== 'all' && queriesOf[kind]?.includes(id))
}
