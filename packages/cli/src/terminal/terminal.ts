import picocolors from 'picocolors'
import { Interrupted } from './interrupted.ts'
import { promptQuestions, type Questions } from './questions.ts'

export { Interrupted }

type Colors = ReturnType<typeof picocolors.createColors>

/** Everything that a command has of the process it runs in; tests give it another. */
export interface Terminal {
  /** Data: what a pipe is for. */
  stdout: NodeJS.WritableStream
  /** Messages, questions and progress. */
  stderr: NodeJS.WritableStream
  stdin: NodeJS.ReadableStream
  env: Record<string, string | undefined>
  cwd: string
  /** A person uses the terminal: commands may ask questions and show progress. */
  interactive: boolean
  /** Colors of the two streams; off if they are not terminals. */
  out: Colors
  err: Colors
  /** Questions; ask only where `interactive`. */
  ask: Questions
  /** Opens a page in the browser of the person at the terminal. @throws when there is no browser to open */
  browse(url: string): Promise<void>
  /** Ends what runs: Ctrl-C. */
  signal: AbortSignal
}

/** The terminal of this process. */
export function processTerminal(): Terminal {
  const { stdout, stderr, stdin, env } = process
  const controller = new AbortController()
  // The first signal stops the command in order, the second one immediately.
  process.once('SIGINT', () => controller.abort(new Interrupted()))
  process.once('SIGTERM', () => controller.abort(new Interrupted()))
  // The reader of a pipe went away, as `head` does.
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0)
    throw error
  })
  return {
    stdout,
    stderr,
    stdin,
    env,
    cwd: process.cwd(),
    interactive: stdin.isTTY === true && stderr.isTTY === true && env['CI'] === undefined,
    out: picocolors.createColors(colourful(stdout, env)),
    err: picocolors.createColors(colourful(stderr, env)),
    ask: promptQuestions({ input: stdin, output: stderr, signal: controller.signal }),
    browse: async (url) => {
      const { default: open } = await import('open')
      const child = await open(url)
      // That no browser could be started shows later, and must not end the command: the address is printed as well.
      child.on('error', () => {})
    },
    signal: controller.signal,
  }
}

/** https://no-color.org and https://force-color.org; otherwise, only terminals get colors. */
function colourful(stream: { isTTY?: boolean }, env: Record<string, string | undefined>): boolean {
  if (env['NO_COLOR']) return false
  if (env['FORCE_COLOR'] && env['FORCE_COLOR'] !== '0') return true
  return stream.isTTY === true && env['TERM'] !== 'dumb'
}
