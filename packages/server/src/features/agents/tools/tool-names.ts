import { hash } from 'node:crypto'
import { type AgentAction, actionToolName, builtInTools, toolWord } from '@mortise/manifest'

const lengthMax = 64

/** What a tool is named after. */
export interface NamedTool {
  /** `call`: a tool whose label is its name already. */
  action: AgentAction | 'call'
  objectName: string
  /** Name of the object in messages, or of the tool. */
  label: string
  integrationName: string
}

/**
 * Names the tools of a project: `search_contacts`, or `search_contacts_hubspot` where several integrations have tools
 * of that name. The names depend on what is deployed, not on what a group has installed: they are the same for every
 * group. Each fits `^[a-zA-Z0-9_-]{1,64}$`, and none is used twice.
 */
export function toolNames<T extends NamedTool>(tools: readonly T[]): Map<string, T> {
  const short = ({ action, label }: T) => (action === 'call' ? label : actionToolName(action, label))
  const owners = new Map<string, Set<string>>()
  for (const tool of tools) {
    const name = short(tool)
    owners.set(name, (owners.get(name) ?? new Set()).add(tool.integrationName))
  }
  const wanted = tools.map((tool): [string, T] => {
    const name = short(tool)
    const isShared = (owners.get(name)?.size ?? 0) > 1
    return [isShared ? `${name}_${toolWord(tool.integrationName)}` : name, tool]
  })
  const counts = new Map<string, number>(builtInTools.map((name) => [name, 1]))
  for (const [name] of wanted) counts.set(name, (counts.get(name) ?? 0) + 1)
  return new Map(
    wanted.map(([name, tool]) => {
      const isUnique = counts.get(name) === 1 && name.length <= lengthMax
      return [isUnique ? name : `${name.slice(0, lengthMax - 9)}_${digest(tool)}`, tool]
    }),
  )
}

function digest({ action, objectName, integrationName }: NamedTool): string {
  return hash('sha256', JSON.stringify([integrationName, objectName, action])).slice(0, 8)
}
