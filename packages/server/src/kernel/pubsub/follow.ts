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
  /** For items that change: polls also find the changes whose notification was lost. */
  changes?: {
    /** Returns what a change alters; undefined if the item does not change any more. */
    stateOf: (item: T) => string | undefined
    /** As `fetch`, with as much as a changed item needs. */
    fetch: (ids: string[]) => Promise<T[]>
  }
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
const comeBackMs = lookBackMs
const idsOfLook = 1_000
const earlierMax = 5_000
const knownMax = 20_000
/** Sent items whose changes polls look for: the newest ones. */
const openMax = 1_000
/** Maximum duration of a stream: its client then has to reconnect and authenticate again. */
const longestMs = 60 * 60 * 1_000

/**
 * Yields items as they are created, and their changes. Notifications make it fast. Polling by id, every few seconds,
 * makes it complete: every item is sent at least once, in nearly the order in which it was created. With `changes`, a
 * poll also finds the last state of sent items. Their notification may be lost: a statement that ran before this node
 * watched the topic does not publish, and may commit after the first poll. The next items are fetched only after the
 * client has received the previous ones, so a slow client costs no memory: its stream falls back to polling.
 */
export async function* follow<T extends { id: string }>(options: FollowOptions<T>): AsyncGenerator<Followed<T>> {
  const { pubsub, newId, topic, signal, after, idsAfter, fetch, fetchMax = 20, changes } = options
  // Uses the clock that ids are made with.
  const now = () => timeOfId(newId()).getTime()
  const known = new Set<string>()
  /** States of the sent items that may still change, by id. */
  const open = new Map<string, string>()
  let start = firstIdAt(new Date(after === undefined ? now() : timeOfId(after).getTime() - comeBackMs))
  if (after !== undefined) known.add(after)
  const until = performance.now() + longestMs
  const backlog = new Backlog()
  const subscription = pubsub.subscribe(topic, backlog)
  let cursor = start
  try {
    if (after === undefined) cursor = start = await beforeNew(start)
    await subscription.ready
    backlog.missed()
    let lookAt = 0
    while (!signal.aborted && performance.now() < until) {
      if (backlog.takeMissed() || performance.now() >= lookAt) {
        yield* look()
        yield* lookForChanges()
        lookAt = performance.now() + lookEveryMs
      }
      yield* fetched(backlog.take(fetchMax))
      await backlog.wait(Math.max(0, lookAt - performance.now()), signal)
    }
  } finally {
    subscription.end()
  }

  /**
   * Notes what is there before the first poll. So polls find what commits later, also in a transaction that began
   * earlier: it did not publish, and its ids are lower than `present`. Returns where polls begin.
   */
  async function beforeNew(present: string): Promise<string> {
    const from = firstIdAt(new Date(timeOfId(present).getTime() - lookBackMs))
    const ids = await idsAfter(from, earlierMax)
    // At such a rate, later polls do not look back either.
    if (ids.length === earlierMax) return present
    for (const id of ids) if (id < present) known.add(id)
    return from
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
      keepOpen(item)
      yield { item, what }
    }
  }

  async function* lookForChanges(): AsyncGenerator<Followed<T>> {
    if (!changes) return
    const ids = [...open.keys()]
    const items = ids.length === 0 ? [] : await changes.fetch(ids)
    const found = new Set(items.map(({ id }) => id))
    for (const id of ids) if (!found.has(id)) open.delete(id)
    for (const item of items) {
      if (changes.stateOf(item) === open.get(item.id)) continue
      keepOpen(item)
      yield { item, what: 'changed' }
    }
  }

  function keepOpen(item: T): void {
    const state = changes?.stateOf(item)
    open.delete(item.id)
    if (state === undefined) return
    open.set(item.id, state)
    // The oldest comes first.
    if (open.size > openMax) for (const id of open.keys()) if (open.delete(id)) break
  }
}
