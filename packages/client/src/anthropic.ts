import { callToolFor, listToolsFor, type ToolClient, type ToolOptions, type ToolUser } from './agent-tools.ts'

export type { ToolClient, ToolUser } from './agent-tools.ts'

/** A tool for `messages`. */
export interface AnthropicTool {
  name: string
  description: string
  input_schema: { type: 'object'; [key: string]: unknown }
}

/** A block of a message. */
interface Block {
  type: string
  id?: string
  name?: string
  input?: unknown
}

export interface AnthropicToolResult {
  type: 'tool_result'
  tool_use_id: string
  content: string
  is_error: boolean
}

/**
 * Returns the tools of a group for `messages`.
 *
 * @throws MortiseProblem, MortiseUnreachable
 */
export async function anthropicTools(
  mortise: ToolClient,
  user: ToolUser,
  options?: ToolOptions,
): Promise<AnthropicTool[]> {
  const tools = await listToolsFor(mortise, user, options)
  return tools.map(({ name, description, inputSchema }) => ({
    name,
    description,
    input_schema: { ...inputSchema, type: 'object' },
  }))
}

/**
 * Runs the calls of a message. Returns a block for each, in their order: the content of your next message.
 *
 * @throws MortiseProblem if the credential is refused or the service fails; MortiseUnreachable
 */
export function runAnthropicCalls(
  mortise: ToolClient,
  user: ToolUser,
  { content: blocks }: { content: readonly Block[] },
  options?: ToolOptions,
): Promise<AnthropicToolResult[]> {
  const calls = blocks.filter(({ type }) => type === 'tool_use')
  return Promise.all(
    calls.map(async ({ id = '', name = '', input: args }): Promise<AnthropicToolResult> => {
      const { isError, content } = await callToolFor(mortise, user, { name, args }, options)
      return { type: 'tool_result', tool_use_id: id, content: JSON.stringify(content), is_error: isError }
    }),
  )
}
