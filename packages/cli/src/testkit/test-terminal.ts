import { Readable, Writable } from 'node:stream'
import picocolors from 'picocolors'
import type { Choice, Questions } from '../terminal/questions.ts'
import { Interrupted, type Terminal } from '../terminal/terminal.ts'

/** An answer to the next question; `undefined` walks away as Ctrl-C does. */
export type Answer = string | boolean | string[] | undefined

export interface TestTerminal extends Terminal {
  /** What was printed so far. */
  output(): { stdout: string; stderr: string }
  /** Questions so far, in order, with their choices. */
  asked: { message: string; choices?: Choice[] }[]
  /** Ctrl-C. */
  interrupt(): void
}

/** A terminal for tests. With `answers` somebody sits in front of it and gives them one after the other. */
export function testTerminal(
  options: {
    env?: Record<string, string>
    cwd?: string
    stdin?: string
    answers?: Answer[]
    colors?: boolean
    browse?: (url: string) => Promise<void>
  } = {},
): TestTerminal {
  const printed = { stdout: '', stderr: '' }
  const stream = (name: keyof typeof printed) =>
    new Writable({
      write(chunk, _encoding, done) {
        printed[name] += String(chunk)
        done()
      },
    })
  const controller = new AbortController()
  const answers = [...(options.answers ?? [])]
  const asked: TestTerminal['asked'] = []
  const next = async <T extends Answer>(message: string, choices?: Choice[]): Promise<T> => {
    asked.push({ message, ...(choices && { choices }) })
    if (answers.length === 0) throw new Error(`nobody expected the question “${message}”`)
    const answer = answers.shift()
    if (answer === undefined) throw new Interrupted()
    const wanted = Array.isArray(answer) ? answer : [answer]
    for (const value of choices ? wanted : [])
      if (!choices?.some((choice) => choice.value === value)) throw new Error(`“${value}” is no choice of “${message}”`)
    return answer as T
  }
  const ask: Questions = {
    confirm: (message) => next<boolean>(message),
    text: async (message, { validate } = {}) => {
      const answer = await next<string>(message)
      const fault = validate?.(answer)
      if (fault !== undefined) throw new Error(`“${answer}” is refused: ${fault}`)
      return answer
    },
    password: (message) => next<string>(message),
    select: (message, choices) => next<string>(message, choices),
    search: (message, choices) => next<string>(message, choices),
    searchMany: (message, choices) => next<string[]>(message, choices),
  }
  const colors = picocolors.createColors(options.colors ?? false)
  return {
    stdout: stream('stdout'),
    stderr: stream('stderr'),
    stdin: Readable.from(options.stdin === undefined ? [] : [Buffer.from(options.stdin)]),
    env: { MORTISE_CONFIG_DIR: '/nonexistent/mortise-test', ...options.env },
    cwd: options.cwd ?? '/nonexistent',
    interactive: options.answers !== undefined,
    out: colors,
    err: colors,
    ask,
    browse: options.browse ?? (() => Promise.reject(new Error('there is no browser'))),
    signal: controller.signal,
    output: () => ({ ...printed }),
    asked,
    interrupt: () => controller.abort(new Interrupted()),
  }
}
