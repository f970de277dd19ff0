import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { freePort } from '../packages/server/src/testkit/free-port.ts'

export { freePort }

const root = fileURLToPath(new URL('../', import.meta.url))

/** A process of the service as `npm start` runs it, from its source. */
export interface MortiseProcess {
  child: ChildProcess
  url: string
  /** All that it has written so far. */
  output(): string
  /** Calls an operation with the project's key. */
  call<T = Record<string, unknown>>(method: string, path: string, body?: unknown): Promise<{ status: number; body: T }>
  /** Sends a signal and resolves with the exit code (null when the signal ended it). */
  end(signal: 'SIGINT' | 'SIGTERM' | 'SIGKILL'): Promise<number | null>
}

const running = new Set<ChildProcess>()

/**
 * Starts the service; resolves when it says that it is ready. Rejects with its output when it ends before.
 *
 * @param options `program`: its bundle, instead of its source; `cwd`: the folder of another release
 */
export async function startMortise(
  env: Record<string, string>,
  options: { args?: string[]; apiKey?: () => Promise<string>; program?: string; cwd?: string } = {},
): Promise<MortiseProcess> {
  const port = env['PORT'] ?? String(await freePort())
  const child = spawn(
    process.execPath,
    [
      '--conditions=mortise-source',
      '--disable-warning=ExperimentalWarning',
      options.program ?? 'packages/server/src/main.ts',
      ...(options.args ?? []),
    ],
    {
      cwd: options.cwd ?? root,
      env: {
        PATH: process.env['PATH'] ?? '',
        NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '',
        MORTISE_CACHE_DIR: process.env['MORTISE_CACHE_DIR'] ?? '',
        PORT: port,
        MORTISE_LOG_LEVEL: 'warn',
        // The same on every machine.
        MORTISE_PROCESSES: '1',
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  running.add(child)
  let text = ''
  const ready = new Promise<void>((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk
        if (text.includes('Mortise is ready')) resolve()
      })
    }
  })
  const exited = once(child, 'exit').then(([code]) => {
    running.delete(child)
    return code as number | null
  })
  const endedEarly = once(child, 'close').then(([code]) => {
    throw new MortiseEnded(text, code as number | null)
  })
  await Promise.race([ready, endedEarly])
  endedEarly.catch(() => undefined)
  const url = `http://localhost:${port}`
  return {
    child,
    url,
    output: () => text,
    async call(method, path, body) {
      const answer = await fetch(`${url}${path}`, {
        method,
        headers: {
          ...(options.apiKey && { 'X-Api-Key': await options.apiKey() }),
          ...(body !== undefined && { 'Content-Type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      const answered = await answer.text()
      return { status: answer.status, body: answered === '' ? undefined : JSON.parse(answered) }
    },
    end(signal) {
      child.kill(signal)
      return exited
    },
  }
}

/** The service ended before it was ready. The message is what it said. */
export class MortiseEnded extends Error {
  readonly code: number | null
  constructor(output: string, code: number | null) {
    super(output)
    this.code = code
  }
}

/** Ends what a failed test left running. */
export async function endAll(): Promise<void> {
  await Promise.all(
    [...running].map(async (child) => {
      const exited = once(child, 'exit')
      child.kill('SIGKILL')
      await exited
    }),
  )
}
