import { firstIdAt, type NewId, timeOfId } from '../db/index.ts'
import { Backlog } from './backlog.ts'
import type { PubSub } from './pubsub.ts'
import type { ChangedRows } from './rows.ts'
import type { Topic } from './topic.ts'

export interface FollowOptions<T extends { id: string }> {
  pubsub: PubSub
  newId: NewId
  topic: Topic<ChangedRows>
  signal: AbortSignal
  /** Id of the last item that the client received; when absent, only new items are sent. */
  after: string | undefined
  /** Returns the ids of items after `after`, in order, at most `limit`. */
  idsAfter: (after: string, limit: number) => Promise<string[]>
  /** Returns items by id, in this order, without missing and unwanted ones. */
  fetch: (ids: string[]) => Promise<T[]>
  /** Maximum number of items per fetch. */
  fetchMax?: number
}

/** An item that was created or has changed. */
export interface Followed<T> {
  item: T
  what: ChangedRows['what']
}

/** Interval of polls without a notification. */
const lookEveryMs = 5_000
/** Rows are committed later than their ids are made: a poll goes back this far, and skips what was sent. */
const lookBackMs = 10_000
/** The same for a client that reconnects. What it received is unknown, so it may receive these items twice. */
const comeBackMs = 2_000
const idsOfLook = 1_000
const knownMax = 20_000
/** Maximum duration of a stream: its client then has to reconnect and authenticate again. */
const longestMs = 60 * 60 * 1_000

/**
 * Yields items as they are created, and their changes. Notifications make it fast. Polling by id, every few seconds,
 * makes it complete: every item is sent at least once, in nearly the order in which it was created. A change whose
 * notification was lost is not sent. The next items are fetched only after the client has received the previous ones,
 * so a slow client costs no memory: its stream falls back to polling.
 */
export async function* follow<T extends { id: string }>(options: FollowOptions<T>): AsyncGenerator<Followed<T>> {
  const { pubsub, newId, topic, signal, after, idsAfter, fetch, fetchMax = 20 } = options
  // Uses the clock that ids are made with.
  const now = () => timeOfId(newId()).getTime()
  const known = new Set<string>()
  const start = firstIdAt(new Date(after === undefined ? now() : timeOfId(after).getTime() - comeBackMs))
  let cursor = start
  if (after !== undefined) known.add(after)
  const until = performance.now() + longestMs
  const backlog = new Backlog()
  const subscription = pubsub.subscribe(topic, backlog)
  try {
    await subscription.ready
    backlog.missed()
    let lookAt = 0
    while (!signal.aborted && performance.now() < until) {
      if (backlog.takeMissed() || performance.now() >= lookAt) {
        yield* look()
        lookAt = performance.now() + lookEveryMs
      }
      yield* fetched(backlog.take(fetchMax))
      await backlog.wait(Math.max(0, lookAt - performance.now()), signal)
    }
  } finally {
    subscription.end()
  }

  async function* look(): AsyncGenerator<Followed<T>> {
    for (let more = true; more && !signal.aborted; ) {
      const ids = await idsAfter(cursor, idsOfLook)
      const fresh = ids.filter((id) => !known.has(id))
      for (let from = 0; from < fresh.length; from += fetchMax)
        yield* fetched(new Map(fresh.slice(from, from + fetchMax).map((id) => [id, 'created'])))
      cursor = ids.at(-1) ?? cursor
      more = ids.length === idsOfLook
    }
    // The next poll begins a little earlier, or at the last item when the rate makes that too expensive.
    const back = firstIdAt(new Date(now() - lookBackMs))
    if (known.size > knownMax) known.clear()
    else if (back < cursor) cursor = back > start ? back : start
    for (const id of known) if (id < cursor) known.delete(id)
  }

  async function* fetched(notified: Map<string, ChangedRows['what']>): AsyncGenerator<Followed<T>> {
    // Items that a poll found before their notification arrived have been sent.
    const wanted = [...notified].flatMap(([id, what]) => (what === 'created' && known.has(id) ? [] : [id]))
    if (wanted.length === 0) return
    for (const item of await fetch(wanted)) {
      const what = known.has(item.id) ? 'changed' : (notified.get(item.id) ?? 'created')
      if (what === 'created') known.add(item.id)
      yield { item, what }
    }
  }
}
