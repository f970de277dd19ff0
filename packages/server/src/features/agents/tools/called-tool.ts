import type { InstallationRecord } from '../../integrations/installations/index.ts'
import { type DeclaredTool, declaredTools, type ProjectTools } from './declared-tools.ts'
import { type GroupState, groupState, installedRecord } from './group-state.ts'
import type { ToolContext, ToolRequest } from './tool-call.ts'

/** What a call names. */
export interface CalledTool {
  /** All tools of the project. */
  tools: ProjectTools
  /** Undefined if there is none of the name. */
  tool: DeclaredTool | undefined
  /** Undefined if the group has none for the tool. */
  installation: InstallationRecord | undefined
}

/**
 * Finds what a call names. A call that only reads uses what this node keeps, which a change invalidates. A call that
 * writes, or that this node finds nothing for, reads the database.
 */
export async function calledTool(context: ToolContext, request: ToolRequest): Promise<CalledTool> {
  const { db, services } = context
  const kept = services.toolCalls.groups.find(db.projectId, request.groupRef)
  const found = await findTool(context, request, kept instanceof Promise ? await kept : kept)
  if (found.installation && found.tool && !found.tool.isWrite) return found
  return await findTool(context, request, await groupState(db, request.groupRef))
}

async function findTool({ db, services }: ToolContext, { name }: ToolRequest, state: GroupState): Promise<CalledTool> {
  const tools = await declaredTools(db, services.catalogue, state.version)
  const tool = tools.find(name)
  return {
    tools,
    tool,
    installation: tool && (await installedRecord(db, services.catalogue, state, tool.integrationId)),
  }
}
