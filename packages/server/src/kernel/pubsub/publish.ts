import { type RawBuilder, sql } from 'kysely'
import { payloadText, type Topic } from './topic.ts'

/**
 * Returns a query that notifies the subscribers on all nodes when its transaction commits, and nobody when it is
 * rolled back. It can be part of the statement that makes the change; its one column is `published`.
 *
 * @throws RangeError when a payload is too long
 */
export function publish<P>(topic: Topic<P>, payloads: readonly P[]): RawBuilder<{ published: string }> {
  const texts = payloads.map((payload) => payloadText(topic, payload))
  const wanted = topic.isOnDemand
    ? sql` where exists (select from watches where topic = ${topic.channel} and until > now())`
    : sql``
  return sql`select pg_notify(${topic.channel}, payload)::text as published from unnest(${texts}::text[]) payload${wanted}`
}
