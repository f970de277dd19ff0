import type { ProjectDb } from '../../../kernel/db/index.ts'
import type { ToolCalls } from './tool-calls.ts'

/**
 * Drops what this node keeps of the tools of a project when the transaction has committed, so that its next call sees
 * the change. Other nodes are notified by triggers.
 */
export function forgetTools(tx: ProjectDb, { toolCalls }: { toolCalls: ToolCalls }): void {
  tx.afterCommit(() => toolCalls.groups.forget(tx.projectId))
}
