import type { Client, Item } from '@mortise/client'
import { eventsOf } from '../following/events-of.ts'

/** A message as a stream brings it. */
export type StreamedMessage = Item<'listMessages'> & { body?: string; headers?: Record<string, string> }

export interface Listened {
  /** `message`: it was posted, and comes with body and headers; `state`: its delivery made progress. */
  event: 'message' | 'state'
  message: StreamedMessage
}

/** Lower than any id: before the first message that there ever was. */
const lowestId = '00000000-0000-7000-8000-000000000000'

/**
 * The messages of a destination behind the id `last` (`idBefore`) as they are posted, signed as they would be
 * delivered. Listening takes nothing away from the destination. It ends by throwing the reason of the signal.
 */
export async function* listen(
  mortise: Client,
  { destination, last, signal }: { destination: string; last: string; signal: AbortSignal },
): AsyncGenerator<Listened> {
  const query = { destination, signed: true }
  const stream = mortise.follow('streamMessages', { query }, { signal, lastEventId: last })
  for await (const { event, data } of eventsOf<StreamedMessage>(stream, 'message', signal)) {
    // A stream that resumes after an id begins a little before it.
    if (event === 'message' && data.id <= last) continue
    if (event === 'message' || event === 'state') yield { event, message: data }
    // It was delivered before the stream opened, so no event follows.
    if (event === 'message' && data.state !== 'pending') yield { event: 'state', message: data }
  }
}

/**
 * Returns the id of the message before the latest ones. A stream that starts after it begins with them, and loses no
 * message that is posted while it opens.
 */
export async function idBefore(
  mortise: Client,
  { destination, latest, signal }: { destination: string; latest: number; signal: AbortSignal },
): Promise<string> {
  let position = 0
  for await (const { id } of mortise.each('listMessages', { query: { destination } }, { signal, pageSize: latest + 1 }))
    if (position++ === latest) return id
  return lowestId
}
