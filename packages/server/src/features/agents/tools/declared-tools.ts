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
import { insertToolNames, listToolNames } from './tool-name-store.ts'
import { type GivenName, keyOf, type NamedTool, toolNames } from './tool-names.ts'

/**
 * A tool that a manifest declares, for every group. Each kind has a file that makes its definitions and one that checks
 * and runs its calls; all else reads only what the kinds have in common.
 */
export type DeclaredTool = ObjectTool | CustomTool | ProviderTool

/** What the kinds of tools have in common. */
interface CommonTool extends NamedTool {
  name: string
  /** Names that it had before, for other labels: calls may have them, too. */
  formerNames: readonly string[]
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

/** The tools of a project. */
export interface ProjectTools {
  /** In the order of integrations and objects. */
  all: readonly DeclaredTool[]
  /** Finds a tool by a name that it has, or had before. No name leads to another tool than the one it was given to. */
  find(name: string): DeclaredTool | undefined
}

type KnownTools = { version: string; tools: ProjectTools }
const caches = new WeakMap<object, LRUCache<string, KnownTools>>()

/**
 * Returns all tools of a project. Keeps them until a deploy changes something.
 *
 * @param owner a part of the service that lives as long: each service has a cache
 * @param version of what is deployed, read before
 */
export async function declaredTools(db: ProjectDb, owner: object, version: string): Promise<ProjectTools> {
  const cache = caches.get(owner) ?? new LRUCache<string, KnownTools>({ max: projectsMax })
  caches.set(owner, cache)
  const known = cache.get(db.projectId)
  if (known?.version === version) return known.tools
  const tools = await readTools(db)
  if (tools.all.length <= toolsMax) cache.set(db.projectId, { version, tools })
  return tools
}

async function readTools(db: ProjectDb): Promise<ProjectTools> {
  const unnamed = await unnamedTools(db)
  const given = await giveToolNames(db, unnamed)
  const namesOf = Map.groupBy(given, keyOf)
  const all = [...toolNames(unnamed, given)].map(([name, tool]): DeclaredTool => {
    const names = (namesOf.get(keyOf(tool)) ?? []).map((one) => one.name)
    return { ...tool, name, formerNames: names.filter((one) => one !== name) }
  })
  const byName = new Map(all.flatMap((tool) => [tool.name, ...tool.formerNames].map((name) => [name, tool] as const)))
  return { all, find: (name) => byName.get(name) }
}

type Unnamed<T> = Omit<T, 'name' | 'formerNames'>
type UnnamedTool = Unnamed<ObjectTool> | Unnamed<CustomTool> | Unnamed<ProviderTool>

async function unnamedTools(db: ProjectDb): Promise<UnnamedTool[]> {
  const integrations = await listAgentIntegrations(db)
  return integrations.flatMap((row) => [...objectTools(row), ...customTools(row), ...providerTools(row)])
}

/**
 * Names the tools of a deploy in its transaction: the first integration that is deployed has the short names, even if
 * nobody asks for its tools.
 */
export async function nameTools(tx: ProjectDb): Promise<void> {
  await giveToolNames(tx, await unnamedTools(tx))
}

/** Each round settles what another node has named in the same moment. */
const roundsMax = 5

/** Stores the names of tools that have none, and returns all names. */
async function giveToolNames(db: ProjectDb, tools: readonly UnnamedTool[]): Promise<GivenName[]> {
  for (let round = 1; ; round++) {
    const given = await listToolNames(db)
    const known = new Set(given.map(({ name }) => name))
    const fresh = [...toolNames(tools, given)].filter(([name]) => !known.has(name))
    if (fresh.length === 0) return given
    if (round > roundsMax) throw new Error('the names of tools do not settle')
    await insertToolNames(
      db,
      fresh.map(([name, { kind, integrationName, provider, objectName, action }]) => ({
        name,
        kind,
        integrationName,
        provider,
        objectName,
        action,
      })),
    )
  }
}

function objectTools({
  id,
  name: integrationName,
  provider,
  agent,
  mappedNames,
}: AgentIntegrationRow): Unnamed<ObjectTool>[] {
  return agent.objects.flatMap((object) =>
    object.actions.map((action): Unnamed<ObjectTool> => {
      const isDryRun = isWrite(action) && (object.dryRun ?? agent.dryRun ?? false)
      return {
        kind: 'object',
        integrationId: id,
        integrationName,
        provider,
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

function customTools({ id, name: integrationName, provider, agent }: AgentIntegrationRow): Unnamed<CustomTool>[] {
  return (agent.tools ?? []).map((custom): Unnamed<CustomTool> => {
    const isWriting = !isReadOnlyTool(custom)
    const isDryRun = isWriting && (custom.dryRun ?? agent.dryRun ?? false)
    return {
      kind: 'custom',
      integrationId: id,
      integrationName,
      provider,
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

function providerTools({ id, name: integrationName, provider, agent }: AgentIntegrationRow): Unnamed<ProviderTool>[] {
  return (agent.providerTools ?? []).map((rules): Unnamed<ProviderTool> => {
    const isWriting = rules.readOnly !== true
    const isDryRun = isWriting && (rules.dryRun ?? agent.dryRun ?? false)
    return {
      kind: 'provider',
      integrationId: id,
      integrationName,
      provider,
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
