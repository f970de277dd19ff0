import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

/** A program that runs for as long as this one. */
export interface Child {
  /** Resolves when it has ended. */
  exited: Promise<void>
  /** Asks it to end in order, and waits until it has. */
  end(): Promise<void>
}

/** The program ended, or was stopped, before it was ready. */
export class ChildEnded extends Error {
  override readonly name = 'ChildEnded'
}

/** Longer than the service gives what is under way. */
const endMostMs = 30_000
const linesKept = 20

/** However this process ends, its channel to the program closes. The program then stops as after SIGTERM. */
const endWithParent =
  'data:text/javascript,process.on("disconnect",()=>process.kill(process.pid,"SIGTERM"));process.channel?.unref()'

/**
 * Starts a Node program, and resolves when it has printed `ready`. It runs in a separate process group: Ctrl-C reaches
 * this process only, which then stops everything in order.
 *
 * @throws ChildEnded with its last lines when it ends before that
 */
export async function startChild(options: {
  file: string
  args?: string[]
  env: Record<string, string | undefined>
  cwd: string
  ready: RegExp
  line: (line: string) => void
}): Promise<Child> {
  const { file, args = [], env, cwd, ready, line } = options
  const child = spawn(process.execPath, [...process.execArgv, `--import=${endWithParent}`, file, ...args], {
    cwd,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  const last: string[] = []
  const isReady = new Promise<void>((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      if (stream === null) continue
      createInterface({ input: stream }).on('line', (text) => {
        if (last.push(text) > linesKept) last.shift()
        line(text)
        if (ready.test(text)) resolve()
      })
    }
  })
  const exited = once(child, 'close').then(() => undefined)
  const early = exited.then(() => {
    throw new ChildEnded(last.join('\n') || 'It ended without output.')
  })
  early.catch(() => undefined)
  const end = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGTERM')
    const kill = setTimeout(() => child.kill('SIGKILL'), endMostMs)
    await exited
    clearTimeout(kill)
  }
  await Promise.race([isReady, early])
  return { exited, end }
}
