import type { Confinement } from '../../../kernel/http/index.ts'
import {
  type AvailableTool,
  approvalResultTool,
  availableTools,
  callTool,
  defineTools,
  type ToolAnswer,
  type ToolContext,
  type ToolDefinition,
  type ToolRequest,
} from '../tools/index.ts'
import { findMatching } from './find-matching.ts'

/** Groups with more tools find them with a tool: a model reads all definitions with each request. */
export const listedMax = 40
const foundMax = 10

export type ListedTool = Pick<ToolDefinition, 'name' | 'description' | 'inputSchema' | 'readOnly'> & {
  deletes?: boolean
}

const findTool: ListedTool = {
  name: 'find_tools',
  description:
    'Finds tools by words, such as “create contact”. Returns their names, descriptions and schemas. Then call one with call_tool.',
  inputSchema: {
    type: 'object',
    properties: { query: { type: 'string', minLength: 1, maxLength: 200, description: 'Words to look for.' } },
    required: ['query'],
    additionalProperties: false,
  },
  readOnly: true,
}

const callFoundTool: ListedTool = {
  name: 'call_tool',
  description: 'Calls a tool that find_tools returned.',
  inputSchema: {
    type: 'object',
    properties: {
      name: { type: 'string', maxLength: 64, description: 'Name of the tool.' },
      arguments: { type: 'object', description: 'Arguments, as the schema of the tool says.' },
    },
    required: ['name', 'arguments'],
    additionalProperties: false,
  },
  readOnly: false,
}

/** Whose tools a request has. */
export interface ToolUser extends Omit<ToolRequest, 'name' | 'arguments'> {
  confinedTo: Confinement | undefined
}

/** Returns the tools to list: those of the group, or two that find and call them if there are many. */
export async function listedTools(context: ToolContext, user: ToolUser): Promise<ListedTool[]> {
  const available = await availableTools(context, user.groupRef, user.confinedTo)
  const more = available.some(({ tool }) => tool.needsApproval) ? [approvalResultTool] : []
  if (available.length > listedMax) return [findTool, callFoundTool, ...more]
  return [...(await definitionsOf(context, available)), ...more]
}

export async function definitionsOf(context: ToolContext, available: readonly AvailableTool[]): Promise<ListedTool[]> {
  const definitions = await defineTools(context, available)
  return definitions.map(({ name, description, inputSchema, readOnly, deletes }) => ({
    name,
    description,
    inputSchema,
    readOnly,
    deletes,
  }))
}

/** @throws ToolNotFound */
export async function callListedTool(
  context: ToolContext,
  { confinedTo, ...user }: ToolUser,
  name: string,
  args: Record<string, unknown>,
): Promise<ToolAnswer> {
  if (name === findTool.name) return { isError: false, content: await find(context, { confinedTo, ...user }, args) }
  if (name !== callFoundTool.name) return await callTool(context, { ...user, name, arguments: args })
  const { name: found, arguments: given } = args
  // No questions through `call_tool`: a question belongs to a tool that the client knows. An answer is only compared.
  const { confirmation } = user
  const inner = typeof given === 'object' && given !== null && !Array.isArray(given) ? given : {}
  return await callTool(context, {
    ...user,
    confirmation: confirmation?.state === undefined ? undefined : confirmation,
    name: typeof found === 'string' ? found : '',
    arguments: inner as Record<string, unknown>,
  })
}

async function find(context: ToolContext, user: ToolUser, { query }: Record<string, unknown>) {
  const available = await availableTools(context, user.groupRef, user.confinedTo)
  const words = typeof query === 'string' ? query.slice(0, 200) : ''
  const found = findMatching(available, words, foundMax)
  const definitions = await definitionsOf(context, found)
  return {
    tools: definitions.map(({ name, description, inputSchema }) => ({ name, description, inputSchema })),
    message:
      found.length === 0 ? `No tool has these words. There are ${available.length} tools.` : 'Call one with call_tool.',
  }
}
