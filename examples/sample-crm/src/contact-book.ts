import type { Company } from './companies.ts'
import { type Contact, contactId, contactIndex, contactsMax } from './contact.ts'
import type { ContactPatch, NewContact } from './contact-patch.ts'
import { DeletionLog, type DeletionPage } from './deletions.ts'
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
  /** Tells whether there was such a contact. It is in no list of contacts from now on. */
  delete(id: string): boolean
  /** Deletions in a window, in their order, from a place on. */
  deletions(window: UpdatedWindow, from: number, limit: number): DeletionPage
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

export function createContactBook(options: ContactBookOptions): ContactBook {
  return new Book(options)
}

class Book implements ContactBook {
  readonly #generated: number
  readonly #clock: () => number
  readonly #timeline: ReturnType<typeof createTimeline>
  readonly #origin: ContactOrigin
  /** What was changed, and all that was created: these are no part of the timeline. */
  readonly #changes = new Map<number, Change>()
  readonly #created = new Map<number, Contact>()
  readonly #deleted = new Set<number>()
  readonly #deletions = new DeletionLog()
  /** The index after the last one that was assigned. */
  #end: number
  #movedInOrder: readonly Position[] | undefined
  #lastChangeAt: number
  /** Generated contacts that `change` has taken one after the other. */
  #turns = 0

  constructor({ count, seed, companies, clock }: ContactBookOptions) {
    const startedAt = clock()
    this.#generated = count
    this.#clock = clock
    this.#timeline = createTimeline(count, startedAt)
    this.#origin = { seed, companies, historyStart: this.#timeline.start }
    this.#end = count
    this.#lastChangeAt = startedAt
  }

  #contactAt(index: number): Contact {
    const contact =
      this.#created.get(index) ??
      generateContact(this.#origin, index, this.#timeline.at(this.#timeline.rankOf(index)).updatedAt)
    const change = this.#changes.get(index)
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
  #laterTime(): number {
    this.#lastChangeAt = Math.max(this.#clock(), this.#lastChangeAt + 1)
    return this.#lastChangeAt
  }

