import type { Company } from './companies.ts'
import { type Contact, contactId, contactIndex } from './contact.ts'
import type { ContactPatch } from './contact-patch.ts'
import { type ContactOrigin, generateContact } from './generate-contact.ts'
import { createTimeline, isBefore, type Position } from './timeline.ts'

/** Times in ms: `since` inclusive, `before` exclusive, so that windows laid end to end miss and repeat nothing. */
export interface UpdatedWindow {
  readonly since: number
  readonly before: number
}

/** A page of contacts and the position of its last one; `more` tells whether a contact follows. */
export interface ContactPage {
  readonly contacts: readonly Contact[]
  readonly last: Position | undefined
  readonly more: boolean
}

/** All contacts: the generated ones, computed when asked for, overlaid by the few that were changed since. */
export interface ContactBook {
  readonly size: number
  find(id: string): Contact | undefined
  /** Contacts in the order of ids, after the one at index `after` (-1: from the first). */
  pageById(after: number, limit: number): ContactPage
  /** Contacts whose last change lies in the window, in the order of (time of change, id), after `after`. */
  pageByUpdated(window: UpdatedWindow, after: Position | undefined, limit: number): ContactPage
  countUpdated(window: UpdatedWindow): number
  /** Sets fields; undefined when there is no such contact. */
  patch(id: string, values: ContactPatch): Contact | undefined
  /**
   * Changes the score of these contacts, or of `count` that take turns, all at one time.
   * @throws RangeError when an id or that many contacts do not exist; nothing is changed then
   */
  change(idsOrCount: readonly string[] | number): Contact[]
}

interface Change {
  readonly updatedAt: number
  readonly values: ContactPatch
}

export interface ContactBookOptions {
  readonly count: number
  readonly seed: number
  readonly companies: readonly Company[]
  /** The present, in ms since 1970. */
  readonly clock: () => number
}

export function createContactBook({ count: size, seed, companies, clock }: ContactBookOptions): ContactBook {
  const startedAt = clock()
  const timeline = createTimeline(size, startedAt)
  const origin: ContactOrigin = { seed, companies, historyStart: timeline.start }
  const changes = new Map<number, Change>()
  let movedInOrder: readonly Position[] | undefined
  let lastChangeAt = startedAt
  let turns = 0

  function contactAt(index: number): Contact {
    const contact = generateContact(origin, index, timeline.at(timeline.rankOf(index)).updatedAt)
    const change = changes.get(index)
    if (!change) return contact
    return {
      ...contact,
      ...change.values,
      custom_fields: { ...contact.custom_fields, ...change.values.custom_fields },
      updated_at: new Date(change.updatedAt).toISOString(),
    }
  }

  /**
   * Each call gets a later time than the one before, whatever the clock says: a reader whose cursor stands at time t
   * has seen everything that will ever carry t.
   */
  function record(patches: ReadonlyMap<number, ContactPatch>): void {
    lastChangeAt = Math.max(clock(), lastChangeAt + 1)
    for (const [index, patch] of patches) {
      const earlier = changes.get(index)?.values
      const custom_fields = { ...earlier?.custom_fields, ...patch.custom_fields }
      changes.set(index, { updatedAt: lastChangeAt, values: { ...earlier, ...patch, custom_fields } })
    }
    movedInOrder = undefined
  }

  function moved(): readonly Position[] {
    movedInOrder ??= [...changes]
      .map(([index, { updatedAt }]) => ({ index, updatedAt }))
      .sort((a, b) => (isBefore(a, b) ? -1 : 1))
    return movedInOrder
  }

  /** Merges the computed order of the unchanged with the sorted list of the changed. */
  function* inUpdatedOrder(after: Position): Generator<Position, void> {
    const later = moved()
    let next = later.findIndex((position) => isBefore(after, position))
    if (next < 0) next = later.length
    let rank = timeline.rankAfter(after)
    while (true) {
      while (rank < size && changes.has(timeline.at(rank).index)) rank++
      const unchanged = rank < size ? timeline.at(rank) : undefined
      const changed = later[next]
      if (unchanged && (!changed || isBefore(unchanged, changed))) {
        yield unchanged
        rank++
      } else if (changed) {
        yield changed
        next++
      } else return
    }
  }

  function indexOf(id: string): number | undefined {
    const index = contactIndex(id)
    return index !== undefined && index < size ? index : undefined
  }

  return {
    size,

    find(id) {
      const index = indexOf(id)
      return index === undefined ? undefined : contactAt(index)
    },

    pageById(after, limit) {
      const first = after + 1
      const end = Math.min(first + limit, size)
      const contacts = Array.from({ length: Math.max(0, end - first) }, (_, offset) => contactAt(first + offset))
      return { contacts, last: contacts.length ? { index: end - 1, updatedAt: 0 } : undefined, more: end < size }
    },

    pageByUpdated({ since, before }, after, limit) {
      const windowStart = { updatedAt: since, index: -1 }
      const positions: Position[] = []
      for (const position of inUpdatedOrder(after && isBefore(windowStart, after) ? after : windowStart)) {
        if (position.updatedAt >= before) break
        if (positions.length === limit) return page(true)
        positions.push(position)
      }
      return page(false)

      function page(more: boolean): ContactPage {
        return { contacts: positions.map(({ index }) => contactAt(index)), last: positions.at(-1), more }
      }
    },

    countUpdated({ since, before }) {
      const from = timeline.rankAfter({ updatedAt: since, index: -1 })
      const to = timeline.rankAfter({ updatedAt: before, index: -1 })
      let count = Math.max(0, to - from)
      for (const [index, { updatedAt }] of changes) {
        const rank = timeline.rankOf(index)
        if (rank >= from && rank < to) count--
        if (updatedAt >= since && updatedAt < before) count++
      }
      return count
    },

    patch(id, values) {
      const index = indexOf(id)
      if (index === undefined) return undefined
      record(new Map([[index, values]]))
      return contactAt(index)
    },

    change(idsOrCount) {
      const ids = typeof idsOrCount === 'number' ? takeTurns(idsOrCount) : idsOrCount
      const indexes = ids.map((id) => {
        const index = indexOf(id)
        if (index === undefined) throw new RangeError(`no contact ${id}`)
        return index
      })
      record(new Map(indexes.map((index) => [index, { score: (contactAt(index).score + 1) % 101 }])))
      return indexes.map(contactAt)
    },
  }

  function takeTurns(count: number): string[] {
    if (!Number.isInteger(count) || count < 0 || count > size) throw new RangeError(`there are ${size} contacts`)
    return Array.from({ length: count }, () => contactId(timeline.at(turns++ % size).index))
  }
}
