import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'

/** Debian's user of web servers, with the same number everywhere (base-passwd). */
export const webUserId = 33

/**
 * Programs run as the web user, never as root, and the kernel ends them should this process die without stopping them.
 */
function spawnAsWebUser(command: string, args: readonly string[], options: SpawnOptions): ChildProcess {
  const asWebUser = ['--reuid=www-data', '--regid=www-data', '--init-groups', '--pdeathsig=KILL', '--']
  return spawn('setpriv', [...asWebUser, command, ...args], { cwd: '/', ...options })
}

export interface RunOptions {
  input?: string
  timeoutMs?: number
}

/**
 * Runs a program to its end.
 *
 * @returns what it printed
 * @throws Error with all of its output when it fails or takes longer than `timeoutMs` (30 s unless set)
 */
export async function run(command: string, args: readonly string[], options: RunOptions = {}): Promise<string> {
  const { input = '', timeoutMs = 30_000 } = options
  const child = spawnAsWebUser(command, args, { timeout: timeoutMs, killSignal: 'SIGKILL' })
  const ended = once(child, 'close')
  // A program that ends before it has read its input breaks the pipe; its exit code says what matters.
  child.stdin!.on('error', () => undefined).end(input)
  const [stdout, stderr] = await Promise.all([text(child.stdout!), text(child.stderr!), ended])
  if (child.exitCode !== 0) {
    throw new Error(`${command} ended with ${child.exitCode ?? child.signalCode}:\n${stdout}${stderr}`)
  }
  return stdout
}

export interface Surroundings {
  /** The folder that it runs in; the root when absent. */
  cwd?: string
  /** Variables besides this process's own. */
  env?: Record<string, string>
}

/** A program that runs until it is stopped. */
export interface Server extends AsyncDisposable {
  /** @throws Error with its output when it has ended by itself */
  assertRunning(): void
}

/** Starts a program that serves. Nothing of it needs saving, so that it is ended at once, not asked to end. */
export async function startServer(
  command: string,
  args: readonly string[],
  { cwd = '/', env = {} }: Surroundings = {},
): Promise<Server> {
  const child = spawnAsWebUser(command, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(child, 'close')
  let output = ''
  for (const stream of [child.stdout!, child.stderr!]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      output = (output + chunk).slice(-10_000)
    })
  }
  await once(child, 'spawn')
  return {
    assertRunning() {
      if (child.exitCode === null && child.signalCode === null) return
      throw new Error(`${command} ended with ${child.exitCode ?? child.signalCode}:\n${output}`)
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await ended
    },
  }
}
