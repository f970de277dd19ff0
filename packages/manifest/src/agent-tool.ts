import type { ToolRequest } from '@mortise/providers/tool-requests'

export type ToolType = 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean'

/** The parts of JSON Schema that tools use; model APIs take all of them. */
export interface ToolSchema {
  /** With `null` if that is a value, too. */
  type?: ToolType | [ToolType, 'null']
  description?: string
  /** Contains null if the type does. */
  enum?: (string | null)[]
  format?: string
  properties?: Record<string, ToolSchema>
  required?: string[]
  /** False where absent, if there are `properties`. */
  additionalProperties?: boolean
  items?: ToolSchema
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  minProperties?: number
}

/** Returns the type of a schema besides null; undefined if it has none. */
export function toolTypeOf({ type }: ToolSchema): ToolType | undefined {
  return Array.isArray(type) ? type[0] : type
}

/** Returns a schema that takes null, too. A schema without a type takes it already. */
export function orNull(schema: ToolSchema): ToolSchema {
  const type = toolTypeOf(schema)
  if (type === undefined) return schema
  return { ...schema, type: [type, 'null'], ...(schema.enum && { enum: [...new Set([...schema.enum, null])] }) }
}

/** Who confirms calls: a person of the builder, or the user of the MCP client. Without one who can, a person does. */
export const agentConfirmations = ['approval', 'user'] as const
export type AgentConfirmation = (typeof agentConfirmations)[number]

/** A tool that the builder declares: a request to the provider, made from the arguments of an agent. */
export interface AgentTool {
  name: string
  /** What it does, for models. */
  description: string
  /** The arguments; none where absent. */
  inputSchema?: ToolSchema
  request: ToolRequest
  result?: AgentToolResult
  /** Whether it changes nothing; where absent, whether the method is GET or HEAD. */
  readOnly?: boolean
  /** Who confirms each call; nobody where absent. */
  confirm?: AgentConfirmation
  /** Overrides that of the integration. */
  dryRun?: boolean
}

/** What an agent gets of the answer. */
export interface AgentToolResult {
  /** Path of the result in the answer; the whole answer where absent. */
  path?: string
  /** Fields to keep, of the result or of each item of its list. */
  fields?: string[]
  /** Fields to leave out, at any depth. */
  hiddenFields?: string[]
  /** Fields whose values agents do not see, at any depth. */
  maskedFields?: string[]
}

export function isReadOnlyTool({ request: { method = 'GET' }, readOnly }: AgentTool): boolean {
  return readOnly ?? (method === 'GET' || method === 'HEAD')
}
