import { ProviderError } from '@mortise/providers'
import { readMissed } from '../read-missed.ts'
import type { PubSubClient } from './pub-sub-client.ts'
import { PositionUnknown } from './pub-sub-error.ts'
import { type StreamContext, storeResponse } from './store-response.ts'
import { withPosition } from './stream-store.ts'

/** Number of events that the provider may send before Mortise has stored them, and below which it requests more. */
export const requestedMax = 25
const requestedMin = 10

/**
 * Follows the topic of an object until the provider ends the call, and stores each response before it requests more
 * events.
 *
 * A position that is empty belongs to a stream that was open before it had a position. Changes since then may be
 * missing, so the object is read once the provider responds. So it is if the provider does not know the position any
 * more.
 *
 * @param position the stored position in Base64; undefined for an object that was never followed
 * @param opened called with the first response
 * @throws ProviderError, OutboundError, LeaseLost
 */
export async function followTopic(
  context: StreamContext & { client: PubSubClient; topic: string },
  position: string | undefined,
  { signal, opened }: { signal: AbortSignal; opened: () => void },
): Promise<void> {
  const { db, services, lease, installation, objectName } = context
  let known = position ?? ''
  if (position === undefined) await lease.note(db, withPosition(objectName, ''))
  try {
    await follow(context, known, signal, opened)
  } catch (error) {
    if (!(error instanceof PositionUnknown) || known === '') throw refused(error)
    services.log.info(
      { projectId: db.projectId, installationId: installation.id, objectName, err: error },
      'read a gap',
    )
    known = ''
    await db.transaction(async (tx) => {
      await lease.note(tx, withPosition(objectName, known))
      await readMissed(tx, services, installation, objectName)
    })
    await follow(context, known, signal, opened).catch((error: unknown) => {
      throw refused(error)
    })
  }
}

/** Converts the refusal of a position that nobody sent: the provider means something else. */
function refused(error: unknown): unknown {
  return error instanceof PositionUnknown ? new ProviderError('unexpected_response', error.message) : error
}

async function follow(
  context: StreamContext & { client: PubSubClient; topic: string },
  known: string,
  signal: AbortSignal,
  opened: () => void,
): Promise<void> {
  const { client, topic } = context
  const position = known === '' ? undefined : Buffer.from(known, 'base64')
  const subscription = client.subscribe(topic, { position, signal })
  let outstanding = requestedMax
  let last = known
  subscription.request(requestedMax)
  for await (const response of subscription) {
    outstanding -= response.events.length
    if (outstanding < 0)
      throw new ProviderError('unexpected_response', 'The provider sent more events than Mortise requested.')
    const latest = latestPosition(response)
    const stored = latest.toString('base64')
    // An empty response says that the stream is alive, and mostly nothing else.
    if (response.events.length > 0 || stored !== last)
      await storeResponse(
        context,
        { ...response, position: latest },
        { isGap: last === '' && latest.length > 0, signal },
      )
    last = stored
    opened()
    if (outstanding < requestedMin) {
      subscription.request(requestedMax - outstanding)
      outstanding = requestedMax
    }
  }
}

/** Position after a response. One with events may not name any. */
function latestPosition({ events, position }: { events: { replayId: Buffer }[]; position: Buffer }): Buffer {
  return events.at(-1)?.replayId ?? position
}