  #record(patches: ReadonlyMap<number, ContactPatch>, updatedAt = this.#laterTime()): void {
    for (const [index, patch] of patches) {
      const earlier = this.#changes.get(index)?.values
      const company = { ...earlier?.company, ...patch.company }
      const custom_fields = { ...earlier?.custom_fields, ...patch.custom_fields }
      this.#changes.set(index, { updatedAt, values: { ...earlier, ...patch, company, custom_fields } })
    }
    this.#movedInOrder = undefined
  }

  #moved(): readonly Position[] {
    this.#movedInOrder ??= [...this.#changes]
      .map(([index, { updatedAt }]) => ({ index, updatedAt }))
      .sort((a, b) => (isBefore(a, b) ? -1 : 1))
    return this.#movedInOrder
  }

  /** Merges the computed order of the unchanged with the sorted list of the changed. */
  *#inUpdatedOrder(after: Position): Generator<Position, void> {
    const later = this.#moved()
    let next = later.findIndex((position) => isBefore(after, position))
    if (next < 0) next = later.length
    let rank = this.#timeline.rankAfter(after)
    while (true) {
      while (rank < this.#generated && this.#isOffTimeline(this.#timeline.at(rank).index)) rank++
      const unchanged = rank < this.#generated ? this.#timeline.at(rank) : undefined
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
  #isOffTimeline(index: number): boolean {
    return this.#changes.has(index) || this.#deleted.has(index)
  }

  #indexOf(id: string): number | undefined {
    const index = contactIndex(id)
    return index !== undefined && index < this.#end && !this.#deleted.has(index) ? index : undefined
  }

  get size(): number {
    return this.#end - this.#deleted.size
  }

  find(id: string): Contact | undefined {
    const index = this.#indexOf(id)
    return index === undefined ? undefined : this.#contactAt(index)
  }

  pageById(after: number, limit: number): ContactPage {
    const indexes: number[] = []
    for (let index = after + 1; index < this.#end && indexes.length <= limit; index++)
      if (!this.#deleted.has(index)) indexes.push(index)
    const onPage = indexes.slice(0, limit)
    const last = onPage.at(-1)
    return {
      contacts: onPage.map((index) => this.#contactAt(index)),
      last: last === undefined ? undefined : { index: last, updatedAt: 0 },
      more: indexes.length > limit,
    }
  }

  pageByUpdated({ since, before }: UpdatedWindow, after: Position | undefined, limit: number): ContactPage {
    const windowStart = { updatedAt: since, index: -1 }
    const positions: Position[] = []
    for (const position of this.#inUpdatedOrder(after && isBefore(windowStart, after) ? after : windowStart)) {
      if (position.updatedAt >= before) break
      if (positions.length === limit) return this.#page(positions, true)
      positions.push(position)
    }
    return this.#page(positions, false)
  }

  countUpdated({ since, before }: UpdatedWindow): number {
    const from = this.#timeline.rankAfter({ updatedAt: since, index: -1 })
    const to = this.#timeline.rankAfter({ updatedAt: before, index: -1 })
    let count = Math.max(0, to - from)
    const isCounted = (index: number) => {
      const rank = index < this.#generated ? this.#timeline.rankOf(index) : -1
      return rank >= from && rank < to
    }
    for (const index of this.#deleted) if (isCounted(index)) count--
    for (const [index, { updatedAt }] of this.#changes) {
      if (isCounted(index)) count--
      if (updatedAt >= since && updatedAt < before) count++
    }
    return count
  }

  create(values: NewContact): Contact | undefined {
    if (this.#end === contactsMax) return undefined
    const index = this.#end++
    const createdAt = this.#laterTime()
    this.#created.set(index, newContact(index, createdAt, values))
    this.#record(new Map([[index, {}]]), createdAt)
    return this.#contactAt(index)
  }

  patch(id: string, values: ContactPatch): Contact | undefined {
    const index = this.#indexOf(id)
    if (index === undefined) return undefined
    this.#record(new Map([[index, values]]))
    return this.#contactAt(index)
  }

  delete(id: string): boolean {
    const index = this.#indexOf(id)
    if (index === undefined) return false
    this.#deleted.add(index)
    this.#deletions.add(id, this.#laterTime())
    this.#changes.delete(index)
    this.#created.delete(index)
    this.#movedInOrder = undefined
    return true
  }

  deletions(window: UpdatedWindow, from: number, limit: number): DeletionPage {
    return this.#deletions.page(window, from, limit)
  }

  change(idsOrCount: readonly string[] | number): Contact[] {
    const ids = typeof idsOrCount === 'number' ? this.#nextInTurn(idsOrCount) : idsOrCount
    const indexes = ids.map((id) => {
      const index = this.#indexOf(id)
      if (index === undefined) throw new RangeError(`no contact ${id}`)
      return index
    })
    this.#record(new Map(indexes.map((index) => [index, { score: ((this.#contactAt(index).score ?? 0) + 1) % 101 }])))
    return indexes.map((index) => this.#contactAt(index))
  }

  #page(positions: readonly Position[], more: boolean): ContactPage {
    return { contacts: positions.map(({ index }) => this.#contactAt(index)), last: positions.at(-1), more }
  }

  #nextInTurn(count: number): string[] {
    let left = this.#generated
    for (const index of this.#deleted) if (index < this.#generated) left--
    if (!Number.isInteger(count) || count < 0 || count > left) throw new RangeError(`there are ${left} contacts`)
    const ids: string[] = []
    while (ids.length < count) {
      const { index } = this.#timeline.at(this.#turns++ % this.#generated)
      if (!this.#deleted.has(index)) ids.push(contactId(index))
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
