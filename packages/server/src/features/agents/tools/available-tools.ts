import type { ToolSchema } from '@mortise/manifest'
import type { Connector } from '@mortise/providers'
import { type Confinement, mayUseIntegration, Problem } from '../../../kernel/http/index.ts'
import type { InstallationRecord } from '../../integrations/installations/index.ts'
import { connectorOf, openProviderAccess } from '../../provider-calls/calls/index.ts'
import { type AvailableCustomTool, defineCustomTool } from './custom-definition.ts'
import { type DeclaredTool, declaredTools } from './declared-tools.ts'
import { groupState, installedRecords } from './group-state.ts'
import { keptToolObject } from './kept-tool-objects.ts'
import { type AvailableObjectTool, defineObjectTools, isPossible } from './object-definitions.ts'
import { type AvailableProviderTool, defineProviderTools } from './provider-tools/provider-definitions.ts'
import type { ToolContext } from './tool-call.ts'
import type { ToolDefinition } from './tool-definition.ts'

/** A tool that a group has. */
export type AvailableTool = AvailableObjectTool | AvailableCustomTool | AvailableProviderTool

type ToolsContext = Pick<ToolContext, 'db' | 'services' | 'signal'>

/**
 * Returns the tools that a group has: what its installations include, manifests allow and provider files can do. Asks
 * no provider.
 */
export async function availableTools(
  { db, services }: ToolsContext,
  groupRef: string,
  confinedTo?: Confinement,
): Promise<AvailableTool[]> {
  const { catalogue } = services
  const state = await groupState(db, groupRef)
  const declared = await declaredTools(db, catalogue, state.version)
  const byIntegration = Map.groupBy(declared.all, ({ integrationId }) => integrationId)
  const ids = [...byIntegration.keys()].filter((id) => mayUseIntegration(confinedTo, id))
  const installations = await installedRecords(db, catalogue, state, groupRef, ids)
  const inOrder = installations.toSorted(
    (one, other) => ids.indexOf(one.integrationId) - ids.indexOf(other.integrationId),
  )
  const found = await Promise.all(
    inOrder.map((installation) =>
      toolsOf({ db, services }, installation, byIntegration.get(installation.integrationId) ?? []),
    ),
  )
  return found.flat()
}

/** Returns the tools of an installation; none for a connection that cannot be opened, until it is repaired. */
async function toolsOf(
  { db, services }: Pick<ToolContext, 'db' | 'services'>,
  installation: InstallationRecord,
  tools: readonly DeclaredTool[],
): Promise<AvailableTool[]> {
  const { connectionId, module } = installation
  const opened = async <T>(open: () => T | Promise<T>): Promise<T | undefined> => {
    try {
      return await open()
    } catch (error) {
      services.log.debug({ err: error, isProblem: error instanceof Problem }, 'no tools for a connection')
      return undefined
    }
  }
  const access = await opened(() => openProviderAccess(db, services, connectionId, { module }))
  if (!access) return []
  // Other tools need no objects of the provider file.
  const needsObjects = tools.some(({ kind }) => kind === 'object')
  const connector = needsObjects ? await opened(() => connectorOf(access, services)) : undefined
  return available(connector, installation, tools)
}

function available(
  connector: Connector | undefined,
  installation: InstallationRecord,
  tools: readonly DeclaredTool[],
): AvailableTool[] {
  return tools.flatMap((tool): AvailableTool[] => {
    if (tool.kind === 'custom') return [{ tool, installation }]
    if (tool.kind === 'provider') return [{ tool, installation }]
    if (!connector) return []
    const target = keptToolObject(installation, tool.object)
    return isPossible(connector, tool, target) ? [{ tool, installation, target }] : []
  })
}

/**
 * Returns the definitions of tools, in their order. Tools of a provider are left out if it does not answer, or defines
 * them otherwise than the builder has read.
 */
export async function defineTools(context: ToolsContext, tools: readonly AvailableTool[]): Promise<ToolDefinition[]> {
  const [ofObjects, ofProviders] = await Promise.all([
    defineObjectTools(context, tools.filter(isOfObject)),
    defineProviderTools(context, tools.filter(isOfProvider)),
  ])
  const ofBuilder = tools.filter(isOfBuilder).map(defineCustomTool)
  const byName = new Map([...ofObjects, ...ofProviders, ...ofBuilder].map((one) => [one.name, one]))
  return tools.flatMap(({ tool }) => byName.get(tool.name) ?? [])
}

function isOfObject(one: AvailableTool): one is AvailableObjectTool {
  return one.tool.kind === 'object'
}

function isOfBuilder(one: AvailableTool): one is AvailableCustomTool {
  return one.tool.kind === 'custom'
}

function isOfProvider(one: AvailableTool): one is AvailableProviderTool {
  return one.tool.kind === 'provider'
}

/** The tool that returns what became of a call that a person had to approve. */
export const approvalResultTool = {
  name: 'get_approval_result',
  description: 'Returns what became of a call that a person had to approve: waiting, refused, or its result.',
  inputSchema: {
    type: 'object',
    properties: { id: { type: 'string', maxLength: 100, description: '`approvalId` of the call.' } },
    required: ['id'],
    additionalProperties: false,
  } satisfies ToolSchema as ToolSchema,
  readOnly: true,
  needsApproval: false,
}
