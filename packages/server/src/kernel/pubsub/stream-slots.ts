import { TooManyStreams } from './problems.ts'
import type { PubSub } from './pubsub.ts'
import type { Topic } from './topic.ts'

/** Streams of one topic on one node: each looks for itself every few seconds. */
const streamsMax = 20

/** @throws TooManyStreams when the topic has as many streams on this node as it may have */
export function assertStreamSlot(pubsub: Pick<PubSub, 'subscriptions'>, topic: Pick<Topic<unknown>, 'channel'>): void {
  if (pubsub.subscriptions(topic) >= streamsMax) throw new TooManyStreams()
}
