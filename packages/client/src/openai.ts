import { callToolFor, listToolsFor, type ToolClient, type ToolOptions, type ToolUser } from './agent-tools.ts'

export type { ToolClient, ToolUser } from './agent-tools.ts'

type Schema = Record<string, unknown>

/** A tool for `chat.completions`. */
export interface OpenAiChatTool {
  type: 'function'
  function: { name: string; description: string; parameters: Schema }
}

/** A tool for `responses`. */
export interface OpenAiResponsesTool {
  type: 'function'
  name: string
  description: string
  parameters: Schema
  /** The schemas have optional arguments, which strict mode does not allow. */
  strict: false
}

/** A part of a message of `chat.completions`. */
interface ChatToolCall {
  id: string
  type: string
  function?: { name: string; arguments: string }
}

/** An item of the output of `responses`. */
interface OutputItem {
  type: string
  name?: string | null
  arguments?: unknown
  call_id?: string | null
}

export interface OpenAiToolMessage {
  role: 'tool'
  tool_call_id: string
  content: string
}

export interface OpenAiCallOutput {
  type: 'function_call_output'
  call_id: string
  output: string
}

/**
 * Returns the tools of a group for `chat.completions`.
 *
 * @throws MortiseProblem, MortiseUnreachable
 */
export async function openAiChatTools(
  mortise: ToolClient,
  user: ToolUser,
  options?: ToolOptions,
): Promise<OpenAiChatTool[]> {
  const tools = await listToolsFor(mortise, user, options)
  return tools.map(({ name, description, inputSchema: parameters }) => ({
    type: 'function',
    function: { name, description, parameters },
  }))
}

/**
 * Runs the calls of a message of `chat.completions`. Returns a message for each, in their order.
 *
 * @throws MortiseProblem if the credential is refused or the service fails; MortiseUnreachable
 */
export function runOpenAiChatCalls(
  mortise: ToolClient,
  user: ToolUser,
  { tool_calls }: { tool_calls?: readonly ChatToolCall[] | null },
  options?: ToolOptions,
): Promise<OpenAiToolMessage[]> {
  return Promise.all(
    (tool_calls ?? []).map(async ({ id, function: called }): Promise<OpenAiToolMessage> => {
      const call = { name: called?.name ?? '', args: called?.arguments }
      const { content } = await callToolFor(mortise, user, call, options)
      return { role: 'tool', tool_call_id: id, content: JSON.stringify(content) }
    }),
  )
}

/**
 * Returns the tools of a group for `responses`.
 *
 * @throws MortiseProblem, MortiseUnreachable
 */
export async function openAiResponsesTools(
  mortise: ToolClient,
  user: ToolUser,
  options?: ToolOptions,
): Promise<OpenAiResponsesTool[]> {
  const tools = await listToolsFor(mortise, user, options)
  return tools.map(({ name, description, inputSchema: parameters }) => ({
    type: 'function',
    name,
    description,
    parameters,
    strict: false,
  }))
}

/**
 * Runs the calls in the output of `responses`. Returns an item of input for each, in their order.
 *
 * @throws MortiseProblem if the credential is refused or the service fails; MortiseUnreachable
 */
export function runOpenAiResponsesCalls(
  mortise: ToolClient,
  user: ToolUser,
  { output }: { output: readonly OutputItem[] },
  options?: ToolOptions,
): Promise<OpenAiCallOutput[]> {
  const calls = output.filter(({ type }) => type === 'function_call')
  return Promise.all(
    calls.map(async ({ name, arguments: args, call_id }): Promise<OpenAiCallOutput> => {
      const id = call_id ?? ''
      const { content } = await callToolFor(mortise, user, { name: name ?? '', args }, options)
      return { type: 'function_call_output', call_id: id, output: JSON.stringify(content) }
    }),
  )
}
