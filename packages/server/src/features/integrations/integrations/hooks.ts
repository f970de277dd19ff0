import type { IntegrationContent } from '@mortise/manifest'
import type { ProjectDb } from '../../../kernel/db/index.ts'

/** An integration that a deploy made or changed. */
export interface IntegrationChange {
  integrationId: string
  /** Undefined when it is new. */
  before: IntegrationContent | undefined
  after: IntegrationContent
}

/**
 * Notifies other features of changes of integrations. Each call runs in the caller's transaction: the change and what
 * follows from it commit together.
 */
export interface IntegrationHooks {
  /**
   * All that one deploy changed, at once: what follows costs the same for one integration and for two hundred.
   * `unchanged` was deployed as it was; what a newer release does with it may still have to begin.
   */
  integrationsDeployed(
    tx: ProjectDb,
    changes: IntegrationChange[],
    options: { destructive: boolean; unchanged: { integrationId: string; content: IntegrationContent }[] },
  ): Promise<void>
  /** Its installations are to go before its row does. */
  integrationDeleting(tx: ProjectDb, change: { integrationId: string }): Promise<void>
}
