import type { ProjectDb } from '../../../kernel/db/index.ts'

/** An action that waits for a person. */
export interface RequestedApproval {
  approvalId: string
  installationId: string
  toolName: string
  action: string
  objectName: string
  expireTime: Date
}

export interface ToolHooks {
  /** An agent wants to do something that a person must approve. */
  approvalRequested(tx: ProjectDb, requested: RequestedApproval): Promise<void>
}
