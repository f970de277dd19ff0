import type { Draft, DraftIssue } from './draft.ts'
import type { Trouble } from './trouble.ts'
import type { ConnectInfo, Connection, Installation, InstallationStatus, IntegrationSummary, Preview } from './wire.ts'

export interface InstallState {
  /**
   * `loading` → `connect` or `account` → `objects` (→ `object` and back) → `preview` (→ `webhook`) → `done`. `connect`
   * gives access to an account; `account` chooses among several. `webhook` follows an installation whose customer sets
   * up a webhook at the provider.
   */
  step: 'loading' | 'failed' | 'connect' | 'account' | 'objects' | 'object' | 'preview' | 'webhook' | 'done'
  info?: ConnectInfo
  integration?: IntegrationSummary
  /** Why there is nothing to show. */
  trouble?: Trouble
  /** Accounts of the provider. */
  connections: readonly Connection[]
  connection?: Connection
  draft?: Draft
  /** What is saved; absent for a new installation. */
  saved?: Draft
  /** The object of step `object`, or of the preview. */
  objectName?: string
  issues: readonly DraftIssue[]
  /** Grows with every attempt that failed. */
  attempts: number
  /** Values of the account's fields, by object and field. */
  samples: Readonly<Record<string, Readonly<Record<string, string>>>>
  previews: Readonly<Record<string, { preview?: Preview; trouble?: Trouble }>>
  isSaving: boolean
  /** Why it could not be saved. */
  saveTrouble?: Trouble
  installation?: Installation
  status?: InstallationStatus
}
