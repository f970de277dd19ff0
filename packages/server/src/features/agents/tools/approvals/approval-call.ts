import { hash } from 'node:crypto'
import type { ProjectDb } from '../../../../kernel/db/index.ts'
import { createEnvelope, type Keyring } from '../../../../kernel/encryption/index.ts'
import type { InstallationRecord } from '../../../integrations/installations/index.ts'
import type { DeclaredTool } from '../declared-tools.ts'
import { safeText } from '../safe-text.ts'
import type { ToolRequest } from '../tool-call.ts'

/** What an approval is for: exactly this runs. */
export interface StoredCall {
  arguments: Record<string, unknown>
  consumerRef?: string
}

/** Written as the comment of a request that is refused because it is outdated. */
export const outdated = 'The rules, the config or the account have changed since. The agent can ask again.'

const at = (db: ProjectDb, id: string, column: 'encrypted_call' | 'encrypted_result') => ({
  table: 'approvals',
  project: db.projectId,
  row: id,
  column,
})

/** Returns the name of an agent as requests have it. */
export function agentOf({ agent }: Pick<ToolRequest, 'agent'>): string | null {
  return (agent !== undefined && safeText(agent)) || null
}

export function encryptCall(db: ProjectDb, keyring: Keyring, id: string, call: StoredCall): string {
  return createEnvelope(keyring).encrypt(JSON.stringify(call), at(db, id, 'encrypted_call'))
}

export function openCall(db: ProjectDb, keyring: Keyring, id: string, encrypted: string): StoredCall {
  return JSON.parse(
    createEnvelope(keyring)
      .open(encrypted, at(db, id, 'encrypted_call'))
      .toString('utf8'),
  )
}

export function encryptResult(db: ProjectDb, keyring: Keyring, id: string, result: object): string {
  return createEnvelope(keyring).encrypt(JSON.stringify(result), at(db, id, 'encrypted_result'))
}

export function openResult(
  db: ProjectDb,
  keyring: Keyring,
  id: string,
  encrypted: string,
): { isError: boolean; content: Record<string, unknown> } {
  return JSON.parse(
    createEnvelope(keyring)
      .open(encrypted, at(db, id, 'encrypted_result'))
      .toString('utf8'),
  )
}

/**
 * Returns a digest of all that decides what a call does besides its arguments: rules, mapping and account. An approval
 * is valid only while it is the same.
 */
export function stateDigest(tool: DeclaredTool, installation: InstallationRecord): string {
  const { id, configId, connectionId, latestRevisionId } = installation
  const state = [
    tool.name,
    tool.integrationId,
    tool.objectName,
    tool.action,
    id,
    configId,
    connectionId,
    latestRevisionId,
  ]
  return hash('sha256', JSON.stringify(state))
}
