import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Terminal } from '../terminal/terminal.ts'
import { type Child, startChild } from './child.ts'
import type { PrintLine } from './print-line.ts'

export interface DevService extends Child {
  url: string
  apiKey: string
}

/** The service's own program: in a checkout its source, else that of the package. */
function serviceProgram(): string {
  try {
    const file = fileURLToPath(import.meta.resolve('@mortise/server/main'))
    if (existsSync(file)) return file
  } catch {
    // The error below is the same, whichever part is missing.
  }
  throw new Error(
    'mortise dev runs the service, which is not installed with this command. Run it in a checkout: node packages/cli/bin/mortise.mjs dev.',
  )
}

/** Starts a service with an embedded database in a data folder, for this computer alone. */
export async function startService(
  options: { port: number; dataDir: string; providersDirs: string[] },
  { env, cwd }: Terminal,
  printLine: PrintLine,
): Promise<DevService> {
  const { port, dataDir, providersDirs } = options
  const keyFile = join(dataDir, 'api-key')
  // Without its file nobody here knows the key of a database that is there already.
  const args = existsSync(join(dataDir, 'encryption-key')) && !existsSync(keyFile) ? ['--new-key'] : []
  let ready = false
  const child = await startChild({
    file: serviceProgram(),
    args,
    cwd,
    env: {
      MORTISE_LOG_LEVEL: 'warn',
      ...env,
      PORT: String(port),
      MORTISE_DATA_DIR: dataDir,
      MORTISE_PROVIDERS_DIR: [...providersDirs, env['MORTISE_PROVIDERS_DIR']].filter(Boolean).join(':'),
      // Embedded, reachable here, and everything in one process, whatever the shell is set up for.
      DATABASE_URL: '',
      DATABASE_DIRECT_URL: '',
      MORTISE_HOST: '',
      MORTISE_PUBLIC_URL: '',
      MORTISE_ROLES: '',
    },
    ready: /^Mortise is ready/,
    line(line) {
      const logged = logLine(line)
      if (logged !== undefined) printLine('service', logged)
      // Its other announcements contain a key. This command prints its own.
      else if (ready && !/^\s|:/.test(line)) printLine('service', line)
      ready ||= line.startsWith('Mortise is ready')
    },
  })
  return { ...child, url: `http://localhost:${port}`, apiKey: (await readFile(keyFile, 'utf8')).trim() }
}

/** A line of the service's log in words; undefined for any other line. */
function logLine(line: string): string | undefined {
  try {
    const { msg, err, fault } = JSON.parse(line) as { msg?: string; err?: { message?: string }; fault?: unknown }
    const more = err?.message ?? (fault === undefined ? undefined : JSON.stringify(fault))
    return more ? `${msg ?? ''}: ${more}` : msg
  } catch {
    return undefined
  }
}
