import type { ProviderTool as DefinedTool } from '@mortise/providers'
import { Problem } from '../../../../kernel/http/index.ts'
import type { InstallationRecord } from '../../../integrations/installations/index.ts'
import { useProviderMcpServer } from '../../../provider-calls/mcp-servers/index.ts'
import type { ProviderTool } from '../declared-tools.ts'
import { safeText } from '../safe-text.ts'
import type { ToolContext } from '../tool-call.ts'
import { descriptionOf, type ToolDefinition } from '../tool-definition.ts'
import { ToolError } from '../tool-error.ts'
import { providerToolNames } from './provider-tool-names.ts'
import { reviewedTool } from './reviewed-tool.ts'

/** A tool of the provider's MCP server that a group has. */
export interface AvailableProviderTool {
  tool: ProviderTool
  installation: InstallationRecord
}

/** Returns the definitions of tools of providers, without those that cannot be used now. */
export async function defineProviderTools(
  context: Pick<ToolContext, 'db' | 'services' | 'signal'>,
  tools: readonly AvailableProviderTool[],
): Promise<ToolDefinition[]> {
  const byInstallation = Map.groupBy(tools, ({ installation }) => installation)
  const found = await Promise.all(
    [...byInstallation].map(async ([installation, ofInstallation]) => {
      const listed = await listedTools(context, installation, ofInstallation)
      return ofInstallation.flatMap(({ tool }) => definition(context, tool, installation, listed) ?? [])
    }),
  )
  return found.flat()
}

/** Returns nothing if the provider does not answer: then its tools cannot be called, either. */
async function listedTools(
  { db, services, signal }: Pick<ToolContext, 'db' | 'services' | 'signal'>,
  { connectionId }: InstallationRecord,
  [first]: readonly AvailableProviderTool[],
): Promise<DefinedTool[]> {
  if (!first) return []
  const target = { connectionId, toolNames: providerToolNames(first.tool.agent) }
  try {
    return await useProviderMcpServer(db, services, target, signal, (server) => server.tools())
  } catch (error) {
    signal.throwIfAborted()
    services.log.debug({ err: error, isProblem: error instanceof Problem }, 'no tools of an MCP server')
    return []
  }
}

function definition(
  { services }: Pick<ToolContext, 'services'>,
  tool: ProviderTool,
  installation: InstallationRecord,
  listed: readonly DefinedTool[],
): ToolDefinition | undefined {
  const { rules, objectName, action } = tool
  try {
    const { schema, description } = reviewedTool(rules, listed, installation.provider)
    const name = safeText(objectName) ?? 'a tool'
    const about = description === '' ? [] : [description]
    return {
      ...descriptionOf(tool, installation, (where) => [`Calls ${name} of ${where}.`, ...about]),
      inputSchema: schema,
      // What the tool does is not known: clients should ask before.
      deletes: tool.isWrite,
      objectName,
      action,
    }
  } catch (error) {
    if (!(error instanceof ToolError)) throw error
    const { code, message } = error.facts
    services.log.warn({ tool: tool.name, installationId: installation.id, code }, `a tool is not listed: ${message}`)
    return undefined
  }
}
