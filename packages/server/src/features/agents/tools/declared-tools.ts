import {
  type AgentAction,
  type AgentConfirmation,
  type AgentIntegration,
  type AgentObject,
  type AgentProviderTool,
  type AgentTool,
  isReadOnlyTool,
  providerToolName,
} from '@mortise/manifest'
import { LRUCache } from 'lru-cache'
import type { ProjectDb } from '../../../kernel/db/index.ts'
import { type AgentIntegrationRow, listAgentIntegrations } from '../../integrations/integrations/index.ts'
import { type NamedTool, toolNames } from './tool-names.ts'

/**
 * A tool that a manifest declares, for every group. Each kind has a file that makes its definitions and one that checks
 * and runs its calls; all else reads only what the kinds have in common.
 */
export type DeclaredTool = ObjectTool | CustomTool | ProviderTool

/** What the kinds of tools have in common. */
interface CommonTool extends NamedTool {
  name: string
  integrationId: string
  agent: AgentIntegration
  /** Whether it changes something at the provider. */
  isWrite: boolean
  /** Whether calls are only checked. */
  isDryRun: boolean
  /** Whether somebody must confirm each call. */
  needsApproval: boolean
  /** Whether this is the user of the client. If the client cannot ask, a person of the builder approves the call. */
  asksUser: boolean
}

/** An action with the records of an object. */
export interface ObjectTool extends CommonTool {
  kind: 'object'
  action: AgentAction
  object: AgentObject
}

/** A request of the builder's own. `objectName` and `label` are the name in the manifest. */
export interface CustomTool extends CommonTool {
  kind: 'custom'
  action: 'call'
  custom: AgentTool
}

/** A tool of the provider's MCP server. `objectName` is the name that the server gives it. */
export interface ProviderTool extends CommonTool {
  kind: 'provider'
  action: 'call'
  rules: AgentProviderTool
}

const projectsMax = 500
/** The tools of a project with more are read for each call. */
const toolsMax = 20_000

type KnownTools = { version: string; tools: ReadonlyMap<string, DeclaredTool> }
const caches = new WeakMap<object, LRUCache<string, KnownTools>>()

/**
 * Returns all tools of a project by name, in the order of integrations and objects. Keeps them until a deploy changes
 * something.
 *
 * @param owner a part of the service that lives as long: each service has a cache
 * @param version of what is deployed, read before
 */
export async function declaredTools(
  db: ProjectDb,
  owner: object,
  version: string,
): Promise<ReadonlyMap<string, DeclaredTool>> {
  const cache = caches.get(owner) ?? new LRUCache<string, KnownTools>({ max: projectsMax })
  caches.set(owner, cache)
  const known = cache.get(db.projectId)
  if (known?.version === version) return known.tools
  const tools = await readTools(db)
  if (tools.size <= toolsMax) cache.set(db.projectId, { version, tools })
  return tools
}

async function readTools(db: ProjectDb): Promise<Map<string, DeclaredTool>> {
  const integrations = await listAgentIntegrations(db)
  const tools = integrations.flatMap((row) => [...objectTools(row), ...customTools(row), ...providerTools(row)])
  return new Map([...toolNames(tools)].map(([name, tool]) => [name, { ...tool, name }]))
}

function objectTools({
  id,
  name: integrationName,
  agent,
  mappedNames,
}: AgentIntegrationRow): Omit<ObjectTool, 'name'>[] {
  return agent.objects.flatMap((object) =>
    object.actions.map((action): Omit<ObjectTool, 'name'> => {
      const isDryRun = isWrite(action) && (object.dryRun ?? agent.dryRun ?? false)
      return {
        kind: 'object',
        integrationId: id,
        integrationName,
        action,
        agent,
        object,
        objectName: object.objectName,
        label: labelOf(object.objectName, mappedNames),
        isWrite: isWrite(action),
        isDryRun,
        ...confirmedBy(isWrite(action) && !isDryRun ? object.confirm?.[action] : undefined),
      }
    }),
  )
}

function customTools({ id, name: integrationName, agent }: AgentIntegrationRow): Omit<CustomTool, 'name'>[] {
  return (agent.tools ?? []).map((custom): Omit<CustomTool, 'name'> => {
    const isWriting = !isReadOnlyTool(custom)
    const isDryRun = isWriting && (custom.dryRun ?? agent.dryRun ?? false)
    return {
      kind: 'custom',
      integrationId: id,
      integrationName,
      action: 'call',
      agent,
      custom,
      objectName: custom.name,
      label: custom.name,
      isWrite: isWriting,
      isDryRun,
      ...confirmedBy(isWriting && !isDryRun ? custom.confirm : undefined),
    }
  })
}

function providerTools({ id, name: integrationName, agent }: AgentIntegrationRow): Omit<ProviderTool, 'name'>[] {
  return (agent.providerTools ?? []).map((rules): Omit<ProviderTool, 'name'> => {
    const isWriting = rules.readOnly !== true
    const isDryRun = isWriting && (rules.dryRun ?? agent.dryRun ?? false)
    return {
      kind: 'provider',
      integrationId: id,
      integrationName,
      action: 'call',
      agent,
      rules,
      objectName: rules.toolName,
      label: providerToolName(integrationName, rules.toolName),
      isWrite: isWriting,
      isDryRun,
      ...confirmedBy(isDryRun ? undefined : rules.confirm),
    }
  })
}

function confirmedBy(confirm: AgentConfirmation | undefined) {
  return { needsApproval: confirm !== undefined, asksUser: confirm === 'user' }
}

/** Returns what the builder says about a tool; empty if that is nothing. */
export function ownDescription(tool: DeclaredTool): string {
  switch (tool.kind) {
    case 'object':
      return tool.object.description ?? ''
    case 'custom':
      return tool.custom.description
    case 'provider':
      return tool.rules.description ?? ''
  }
}

function labelOf(objectName: string, mappedNames: Record<string, string> | null): string {
  const mapped = mappedNames && Object.hasOwn(mappedNames, objectName) ? mappedNames[objectName] : undefined
  return mapped ?? objectName
}

/** Whether an action changes something at the provider. */
export function isWrite(action: AgentAction): action is 'create' | 'update' | 'delete' {
  return action === 'create' || action === 'update' || action === 'delete'
}

/** Whether somebody may have to confirm calls of an action. */
export function isApprovable(action: DeclaredTool['action']): action is 'create' | 'update' | 'delete' | 'call' {
  return action === 'call' || isWrite(action)
}
