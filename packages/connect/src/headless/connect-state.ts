import type { FieldIssue } from './form-values.ts'
import type { Trouble } from './trouble.ts'
import type { ConnectForm, ConnectInfo, Connection, FormMethod, ProviderSummary } from './wire.ts'

export interface ConnectState {
  /**
   * `loading` → `provider` → `access` → `done`; `failed` if there is nothing to show. `permissions` comes before `done`
   * if the account did not grant all permissions: `connection.missingPermissions` names them.
   */
  step: 'loading' | 'failed' | 'provider' | 'access' | 'permissions' | 'done'
  info?: ConnectInfo
  /** Why there is nothing to show. */
  trouble?: Trouble
  /** Text that providers are searched by. */
  search: string
  /** Providers that may be connected and that contain the text, by name. */
  providers: readonly ProviderSummary[]
  /** Whether the customer may return to the list of providers. */
  canGoBack: boolean
  /** Of steps `access` and `permissions`. */
  access?: AccessState
  /** The connection that was made. */
  connection?: Connection
  /** Whether the customer may continue without the permissions that are missing. Of step `permissions`. */
  canContinue?: boolean
}

export interface AccessState {
  provider: { name: string; displayName: string }
  /** The connection that gets new access. */
  connectionId?: string
  /** Absent while it is loaded. */
  form?: ConnectForm
  method?: FormMethod
  /** What was typed, by name of the field; kept when the method changes and when the provider refuses it. */
  values: Record<string, string>
  issues: FieldIssue[]
  /** Grows with every attempt that failed, so that a page can move the focus to the reasons. */
  attempts: number
  phase: 'editing' | 'sending' | 'window' | 'leaving'
  result?: AccessResult
  /** Page of the provider on which the customer has to continue. */
  continueUrl?: string
}

/** Why access was not given. */
export type AccessResult =
  | { kind: 'trouble'; trouble: Trouble }
  /** The form could not be loaded. */
  | { kind: 'formFailed'; trouble: Trouble }
  | { kind: 'denied'; detail?: string }
  | { kind: 'closed' }
  | { kind: 'blocked' }
