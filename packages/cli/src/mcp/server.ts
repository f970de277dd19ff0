import { type CallToolResult, Server } from '@modelcontextprotocol/server'
import { printable } from '../terminal/printable.ts'
import { UsageError } from '../usage-error.ts'
import type { ToolResult } from './results.ts'
import type { Tool, ToolCall } from './tool.ts'

/** Of a call, with all its requests to the service. Clients wait for a minute. */
const callMs = 55_000

export interface ServerOptions {
  tools: readonly Tool[]
  allowWrites: boolean
  version: string
  /** What the agent reads first. */
  instructions: (allowWrites: boolean) => string
  /** Returns why a tool that changes things is not there. */
  refused: (name: string) => string
  /** Returns what the agent sees of an error: what went wrong, and what to do about it. */
  explain: (error: Error) => ToolResult
  /** What calls work with, except their signal. */
  call: Omit<ToolCall, 'signal'>
  /** Aborts when the server ends. */
  ending: AbortSignal
}

/** Returns an MCP server with the tools, for one client. */
export function createServer(options: ServerOptions): Server {
  const { tools, allowWrites, version, instructions, explain, call, ending } = options
  const server = new Server(
    { name: 'mortise', title: 'Mortise', version },
    { capabilities: { tools: {} }, instructions: instructions(allowWrites) },
  )
  const offered = tools.filter(({ effect }) => allowWrites || effect === 'read')
  server.setRequestHandler('tools/list', () => ({ tools: offered.map(listed) }))
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq: { signal } }) => {
    const timeout = AbortSignal.timeout(callMs)
    const until = AbortSignal.any([signal, ending, timeout])
    try {
      const tool = find(params.name, offered, options)
      return shown(await tool.call(params.arguments, { ...call, signal: until }))
    } catch (error) {
      return shown(explain(timeout.aborted ? new UsageError(slow) : (error as Error)))
    }
  })
  return server
}

const slow = `There was no result within ${callMs / 1_000} seconds. Ask for less, or try again in a moment.`

function find(name: string, offered: Tool[], { tools, refused }: ServerOptions): Tool {
  const found = offered.find((tool) => tool.name === name)
  if (found) return found
  if (tools.some((tool) => tool.name === name)) throw new UsageError(refused(name))
  throw new UsageError(`There is no tool ${name}. There are: ${offered.map((tool) => tool.name).join(', ')}.`)
}

function listed({ name, title, description, inputSchema, effect, isIdempotent, isOffline }: Tool) {
  return {
    name,
    title,
    description,
    inputSchema,
    annotations: {
      title,
      readOnlyHint: effect === 'read',
      destructiveHint: effect === 'destroy',
      idempotentHint: effect === 'read' || isIdempotent === true,
      openWorldHint: isOffline !== true,
    },
  }
}

function shown({ texts, isError }: ToolResult): CallToolResult {
  const content = texts.map((text) => ({ type: 'text' as const, text: printable(text) }))
  return isError ? { content, isError } : { content }
}
