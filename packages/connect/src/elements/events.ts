import type { AccessResult } from '../headless/connect-state.ts'
import type { Trouble } from '../headless/trouble.ts'
import type { Connection, Installation } from '../headless/wire.ts'

/** Why a step failed, in `detail` of `mortise-error`. */
export interface ErrorDetail extends Partial<Omit<Trouble, 'kind'>> {
  /**
   * `denied`: the provider or the customer refused the authorization. `closed`: the customer closed the window.
   * `blocked`: the browser blocked the window.
   */
  kind: Trouble['kind'] | 'denied' | 'closed' | 'blocked'
}

/** What `detail` of each event has. */
export interface MortiseEventDetails {
  /** An account was connected, or connected again. */
  'mortise-connected': { connection: Connection }
  /** An integration was installed. */
  'mortise-installed': { installation: Installation }
  /** An installation was changed. */
  'mortise-changed': { installation: Installation }
  /** An installation was removed, or an account with its installations. */
  'mortise-removed': { installationId?: string; connectionId?: string }
  /** The customer is done. */
  'mortise-closed': Record<string, never>
  'mortise-error': ErrorDetail
}

export type MortiseEventName = keyof MortiseEventDetails

/** The events of the components by their names, for `addEventListener`. */
export type MortiseEventMap = { [Name in MortiseEventName]: CustomEvent<MortiseEventDetails[Name]> }

declare global {
  interface HTMLElementEventMap extends MortiseEventMap {}
}

/** The events that each component fires. */
export const elementEvents = {
  'mortise-connect': ['mortise-connected', 'mortise-error', 'mortise-closed'],
  'mortise-install': ['mortise-connected', 'mortise-installed', 'mortise-changed', 'mortise-error', 'mortise-closed'],
  'mortise-manage': ['mortise-connected', 'mortise-changed', 'mortise-removed', 'mortise-error'],
  'mortise-integrations': [
    'mortise-connected',
    'mortise-installed',
    'mortise-changed',
    'mortise-removed',
    'mortise-error',
  ],
} as const satisfies Record<string, readonly MortiseEventName[]>

/** Returns why a step failed in one form, however the store of the step says it. */
export function errorDetail(failure: Trouble | AccessResult | { trouble: Trouble }): ErrorDetail {
  return 'trouble' in failure ? failure.trouble : failure
}
