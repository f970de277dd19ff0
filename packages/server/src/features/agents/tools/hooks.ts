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

/** A decision about an action of an agent. */
export interface DecidedApproval extends Omit<RequestedApproval, 'expireTime'> {
  decision: 'approved' | 'refused'
  /** A person of the builder, or the user of the client. */
  decider: 'person' | 'user'
}

export interface ToolHooks {
  /** An agent wants to do something that a person must approve. */
  approvalRequested(tx: ProjectDb, requested: RequestedApproval): Promise<void>
  /** Somebody approved or refused it. */
  approvalDecided(tx: ProjectDb, decided: DecidedApproval): Promise<void>
}
