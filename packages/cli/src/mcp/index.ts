import { resolve } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import { createClient } from '@mortise/client'
import type { CatalogueFault, FileToCheck } from '@mortise/providers/check'
import { connectTo } from '../service/connect.ts'
import { readSettings, type ServiceOptions } from '../service/settings.ts'
import { printable } from '../terminal/print.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { ofComputer } from './of-computer.ts'
import { createServer } from './server.ts'
import { tools } from './tools/index.ts'

export interface McpOptions extends ServiceOptions {
  allowWrites?: boolean
  showRecords?: boolean
  folder?: string
}

/**
 * Serves the tools on standard input and output until the input ends. Calls that still run then are aborted. The
 * credential is read with each call, so that a sign-in needs no restart.
 */
export async function serveMcp(
  { allowWrites = false, showRecords = false, folder = '.', ...options }: McpOptions,
  terminal: Terminal,
): Promise<void> {
  const { stdin, stdout, stderr, signal } = terminal
  const ending = new AbortController()
  const settings = () => readSettings(options, terminal)
  const call = {
    showRecords,
    connect: async () => (await connectTo(options, terminal)).mortise,
    connectAnonymously: async () =>
      createClient({ baseUrl: (await settings()).url, headers: { 'x-mortise-client': 'cli' } }),
    checkProviderFile,
    computer: { terminal, folder: resolve(terminal.cwd, folder), settings },
  }
  const closed = new Promise<void>((done) => {
    const close = () => {
      ending.abort(new Error('The server has ended.'))
      void served.close().then(done, done)
    }
    stdin.once('end', close).once('close', close)
    signal.addEventListener('abort', close, { once: true })
  })
  const served = serveStdio(() => createServer({ tools, allowWrites, ending: ending.signal, call, ...ofComputer }), {
    transport: new StdioServerTransport(stdin as Readable, stdout as Writable),
    onerror: ({ message }) => stderr.write(`mortise mcp: ${printable(message)}\n`),
  })
  if (terminal.interactive)
    stderr.write(
      `This is a server for programs that speak the Model Context Protocol, such as a coding agent. Ctrl-C ends it.\n`,
    )
  await closed
  signal.throwIfAborted()
}

async function checkProviderFile(file: FileToCheck): Promise<CatalogueFault[]> {
  const { checkProviderFiles } = await import('@mortise/providers/check')
  const { builtInFiles } = await import('../provider-checking/built-in-files.ts')
  return checkProviderFiles([file], await builtInFiles())
}
