import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Terminal } from '../terminal/terminal.ts'
import { type Child, startChild } from './child.ts'
import type { PrintLine } from './print-line.ts'

const folder = new URL('../../../../examples/sample-crm/', import.meta.url)

export interface DevCrm extends Child {
  url: string
  apiKey: string
}

/** Folder with the provider file of the sample CRM; undefined outside a checkout, which alone has it. */
export function sampleCrmProviders(): string | undefined {
  const providers = fileURLToPath(new URL('providers', folder))
  return existsSync(providers) ? providers : undefined
}

/** Starts the sample CRM: something to read from without an account anywhere. */
export async function startCrm(port: number, { env, cwd }: Terminal, printLine: PrintLine): Promise<DevCrm> {
  const apiKey = 'demo-key'
  const child = await startChild({
    file: fileURLToPath(new URL('src/main.ts', folder)),
    args: ['--port', String(port), '--host', '127.0.0.1', '--api-key', apiKey, '--contacts', '500'],
    cwd,
    env,
    ready: /^sample CRM on/,
    line: (line) => printLine('crm', line),
  })
  return { ...child, url: `http://127.0.0.1:${port}`, apiKey }
}
