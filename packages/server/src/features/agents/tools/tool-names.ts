import { hash } from 'node:crypto'
import { type AgentAction, actionToolName, builtInTools, toolWord } from '@mortise/manifest'

const lengthMax = 64

/**
 * What a tool is, under any name. Integrations are named, as in manifests: one that is deleted, and deployed again for
 * the same provider, is the same.
 */
export interface ToolIdentity {
  kind: 'object' | 'custom' | 'provider'
  integrationName: string
  provider: string
  objectName: string
  /** `call`: a tool whose label is its name already. */
  action: AgentAction | 'call'
}

/** What a tool is named after. */
export interface NamedTool extends ToolIdentity {
  /** Name of the object in messages, or of the tool. */
  label: string
}

/** A name that a tool has been given, and keeps. */
export interface GivenName extends ToolIdentity {
  name: string
}

/**
 * Names the tools of a project. A tool keeps the name that it was given for its label. Another one is named
 * `search_contacts`, or `search_contacts_hubspot` where several integrations have tools of that name, or had one. The
 * names depend on what is deployed, not on what a group has installed: they are the same for every group. Each fits
 * `^[a-zA-Z0-9_-]{1,64}$`, and none is used twice, or was given to another tool before.
 */
export function toolNames<T extends NamedTool>(tools: readonly T[], given: readonly GivenName[] = []): Map<string, T> {
  const owners = new Map(given.map((one) => [one.name, keyOf(one)]))
  const sharers = new Map<string, Set<string>>()
  for (const tool of tools) {
    const name = shortName(tool)
    sharers.set(name, (sharers.get(name) ?? new Set()).add(tool.integrationName))
  }
  const isShared = (tool: T) => {
    const name = shortName(tool)
    const owner = owners.get(name)
    return (sharers.get(name)?.size ?? 0) > 1 || (owner !== undefined && owner !== keyOf(tool))
  }
  const kept = new Map(
    tools.map((tool) => {
      const wanted = [shortName(tool), qualifiedName(tool)]
      const names = [...wanted, ...wanted.flatMap((name) => hashedNames(name, tool))]
      return [tool, names.find((name) => owners.get(name) === keyOf(tool))]
    }),
  )
  const wanted = new Map(tools.map((tool) => [tool, isShared(tool) ? qualifiedName(tool) : shortName(tool)]))
  const taken = new Set<string>([...builtInTools, ...owners.keys()])
  const counts = new Map<string, number>()
  for (const [tool, name] of wanted) if (!kept.get(tool)) counts.set(name, (counts.get(name) ?? 0) + 1)
  return new Map(
    tools.map((tool) => {
      const name = wanted.get(tool) ?? ''
      const isFree = counts.get(name) === 1 && !taken.has(name) && name.length <= lengthMax
      const fresh = isFree ? name : (hashedNames(name, tool).find((one) => !taken.has(one)) ?? name)
      return [kept.get(tool) ?? fresh, tool]
    }),
  )
}

/** Returns the same text for the same tool. */
export function keyOf({ kind, integrationName, provider, objectName, action }: ToolIdentity): string {
  return JSON.stringify([kind, integrationName, provider, objectName, action])
}

function shortName({ action, label }: NamedTool): string {
  return action === 'call' ? label : actionToolName(action, label)
}

function qualifiedName(tool: NamedTool): string {
  return `${shortName(tool)}_${toolWord(tool.integrationName)}`
}

/** Returns names that end with a hash of the tool. The longer ones are for the case that another tool has the first. */
function hashedNames(name: string, { integrationName, objectName, action }: ToolIdentity): string[] {
  const digest = hash('sha256', JSON.stringify([integrationName, objectName, action]))
  return [8, 16, 32].map((length) => `${name.slice(0, lengthMax - 1 - length)}_${digest.slice(0, length)}`)
}
