/** Names of tools that belong to no integration. */
export const builtInTools = ['get_approval_result', 'find_tools', 'call_tool'] as const

/** Returns the name of the tool of an action: `search_contacts`. */
export function actionToolName(action: string, label: string): string {
  return `${action}_${toolWord(label) || 'records'}`
}

/** Returns the name of a tool of a provider's MCP server: `linear__create_issue`. No name of an action is like it. */
export function providerToolName(integrationName: string, toolName: string): string {
  return `${toolWord(integrationName) || 'provider'}__${toolWord(toolName) || 'tool'}`
}

/** Returns a text as a part of the name of a tool: what no name may have becomes an underscore. */
export function toolWord(text: string): string {
  const parts = text.slice(0, 200).split(/[^a-zA-Z0-9-]+/)
  return parts.filter((part) => part !== '').join('_')
}
