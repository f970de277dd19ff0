import { type Database, newId } from '../kernel/db/index.ts'
import { credentialsTopic, PubSub } from '../kernel/pubsub/index.ts'
import { createLogger, createMetrics } from '../kernel/telemetry/index.ts'

/** Notifications of a test's own node. It is connected, so that caches begin with what they load. */
export async function openTestPubSub(database: Pick<Database, 'connect'>): Promise<PubSub> {
  const pubsub = new PubSub({ database, newId, log: createLogger({ level: 'silent' }), metrics: createMetrics() })
  await pubsub.subscribe(credentialsTopic, { receive: () => undefined, missed: () => undefined }).ready
  return pubsub
}
