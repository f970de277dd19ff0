import { firstIdAt, type NewId, timeOfId } from '../db/index.ts'
import type { Signals } from './signals.ts'

export interface FollowOptions<T extends { id: string }> {
  signals: Signals
  newId: NewId
  topic: string
  signal: AbortSignal
  /** Id of the last item that was had; from now on when absent. */
  after: string | undefined
  /** Ids of items behind `after`, in order, at most `limit`. */
  idsAfter: (after: string, limit: number) => Promise<string[]>
  /** Items by id, in this order, without those that are not there or not wanted. */
  fetch: (ids: string[]) => Promise<T[]>
  /** Items that are fetched at once. */
  fetchMax?: number
}

/** An item that was made, or one that has changed since. */
export interface Followed<T> {
  item: T
  what: 'made' | 'changed'
}

/** How often it looks although nothing was heard. */
const lookEveryMs = 5_000
/** Rows are committed later than their ids are made: a look goes back so far, and what was told already is left out. */
const lookBackMs = 10_000
/** The same for whoever comes back, of whom nobody knows what it was told: it may get these twice. */
const comeBackMs = 2_000
const idsOfLook = 1_000
const knownMax = 20_000
/** Whoever follows for longer has to come back, and to show again that it may. */
const longestMs = 60 * 60 * 1_000

/**
 * Items as they are made, and what becomes of them. Hearing makes it fast; looking, by id and now and then, makes it
 * whole: of what is made, everything comes at least once, in nearly the order in which it was made. A change that
 * nobody heard is not told. Nothing is fetched before the one before has been taken, so that a slow follower costs no
 * memory: it falls back to looking.
 */
export async function* follow<T extends { id: string }>(options: FollowOptions<T>): AsyncGenerator<Followed<T>> {
  const { signals, newId, topic, signal, after, idsAfter, fetch, fetchMax = 20 } = options
  // By the clock that ids are made with.
  const now = () => timeOfId(newId()).getTime()
  const known = new Set<string>()
  const start = firstIdAt(new Date(after === undefined ? now() : timeOfId(after).getTime() - comeBackMs))
  let cursor = start
  if (after !== undefined) known.add(after)
  const until = performance.now() + longestMs
  const { inbox, ready, release } = signals.watch(topic)
  try {
    await ready
    inbox.look()
    let lookAt = 0
    while (!signal.aborted && performance.now() < until) {
      if (inbox.takeLook() || performance.now() >= lookAt) {
        yield* look()
        lookAt = performance.now() + lookEveryMs
      }
      yield* tell(inbox.take(fetchMax))
      await inbox.wait(Math.max(0, lookAt - performance.now()), signal)
    }
  } finally {
    release()
  }

  async function* look(): AsyncGenerator<Followed<T>> {
    for (let more = true; more && !signal.aborted; ) {
      const ids = await idsAfter(cursor, idsOfLook)
      const fresh = ids.filter((id) => !known.has(id))
      for (let from = 0; from < fresh.length; from += fetchMax)
        yield* tell(new Map(fresh.slice(from, from + fetchMax).map((id) => [id, 'made'])))
      cursor = ids.at(-1) ?? cursor
      more = ids.length === idsOfLook
    }
    // The next look begins a little before; at a rate that would make that costly, where this one ended.
    const back = firstIdAt(new Date(now() - lookBackMs))
    if (known.size > knownMax) known.clear()
    else if (back < cursor) cursor = back > start ? back : start
    for (const id of known) if (id < cursor) known.delete(id)
  }

  async function* tell(heard: Map<string, 'made' | 'changed'>): AsyncGenerator<Followed<T>> {
    // What was looked up before it was heard has been told.
    const wanted = [...heard].flatMap(([id, what]) => (what === 'made' && known.has(id) ? [] : [id]))
    if (wanted.length === 0) return
    for (const item of await fetch(wanted)) {
      const what = known.has(item.id) ? 'changed' : (heard.get(item.id) ?? 'made')
      if (what === 'made') known.add(item.id)
      yield { item, what }
    }
  }
}
