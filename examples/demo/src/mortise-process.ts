import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../../', import.meta.url))

/** A Mortise of the demo's own: what `npm start` runs, on a port and in a folder of its own. */
export interface MortiseProcess {
  url: string
  pid: number
  apiKey: string
  /** The page on which the first person creates an account; undefined once there is one. */
  firstOwnerUrl: string | undefined
  /** `kill -9`: the process, and with it its database, is gone at once. */
  kill(): Promise<void>
  /** Ctrl-C. */
  stop(): Promise<void>
}

/** Starts the service and resolves when it is ready. Rejects with what it said when it is not. */
export async function startMortise(options: {
  port: number
  dataDir: string
  providersDir: string
  /** Further settings. */
  env?: Record<string, string>
}): Promise<MortiseProcess> {
  const url = `http://localhost:${options.port}`
  const child = spawn(
    process.execPath,
    ['--conditions=mortise-source', '--disable-warning=ExperimentalWarning', join(root, 'packages/server/src/main.ts')],
    {
      env: {
        // The demo names the second of the next read.
        MORTISE_SCHEDULE_SPREAD: '0',
        ...process.env,
        PORT: String(options.port),
        MORTISE_DATA_DIR: options.dataDir,
        MORTISE_PROVIDERS_DIR: options.providersDir,
        MORTISE_LOG_LEVEL: 'error',
        DATABASE_URL: '',
        DATABASE_DIRECT_URL: '',
        MORTISE_PUBLIC_URL: '',
        MORTISE_ROLES: '',
        // The demo kills the process that works.
        MORTISE_PROCESSES: '1',
        ...options.env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  const said: string[] = []
  const ready = new Promise<void>((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        said.push(text)
        if (text.includes('Mortise is ready')) resolve()
      })
    }
  })
  const ended = once(child, 'exit').then(() => {
    throw new Error(`Mortise ended while starting:\n${said.join('')}`)
  })
  await Promise.race([ready, ended])
  ended.catch(() => undefined)
  const apiKey = (await readFile(join(options.dataDir, 'api-key'), 'utf8')).trim()
  const firstOwnerUrl = /First account, for a person: (\S+)/.exec(said.join(''))?.[1]
  return {
    url,
    pid: child.pid ?? 0,
    apiKey,
    firstOwnerUrl,
    kill: () => end(child, 'SIGKILL'),
    stop: () => end(child, 'SIGINT'),
  }
}

async function end(child: ChildProcess, signal: 'SIGKILL' | 'SIGINT'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill(signal)
  await exited
}
