import { expect, test } from 'vitest'
import { flush } from './flush.ts'

/** Brings these and then nothing more, until its signal. */
const bringing = (...items: number[]) =>
  async function* (signal: AbortSignal): AsyncGenerator<number> {
    yield* items
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve))
    signal.throwIfAborted()
  }

async function toldOf(total: (signal: AbortSignal) => Promise<number>, signal = new AbortController().signal) {
  const told: number[] = []
  for await (const item of flush(bringing(1, 2, 3), total, signal)) told.push(item)
  return told
}

test('tells all that there is, whether the end is known before or after it', async () => {
  expect(await toldOf(async () => 3)).toEqual([1, 2, 3])
  const late = Promise.withResolvers<number>()
  const told = toldOf(() => late.promise)
  late.resolve(3)
  expect(await told).toEqual([1, 2, 3])
})

test('ends where nothing is to be told', async () => {
  for await (const _ of flush(bringing(), async () => 0, new AbortController().signal)) expect.unreachable()
})

test('what goes wrong with the end, with the stream, or by Ctrl-C is thrown', async () => {
  await expect(toldOf(() => Promise.reject(new Error('gone')))).rejects.toThrow('gone')
  const refused = flush(
    () => ({ [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error('refused')) }) }),
    () => new Promise(() => undefined),
    new AbortController().signal,
  )
  await expect(refused.next()).rejects.toThrow('refused')
  const controller = new AbortController()
  const told = toldOf(() => new Promise(() => undefined), controller.signal)
  controller.abort(new Error('Ctrl-C'))
  await expect(told).rejects.toThrow('Ctrl-C')
})
