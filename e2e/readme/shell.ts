import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { open } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'

/** A shell as a person has it: what one line sets or starts is there for the next. */
export interface Shell extends AsyncDisposable {
  /** Runs one line; its exit status, and what was written meanwhile. @throws Error when it takes longer. */
  run(line: string, timeoutMs: number): Promise<{ status: number; output: string }>
}

const pollMs = 20
const endMs = 20_000

/**
 * Starts bash. Output goes to a file, because `/dev/stderr` and background jobs need one that stays; the shell and all
 * that it started are one process group, and end with it.
 */
export async function startShell(options: {
  folder: string
  env: Record<string, string>
  log: string
}): Promise<Shell> {
  const file = await open(options.log, 'a+')
  const bash = spawn('bash', ['--norc'], {
    cwd: options.folder,
    env: { ...process.env, ...options.env },
    stdio: ['pipe', file.fd, file.fd],
    detached: true,
  })
  const { stdin } = bash
  if (!stdin) throw new Error('bash has no standard input')
  let isOver = false
  const ended = once(bash, 'exit').then(() => {
    isOver = true
  })
  stdin.on('error', () => {
    isOver = true
  })
  stdin.write('set -o pipefail\n')
  let seen = 0
  let count = 0

  async function outputSince(): Promise<string> {
    const { size } = await file.stat()
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size - seen), 0, size - seen, seen)
    return buffer.subarray(0, bytesRead).toString()
  }

  return {
    async run(line, timeoutMs) {
      const mark = `---line ${++count} ended with`
      stdin.write(`${line}\nprintf '\\n${mark} %s\\n' $?\n`)
      const until = performance.now() + timeoutMs
      for (;;) {
        const output = await outputSince()
        const end = new RegExp(`^${mark} (\\d+)\\n`, 'm').exec(output)
        if (end) {
          seen += Buffer.byteLength(output.slice(0, end.index + end[0].length))
          return { status: Number(end[1]), output: output.slice(0, end.index) }
        }
        if (isOver || performance.now() > until)
          throw new Error(
            `${isOver ? 'the shell ended in' : `${timeoutMs} ms were not enough for`}: ${line}\n${output}`,
          )
        await delay(pollMs)
      }
    },
    async [Symbol.asyncDispose]() {
      stdin.end()
      const group = -(bash.pid ?? 0)
      // A line that failed leaves its servers running: they get time to end by themselves.
      for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
        if (!isAlive(group)) break
        process.kill(group, signal)
        const givenUpAt = performance.now() + endMs
        while (isAlive(group) && performance.now() < givenUpAt) await delay(pollMs)
      }
      await ended
      await file.close()
    },
  }
}

function isAlive(group: number): boolean {
  try {
    return process.kill(group, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false
    throw error
  }
}
