import type { ToolSchema } from '@mortise/manifest'
import type { InstallationRecord } from '../../integrations/installations/index.ts'
import type { DeclaredTool } from './declared-tools.ts'
import { safeText } from './safe-text.ts'

/** A tool as models get it, and what clients show of it. */
export interface ToolDefinition {
  name: string
  description: string
  inputSchema: ToolSchema
  /** Whether it changes nothing at the provider. */
  readOnly: boolean
  /** Whether it may delete or replace something. */
  deletes: boolean
  /** Whether somebody must confirm each call. */
  needsApproval: boolean
  integrationId: string
  integrationName: string
  /** The provider's name of the object or tool. Absent for a tool of the builder. */
  objectName?: string
  action: DeclaredTool['action']
}

/**
 * Returns what the definitions of all kinds of tools have. The description contains words of the builder and of
 * Mortise, and those of `sentences`.
 *
 * @param sentences what the tool does, with the name of the integration
 */
export function descriptionOf(
  tool: DeclaredTool,
  { integration: { displayName } }: Pick<InstallationRecord, 'integration'>,
  sentences: (where: string) => string[],
) {
  const { name, integrationId, integrationName, isWrite, isDryRun, needsApproval } = tool
  const description = [
    ...sentences(safeText(displayName ?? integrationName) ?? integrationName),
    ...(needsApproval ? [confirmationSentence(tool)] : []),
    ...(isDryRun ? ['Dry run: the call is checked, and nothing changes.'] : []),
  ].join(' ')
  return { name, description, readOnly: !isWrite, needsApproval, integrationId, integrationName }
}

function confirmationSentence({ asksUser }: DeclaredTool): string {
  return asksUser
    ? 'The user confirms the call. If the client cannot ask, a person must approve it: you get an approval id instead of the result.'
    : 'A person must approve the call: you get an approval id instead of the result.'
}
