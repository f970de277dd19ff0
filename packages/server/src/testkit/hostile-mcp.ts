import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Message {
  id?: number
  method: string
  params?: Record<string, unknown>
}

/** What a server does with a message in place of a proper answer. */
export type Odd = (message: Message, response: ServerResponse, request: IncomingMessage) => void

export interface HostileMcp {
  url: string
  tools: unknown[]
  /** By method of the protocol. */
  odd: Partial<Record<string, Odd>>
  messages: Message[]
  close(): Promise<void>
}

export const echoTool = {
  name: 'echo',
  description: 'Repeats a text.',
  inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
}

/** Answers a message as JSON. */
export function sendResult(response: ServerResponse, { id }: Message, result: unknown): void {
  response.setHeader('content-type', 'application/json').end(JSON.stringify({ jsonrpc: '2.0', id, result }))
}

/** An MCP server without a library, so that it can break every rule of the protocol. */
export async function startHostileMcp(): Promise<HostileMcp> {
  const http = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => answer(JSON.parse(Buffer.concat(chunks).toString() || '{}'), request, response))
  })
  function answer(message: Message, request: IncomingMessage, response: ServerResponse): void {
    mcp.messages.push(message)
    const odd = mcp.odd[message.method]
    if (odd) odd(message, response, request)
    else if (message.id === undefined) response.writeHead(202).end()
    else sendResult(response, message, usual(message))
  }
  function usual({ method, params }: Message): unknown {
    if (method === 'initialize')
      return {
        protocolVersion: params?.['protocolVersion'],
        capabilities: { tools: {} },
        serverInfo: { name: 'hostile', version: '1' },
      }
    if (method === 'tools/list') return { tools: mcp.tools }
    return { content: [{ type: 'text', text: 'done' }] }
  }
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const mcp: HostileMcp = {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    tools: [echoTool],
    odd: {},
    messages: [],
    async close() {
      http.closeAllConnections()
      await new Promise((resolve) => http.close(resolve))
    },
  }
  return mcp
}
