import type { IntegrationContent } from '@mortise/manifest'
import type { ProjectDb } from '../../../kernel/db/index.ts'

/** An integration that a deploy created or changed. */
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
   * Called once per deploy with all of its changes, so that the cost does not grow with their number. `unchanged`
   * integrations were deployed as they were; a newer release may support more of them.
   */
  integrationsDeployed(
    tx: ProjectDb,
    changes: IntegrationChange[],
    options: { destructive: boolean; unchanged: { integrationId: string; content: IntegrationContent }[] },
  ): Promise<void>
  /** Its installations must be deleted before its row is. */
  integrationDeleting(tx: ProjectDb, change: { integrationId: string }): Promise<void>
}
