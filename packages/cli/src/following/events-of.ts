import type { StreamEvent } from '@mortise/client'

const knownMax = 5_000

/** An event with data that has an id. */
export interface Event<T> {
  event: string
  data: T
}

/**
 * The events of a stream until the signal, whose reason it throws then. Some come twice after an interruption: a second
 * event `once` with the same id is left out.
 */
export async function* eventsOf<T extends { id: string }>(
  stream: AsyncIterable<StreamEvent>,
  once: string,
  signal: AbortSignal,
): AsyncGenerator<Event<T>> {
  const known = new Set<string>()
  for await (const { event, data } of stream) {
    signal.throwIfAborted()
    const thing = data as T
    if (event === once) {
      if (known.has(thing.id)) continue
      known.add(thing.id)
      // Sets keep the order: the oldest goes.
      if (known.size > knownMax) for (const id of known) if (known.delete(id)) break
    }
    yield { event, data: thing }
  }
  signal.throwIfAborted()
}
