import { type Change, type ChangeKind, changeKinds } from './model.ts'

/** So many changes of a kind are sent one by one; more become one that names no resource. */
export const namedMax = 5

/** Changes that wait to be sent, without duplicates. Bounded: `namedMax` of each kind. */
export class PendingChanges {
  #all = false
  readonly #kinds = new Map<ChangeKind, Map<string, Change> | 'several'>()

  get isEmpty(): boolean {
    return !this.#all && this.#kinds.size === 0
  }

  add(change: Change): void {
    if (this.#all) return
    if (change.kind === 'all') {
      this.#all = true
      this.#kinds.clear()
      return
    }
    const known = this.#kinds.get(change.kind) ?? new Map<string, Change>()
    if (known === 'several') return
    known.set(change.id ?? change.installationId ?? '', change)
    // A change without a name already says that any of the kind may have changed.
    const isSeveral = known.size > namedMax || known.has('')
    this.#kinds.set(change.kind, isSeveral ? 'several' : known)
  }

  /** Returns what waits, in the order of the kinds, and forgets it. */
  take(): Change[] {
    const taken: Change[] = this.#all
      ? [{ kind: 'all' }]
      : changeKinds.flatMap((kind) => {
          const known = this.#kinds.get(kind)
          if (known === undefined) return []
          return known === 'several' ? [{ kind }] : [...known.values()]
        })
    this.#all = false
    this.#kinds.clear()
    return taken
  }
}
