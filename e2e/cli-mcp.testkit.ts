import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { onTestFinished } from 'vitest'

export const bin = fileURLToPath(new URL('../packages/cli/bin/mortise.mjs', import.meta.url))

/** An object of a manifest. */
export const object = (objectName: string) =>
  `        - {objectName: ${objectName}, destination: hook, schedule: '0 3 1 1 *'}\n`
/** A manifest with one integration. */
export const manifest = (name: string, ...objects: string[]) =>
  `specVersion: 1.0.0\nintegrations:\n  - name: ${name}\n    provider: sampleCrm\n    read:\n      objects:\n${objects.join('')}`

/** What a tool answered. */
export interface ToolAnswer {
  isError: boolean
  /** Its blocks, one after the other. */
  texts: string[]
  /** The JSON of a result that is not cut. */
  // biome-ignore lint/suspicious/noExplicitAny: the test says what is in it
  data: any
}

export interface McpClient {
  client: Client
  /** Calls a tool, as a coding agent does. */
  call(name: string, args?: Record<string, unknown>, signal?: AbortSignal): Promise<ToolAnswer>
  /** What the server wrote for people. */
  stderr(): string
}

/** Starts `mortise mcp` as a desktop client does, and connects to it with the official client. */
export async function startMcp(args: string[], env: Record<string, string>, cwd: string): Promise<McpClient> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [bin, 'mcp', ...args],
    cwd,
    env: {
      HOME: tmpdir(),
      MORTISE_CONFIG_DIR: '/nonexistent/mortise-test',
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '',
      ...env,
    },
    stderr: 'pipe',
  })
  let stderr = ''
  transport.stderr?.on('data', (chunk) => {
    stderr += String(chunk)
  })
  const client = new Client({ name: 'test', version: '1.0.0' })
  onTestFinished(() => client.close())
  await client.connect(transport)
  return {
    client,
    stderr: () => stderr,
    call: async (name, args = {}, signal) => {
      const answer = await client.callTool({ name, arguments: args }, signal && { signal })
      const texts = (answer.content as { text: string }[]).map(({ text }) => text)
      return { isError: answer.isError === true, texts, data: parsed(texts[1]) }
    },
  }
}

function parsed(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '')
  } catch {
    return undefined
  }
}
