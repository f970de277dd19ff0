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

/**
 * Returns a query that publishes notifications of many on-demand topics, each only while a node subscribes to its
 * topic.
 *
 * @throws RangeError when a payload is too long
 */
export function publishWatched<P>(
  notifications: readonly { topic: Topic<P>; payload: P }[],
): RawBuilder<{ published: string }> {
  const channels = notifications.map(({ topic }) => topic.channel)
  const texts = notifications.map(({ topic, payload }) => payloadText(topic, payload))
  return sql`
    select pg_notify(channel, payload)::text as published from unnest(${channels}::text[], ${texts}::text[]) as n (channel, payload)
     where channel in (select topic from watches where until > now())`
}
