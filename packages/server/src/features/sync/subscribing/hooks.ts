import type { ProjectDb } from '../../../kernel/db/index.ts'

/**
 * Notifies other features of subscriptions. Each call runs in the caller's transaction: the change and what follows
 * from it commit together.
 */
export interface SubscriptionHooks {
  /** Subscriptions could not be set up at the provider. Called once for as long as that lasts. */
  subscriptionsFailed(tx: ProjectDb, failed: { installationId: string; error: string }[]): Promise<void>
  /** A subscription that could not be set up is set up now. */
  subscriptionRecovered(tx: ProjectDb, of: { installationId: string }): Promise<void>
}
