import type { Trouble } from './trouble.ts'
import type { ConnectInfo, Connection, InstallationStatus, InstallationSummary, IntegrationSummary } from './wire.ts'

/** An installed integration with its account. */
export interface ManagedInstallation {
  integration: IntegrationSummary
  installation: InstallationSummary
  connection?: Connection
  /** Absent until it is loaded. */
  status?: InstallationStatus
  /** `broken`: the account refuses access. */
  state: 'working' | 'paused' | 'unhealthy' | 'broken'
}

/** An account with what uses it. */
export interface ManagedConnection {
  connection: Connection
  displayName: string
  installations: readonly ManagedInstallation[]
}

/** What a removal deletes. */
export interface Removal {
  kind: 'installation' | 'connection'
  id: string
  /** The integration, or the provider. */
  name: string
  provider: string
  /** What is lost, by integration. Absent until it is loaded. */
  losses?: readonly { name: string; objects: readonly { label: string; fields: number; mappings: number }[] }[]
  /** Whether the customer types the name, because more than one thing is lost. */
  needsName: boolean
  typed: string
  isRemoving: boolean
  trouble?: Trouble
}

export interface ManageState {
  step: 'loading' | 'failed' | 'list' | 'reconnect' | 'change' | 'webhook' | 'remove'
  info?: ConnectInfo
  /** Why there is nothing to show. */
  trouble?: Trouble
  installations: readonly ManagedInstallation[]
  connections: readonly ManagedConnection[]
  /** When the list was loaded, in ISO 8601. */
  loadedAt?: string
  /** Id of what is being paused or resumed. */
  busyId?: string
  /** What could not be done. */
  actionTrouble?: { id: string; trouble: Trouble }
  /** The last thing that was done, for assistive technology. */
  said?: { what: 'removed' | 'paused' | 'resumed'; name: string }
  /** Of steps `reconnect`, `change` and `webhook`. */
  target?: { connection?: Connection; integrationId?: string; installationId?: string }
  removal?: Removal
  attempts: number
}
