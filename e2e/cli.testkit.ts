import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

const bin = fileURLToPath(new URL('../packages/cli/bin/mortise.mjs', import.meta.url))

export interface RunningCommand {
  child: ChildProcess
  /** What it has printed so far. */
  output: { stdout: string; stderr: string }
  /** Waits until the text is printed, on either stream; answers the match. */
  printed(text: RegExp): Promise<RegExpMatchArray>
  /** How it ended. */
  done: Promise<{ code: number | null; stdout: string; stderr: string }>
}

/** Runs the command as somebody does who has installed it: a process of its own, with pipes for a terminal. */
export function startMortise(argv: string[], env: Record<string, string> = {}, stdin?: string): RunningCommand {
  const child = spawn(process.execPath, [bin, ...argv], {
    env: { ...pickEnv('PATH', 'NODE_COMPILE_CACHE', 'MORTISE_CACHE_DIR'), HOME: tmpdir(), ...env },
    cwd: env['PWD'] ?? tmpdir(),
    // A group of its own, so that Ctrl-C reaches it as a terminal would send it: to every process of it.
    detached: true,
  })
  const output = { stdout: '', stderr: '' }
  const watching = new Set<() => void>()
  for (const name of ['stdout', 'stderr'] as const)
    child[name].on('data', (chunk) => {
      output[name] += String(chunk)
      for (const look of watching) look()
    })
  child.stdin.end(stdin ?? '')
  const done = new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) =>
    child.on('close', (code) => resolve({ code, ...output })),
  )
  onTestFinished(async () => {
    if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid!, 'SIGKILL')
    await done
  })
  return {
    child,
    output,
    done,
    printed: (text) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const found = text.exec(output.stdout) ?? text.exec(output.stderr)
          if (!found) return
          watching.delete(look)
          resolve(found)
        }
        watching.add(look)
        look()
        void done.then(({ code }) => reject(new Error(`it ended with ${code}: ${JSON.stringify(output)}`)))
      }),
  }
}

/** Runs the command to its end. */
export async function mortise(argv: string[], env: Record<string, string> = {}, stdin?: string) {
  return await startMortise(argv, env, stdin).done
}

/** Ctrl-C: the signal goes to all processes of the terminal. */
export function interrupt({ child }: RunningCommand): void {
  process.kill(-child.pid!, 'SIGINT')
}

/** A folder for one test. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'mortise-cli-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** What a process of a test has in common with those of others. */
function pickEnv(...names: string[]): NodeJS.ProcessEnv {
  return Object.fromEntries(names.map((name) => [name, process.env[name]]))
}
