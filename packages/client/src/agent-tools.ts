import type { Client } from './client.ts'
import type { Input, Output } from './operation-types.ts'
import { MortiseProblem } from './problem.ts'

/** A client as far as tools need it. */
export type ToolClient = Pick<Client, 'listTools' | 'callTool'>

/** Whose accounts the agent uses. With a consumer token, leave out `groupRef` and `consumerRef`. */
export interface ToolUser {
  /** Your id of the group. */
  groupRef?: string
  /** Your id of the person whom the agent works for. */
  consumerRef?: string
  /** Name of the agent, for the log. */
  agent?: string
}

export interface ToolOptions {
  /** Ends the requests. */
  signal?: AbortSignal
}

export type ListedTool = Output<'listTools'>[number]

/** What a model gets for its call. */
export interface ToolResult {
  isError: boolean
  content: Record<string, unknown>
}

/**
 * Lists the tools of a group.
 *
 * @throws MortiseProblem, MortiseUnreachable
 */
export function listToolsFor(
  mortise: ToolClient,
  { groupRef, consumerRef }: ToolUser,
  { signal }: ToolOptions = {},
): Promise<ListedTool[]> {
  const query = { ...(groupRef !== undefined && { groupRef }), ...(consumerRef !== undefined && { consumerRef }) }
  return mortise.listTools({ query }, signal && { signal })
}

/**
 * Calls a tool as a model asks. What the model can act on is a result: an unknown tool, arguments that are not JSON,
 * and every error of the tool.
 *
 * @param args as the model wrote them: an object, or its JSON
 * @throws MortiseProblem if the credential is refused or the service fails; MortiseUnreachable
 */
export async function callToolFor(
  mortise: ToolClient,
  user: ToolUser,
  { name, args }: { name: string; args: unknown },
  { signal }: ToolOptions = {},
): Promise<ToolResult> {
  const given = parsed(args)
  if (given === undefined) return failed('arguments_refused', 'The arguments are not a JSON object. Write them again.')
  // The name is a part of the path, and a model may invent one.
  if (!/^[a-zA-Z0-9_-]{1,64}$/.test(name)) return failed('tool_not_found', 'There is no tool of this name.')
  const body: Input<'callTool'>['body'] = { ...user, arguments: given }
  try {
    const { isError, content } = await mortise.callTool({ toolName: name, body }, signal && { signal })
    return { isError, content }
  } catch (error) {
    if (!(error instanceof MortiseProblem)) throw error
    if (error.code === 'tool-not-found') return failed('tool_not_found', error.message)
    if (error.code === 'invalid-input')
      return failed('arguments_refused', error.issues.map(({ detail }) => detail).join(' ') || error.message)
    throw error
  }
}

function failed(code: string, message: string): ToolResult {
  return { isError: true, content: { error: { code, message } } }
}

/** Returns the arguments; undefined if they are not an object. Models write nothing for none. */
function parsed(args: unknown): Record<string, unknown> | undefined {
  let value = args
  if (typeof args === 'string') {
    if (args.trim() === '') return {}
    try {
      value = JSON.parse(args)
    } catch {
      return undefined
    }
  }
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject ? (value as Record<string, unknown>) : value === undefined || value === null ? {} : undefined
}
