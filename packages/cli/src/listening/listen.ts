import type { Client, Item } from '@mortise/client'
import { timeOfId } from './time-of-id.ts'

/** A message as a stream brings it. */
export type StreamedMessage = Item<'listMessages'> & { body?: string; headers?: Record<string, string> }

export interface Listened {
  /** `message`: it was posted, and comes with body and headers; `state`: its delivery made progress. */
  event: 'message' | 'state'
  message: StreamedMessage
}

/** Where listening starts. */
export interface Start {
  /** Id that the stream resumes after. */
  after: string
  /** Whether a message of the stream was there before. A stream that resumes after an id begins some time before it. */
  isEarlier(id: string): boolean
}

/** Lower than any id: before the first message that there ever was. */
const lowestId = '00000000-0000-7000-8000-000000000000'
/** A stream begins at most this long before the id that it resumes after. */
const lookBackMs = 15_000
const earlierMax = 2_000
const pageMax = 1_000
const knownMax = 5_000

/**
 * Yields the messages of a destination from a start, signed as they would be delivered: each once, and its state when
 * that changes. After an interruption, the stream repeats some messages, with the state that they have by then. Does
 * not consume messages. Ends by throwing the reason of the signal.
 */
export async function* listen(
  mortise: Client,
  { destination, start, signal }: { destination: string; start: Start; signal: AbortSignal },
): AsyncGenerator<Listened> {
  const query = { destination, signed: true }
  const known = new Map<string, { isShown: boolean; state: string }>()
  for await (const { event, data } of mortise.follow(
    'streamMessages',
    { query },
    { signal, lastEventId: start.after },
  )) {
    signal.throwIfAborted()
    const message = data as StreamedMessage
    if ((event !== 'message' && event !== 'state') || (event === 'message' && start.isEarlier(message.id))) continue
    const before = known.get(message.id)
    const isNew = event === 'message' && before?.isShown !== true
    const state = `${message.state} ${message.attempts}`
    known.set(message.id, { isShown: isNew || before?.isShown === true, state })
    // Maps keep the order: the oldest goes.
    if (known.size > knownMax) for (const id of known.keys()) if (known.delete(id)) break
    if (isNew) yield { event: 'message', message }
    // No event follows a message that was delivered before the stream sent it.
    if (before ? before.state !== state : event === 'state' || message.state !== 'pending')
      yield { event: 'state', message }
  }
  signal.throwIfAborted()
}

/**
 * Returns the start that shows the latest messages first. Ids do not appear in their order: a transaction may commit a
 * lower id later. So a message counts as earlier because it is there now, and not because of its id.
 */
export async function startBefore(
  mortise: Client,
  { destination, latest, signal }: { destination: string; latest: number; signal: AbortSignal },
): Promise<Start> {
  const earlier = new Set<string>()
  let after: string | undefined
  // Below it, the list was not read to its end.
  let lowest = lowestId
  let position = 0
  for await (const { id } of mortise.each(
    'listMessages',
    { query: { destination } },
    { signal, pageSize: Math.min(latest + 50, pageMax) },
  )) {
    if (position++ < latest) continue
    after ??= id
    earlier.add(id)
    if (timeOfId(id) < timeOfId(after) - lookBackMs) break
    if (earlier.size === earlierMax) {
      lowest = id
      break
    }
  }
  return { after: after ?? lowestId, isEarlier: (id) => id < lowest || earlier.has(id) }
}
