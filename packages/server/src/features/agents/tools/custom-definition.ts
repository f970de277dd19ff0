import type { ToolSchema } from '@mortise/manifest'
import type { InstallationRecord } from '../../integrations/installations/index.ts'
import type { CustomTool } from './declared-tools.ts'
import { descriptionOf, type ToolDefinition } from './tool-definition.ts'

/** A tool of the builder that a group has. */
export interface AvailableCustomTool {
  tool: CustomTool
  installation: InstallationRecord
}

/** Returns the definition of a tool of the builder. Asks no provider. */
export function defineCustomTool({ tool, installation }: AvailableCustomTool): ToolDefinition {
  const { description } = tool.custom
  return {
    ...descriptionOf(tool, installation, (where) => [description.trim(), `Works in ${where}.`]),
    inputSchema: customSchema(tool),
    // What the request does is not known: clients should ask before.
    deletes: tool.isWrite,
    action: tool.action,
  }
}

/** Returns the schema of the arguments, which says that no others are allowed. */
export function customSchema({ custom: { inputSchema } }: CustomTool): ToolSchema {
  return inputSchema ? closed(inputSchema) : { type: 'object', properties: {}, additionalProperties: false }
}

/** Objects without properties may have any. */
function closed(schema: ToolSchema): ToolSchema {
  const { properties, items } = schema
  return {
    ...schema,
    ...(items && { items: closed(items) }),
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, inner]) => [name, closed(inner)])),
      additionalProperties: false,
    }),
  }
}
