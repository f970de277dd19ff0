import type { Company } from './companies.ts'
import { type Contact, contactId, contactIndex, contactsMax } from './contact.ts'
import type { ContactPatch, NewContact } from './contact-patch.ts'
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

/**
 * All contacts: the generated ones, computed when asked for, overlaid by the few that were changed, created or deleted
 * since. An id is never given twice, so that a cursor that stands at a deleted contact still means the same place.
 */
export interface ContactBook {
  /** How many contacts there are now. */
  readonly size: number
  find(id: string): Contact | undefined
  /** Contacts in the order of ids, after the one at index `after` (-1: from the first). */
  pageById(after: number, limit: number): ContactPage
  /** Contacts whose last change lies in the window, in the order of (time of change, id), after `after`. */
  pageByUpdated(window: UpdatedWindow, after: Position | undefined, limit: number): ContactPage
  countUpdated(window: UpdatedWindow): number
  /** One more contact, after all others in both orders; undefined when every id was given. */
  create(values: NewContact): Contact | undefined
  /** Sets fields; undefined when there is no such contact. */
  patch(id: string, values: ContactPatch): Contact | undefined
  /** Tells whether there was such a contact. It is in no list from now on. */
  delete(id: string): boolean
  /**
   * Changes the score of these contacts, or of `count` generated ones that take turns, all at one time.
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

export function createContactBook({ count: generated, seed, companies, clock }: ContactBookOptions): ContactBook {
  const startedAt = clock()
  const timeline = createTimeline(generated, startedAt)
  const origin: ContactOrigin = { seed, companies, historyStart: timeline.start }
  /** What was changed, and all that was created: these are no part of the timeline. */
  const changes = new Map<number, Change>()
  const created = new Map<number, Contact>()
  const deleted = new Set<number>()
  /** The index after the last one that was given. */
  let end = generated
  let movedInOrder: readonly Position[] | undefined
  let lastChangeAt = startedAt
  let turns = 0

  function contactAt(index: number): Contact {
    const contact = created.get(index) ?? generateContact(origin, index, timeline.at(timeline.rankOf(index)).updatedAt)
    const change = changes.get(index)
    if (!change) return contact
    return {
      ...contact,
      ...change.values,
      company: { ...contact.company, ...change.values.company },
      custom_fields: { ...contact.custom_fields, ...change.values.custom_fields },
      updated_at: new Date(change.updatedAt).toISOString(),
    }
  }

  /**
   * Each call gets a later time than the one before, whatever the clock says: a reader whose cursor stands at time t
   * has seen everything that will ever carry t.
   */
  function laterTime(): number {
    lastChangeAt = Math.max(clock(), lastChangeAt + 1)
    return lastChangeAt
  }

  function record(patches: ReadonlyMap<number, ContactPatch>, updatedAt = laterTime()): void {
    for (const [index, patch] of patches) {
      const earlier = changes.get(index)?.values
      const company = { ...earlier?.company, ...patch.company }
      const custom_fields = { ...earlier?.custom_fields, ...patch.custom_fields }
      changes.set(index, { updatedAt, values: { ...earlier, ...patch, company, custom_fields } })
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
      while (rank < generated && isOffTimeline(timeline.at(rank).index)) rank++
      const unchanged = rank < generated ? timeline.at(rank) : undefined
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

  /** Whether a generated contact no longer stands where the timeline has it. */
  function isOffTimeline(index: number): boolean {
    return changes.has(index) || deleted.has(index)
  }

  function indexOf(id: string): number | undefined {
    const index = contactIndex(id)
    return index !== undefined && index < end && !deleted.has(index) ? index : undefined
  }

  return {
    get size() {
      return end - deleted.size
    },

    find(id) {
      const index = indexOf(id)
      return index === undefined ? undefined : contactAt(index)
    },

    pageById(after, limit) {
      const indexes: number[] = []
      for (let index = after + 1; index < end && indexes.length <= limit; index++)
        if (!deleted.has(index)) indexes.push(index)
      const onPage = indexes.slice(0, limit)
      const last = onPage.at(-1)
      return {
        contacts: onPage.map(contactAt),
        last: last === undefined ? undefined : { index: last, updatedAt: 0 },
        more: indexes.length > limit,
      }
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
      const isCounted = (index: number) => {
        const rank = index < generated ? timeline.rankOf(index) : -1
        return rank >= from && rank < to
      }
      for (const index of deleted) if (isCounted(index)) count--
      for (const [index, { updatedAt }] of changes) {
        if (isCounted(index)) count--
        if (updatedAt >= since && updatedAt < before) count++
      }
      return count
    },

    create(values) {
      if (end === contactsMax) return undefined
      const index = end++
      const createdAt = laterTime()
      created.set(index, newContact(index, createdAt, values))
      record(new Map([[index, {}]]), createdAt)
      return contactAt(index)
    },

    patch(id, values) {
      const index = indexOf(id)
      if (index === undefined) return undefined
      record(new Map([[index, values]]))
      return contactAt(index)
    },

    delete(id) {
      const index = indexOf(id)
      if (index === undefined) return false
      deleted.add(index)
      changes.delete(index)
      created.delete(index)
      movedInOrder = undefined
      return true
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
    let left = generated
    for (const index of deleted) if (index < generated) left--
    if (!Number.isInteger(count) || count < 0 || count > left) throw new RangeError(`there are ${left} contacts`)
    const ids: string[] = []
    while (ids.length < count) {
      const { index } = timeline.at(turns++ % generated)
      if (!deleted.has(index)) ids.push(contactId(index))
    }
    return ids
  }
}

const yearMs = 365 * 24 * 3_600_000

/** What was given; the first option of a select, and nothing, for the rest. */
function newContact(
  index: number,
  createdAt: number,
  { email, company, custom_fields, ...values }: NewContact,
): Contact {
  const time = new Date(createdAt).toISOString()
  return {
    id: contactId(index),
    first_name: '',
    last_name: '',
    email,
    phone: '',
    company: { name: '', city: '', ...company },
    stage: 'lead',
    score: 0,
    tags: [],
    ...values,
    custom_fields: {
      plan: 'free',
      vip: false,
      renewal_at: new Date(createdAt + yearMs).toISOString(),
      ...custom_fields,
    },
    created_at: time,
    updated_at: time,
  }
}
