import { fork } from 'node:child_process'
import { once } from 'node:events'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

/**
 * A part of a benchmark in a process of its own, so that its work is not counted as ours. The two sides speak over the
 * channel that Node gives a forked process.
 */

/** What a part can be asked, by name. */
type Answers = Record<string, (question: never) => unknown>

interface Question {
  id: number
  name: string
  question: unknown
}

type Reply = { id: number; answer: unknown } | { id: number; failed: string }

/** Called once by the process of a part: answers questions until whoever started it lets go. */
export function servePart(answers: Answers): void {
  process.on('message', ({ id, name, question }: Question) => {
    const asked = answers[name] as ((question: unknown) => unknown) | undefined
    const answering = (async () => {
      if (!asked) throw new Error(`nobody here knows ${name}`)
      return asked(question)
    })()
    answering.then(
      (answer) => process.send?.({ id, answer }),
      (error: unknown) =>
        process.send?.({ id, failed: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
    )
  })
  process.on('disconnect', () => process.exit(0))
}

export interface Part extends AsyncDisposable {
  readonly pid: number
  /** Puts a question. @throws when the part does, or has ended */
  ask<T = void>(name: string, question?: unknown): Promise<T>
}

/** Starts a part: a file of this folder that calls `servePart`. */
export async function startPart(
  file: string,
  options: { args?: string[]; execArgv?: string[]; env?: Record<string, string> } = {},
): Promise<Part> {
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), options.args ?? [], {
    execArgv: ['--conditions=mortise-source', '--disable-warning=ExperimentalWarning', ...(options.execArgv ?? [])],
    env: { ...process.env, ...options.env },
    serialization: 'advanced',
  })
  const waiting = new Map<number, { resolve: (answer: unknown) => void; reject: (error: Error) => void }>()
  let next = 0
  child.on('message', (reply: Reply) => {
    const asked = waiting.get(reply.id)
    waiting.delete(reply.id)
    if ('failed' in reply) asked?.reject(new Error(`${file}: ${reply.failed}`))
    else asked?.resolve(reply.answer)
  })
  const ended = once(child, 'exit')
  child.once('exit', () => {
    for (const { reject } of waiting.values()) reject(new Error(`${file} has ended`))
  })
  await once(child, 'spawn')
  return {
    pid: child.pid ?? 0,
    ask<T>(name: string, question?: unknown): Promise<T> {
      return new Promise((resolve, reject) => {
        const id = next++
        waiting.set(id, { resolve: resolve as (answer: unknown) => void, reject })
        child.send({ id, name, question } satisfies Question, (error) => error && reject(error))
      })
    },
    /** Lets it go, and waits until it has ended. */
    async [Symbol.asyncDispose]() {
      if (child.connected) child.disconnect()
      await ended
    },
  }
}
