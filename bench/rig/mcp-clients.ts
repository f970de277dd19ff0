import { Client } from 'undici'
import { servePart } from './part.ts'

/** Clients of the Model Context Protocol that have initialized and keep their connection, in a process of their own. */

export interface McpClients {
  /** Of the server: origin, path and query. */
  url: string
  headers: Record<string, string>
  clients: number
}

const atOnce = 20
const connected: Client[] = []

async function initialize({ url, headers, clients }: McpClients): Promise<void> {
  const { origin, pathname, search } = new URL(url)
  const send = async (client: Client, message: object, status: number) => {
    const { statusCode, body } = await client.request({
      method: 'POST',
      path: pathname + search,
      headers: { ...headers, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
    })
    const text = await body.text()
    if (statusCode !== status) throw new Error(`${url}: ${statusCode} ${text}`)
  }
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench', version: '1' } }
  const one = async () => {
    const client = new Client(origin)
    connected.push(client)
    await send(client, { id: 1, method: 'initialize', params }, 200)
    await send(client, { method: 'notifications/initialized' }, 202)
  }
  for (let left = clients; left > 0; left -= atOnce)
    await Promise.all(Array.from({ length: Math.min(atOnce, left) }, one))
}

async function disconnect(): Promise<void> {
  await Promise.all(connected.splice(0).map((client) => client.destroy()))
}

servePart({ initialize, disconnect })
