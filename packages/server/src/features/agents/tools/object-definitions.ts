import type { AgentAction } from '@mortise/manifest'
import type { Connector } from '@mortise/providers'
import type { ObjectMetadata } from '../../provider-calls/object-metadata/index.ts'
import type { ObjectTool } from './declared-tools.ts'
import { describeToolObjects } from './describe-tool-object.ts'
import { keptView, type ObjectView } from './kept-tool-objects.ts'
import { safeText } from './safe-text.ts'
import { limitsOf, type ToolContext } from './tool-call.ts'
import { descriptionOf, type ToolDefinition } from './tool-definition.ts'
import type { ToolObject } from './tool-fields.ts'

/** A tool of an object that a group has. */
export interface AvailableObjectTool {
  tool: ObjectTool
  installation: ToolObject['installation']
  target: ToolObject
}

/** Whether the installation includes the object, and the provider file can do the action. */
export function isPossible(
  connector: Connector,
  { action, objectName, object }: ObjectTool,
  target: ToolObject,
): boolean {
  const isFiltered = (object.filters ?? []).length > 0 || (target.read?.fieldFilters ?? []).length > 0
  switch (action) {
    case 'search':
      return target.read !== undefined && connector.canSearch(objectName)
    case 'list':
      return target.read !== undefined && connector.canRead(objectName)
    case 'get':
      return target.read !== undefined && connector.canFetch(objectName)
    case 'create':
      return target.write !== undefined && connector.canWrite(objectName, action)
    case 'update':
    case 'delete': {
      // Before a change, filters are compared with the record.
      const isReachable = !isFiltered || connector.canFetch(objectName)
      const isAllowed = action === 'update' || target.write?.config.deletionSettings?.enabled === true
      return target.write !== undefined && isAllowed && isReachable && connector.canWrite(objectName, action)
    }
  }
}

/**
 * Returns the definitions of tools of objects. Asks each provider for the fields of its objects, unless this node knows
 * them. Where a provider does not answer, a tool has the fields that manifest and config name.
 */
export async function defineObjectTools(
  { db, services, signal }: Pick<ToolContext, 'db' | 'services' | 'signal'>,
  available: readonly AvailableObjectTool[],
): Promise<ToolDefinition[]> {
  const byInstallation = Map.groupBy(available, ({ installation }) => installation)
  const metadata = new Map(
    await Promise.all(
      [...byInstallation].map(async ([installation, tools]) => {
        const names = tools.filter(({ tool }) => hasFields(tool)).map(({ tool }) => tool.objectName)
        const { described } = await describeToolObjects(db, services, installation, names, signal)
        return [installation, described] as const
      }),
    ),
  )
  return available.map(({ tool, installation, target }) =>
    keptDefinition(tool, target, metadata.get(installation)?.get(tool.objectName)),
  )
}

const definitions = new WeakMap<ObjectView, Map<AgentAction, ToolDefinition>>()

/** Returns the definition of a tool, made once for as long as the view of its object is kept. */
function keptDefinition(tool: ObjectTool, target: ToolObject, described: ObjectMetadata | undefined): ToolDefinition {
  const view = keptView(target, described)
  const kept = definitions.get(view) ?? new Map<AgentAction, ToolDefinition>()
  definitions.set(view, kept)
  const definition = kept.get(tool.action) ?? defineObjectTool(tool, target, view)
  kept.set(tool.action, definition)
  return definition
}

function defineObjectTool(tool: ObjectTool, { installation }: ToolObject, view: ObjectView): ToolDefinition {
  const { action, objectName, object } = tool
  const label = safeText(tool.label) ?? 'records'
  const about = object.description === undefined ? [] : [safeText(object.description, 500) ?? '']
  return {
    ...descriptionOf(tool, installation, (where) => [sentences[action](`${label} in ${where}`), ...about]),
    inputSchema: view.schemaOf(action, { recordsMax: limitsOf(tool).recordsPerCall }),
    deletes: action === 'delete',
    objectName,
    action,
  }
}

function hasFields({ action }: ObjectTool): boolean {
  return action === 'search' || action === 'create' || action === 'update'
}

const sentences = {
  search: (object: string) => `Searches ${object} by the values of fields. Returns the records that fit all of them.`,
  list: (object: string) => `Lists ${object}, page by page.`,
  get: (object: string) => `Returns one record of ${object} by its id.`,
  create: (object: string) => `Creates a record of ${object}.`,
  update: (object: string) => `Changes fields of a record of ${object}.`,
  delete: (object: string) => `Deletes a record of ${object}.`,
}
