/** A contact that was deleted. */
export interface Deletion {
  readonly id: string
  /** RFC 3339 date-time. */
  readonly deleted_at: string
}

/** A page of deletions; `next` is where the next page begins, if there is one. */
export interface DeletionPage {
  readonly deletions: readonly Deletion[]
  readonly next: number | undefined
}

/** All deletions, in their order. The place of one never changes, so that a page can continue there. */
export class DeletionLog {
  readonly #entries: { readonly id: string; readonly at: number }[] = []

  add(id: string, at: number): void {
    this.#entries.push({ id, at })
  }

  /** Deletions from `since` (inclusive) to `before` (exclusive), in ms since 1970, from a place on. */
  page({ since, before }: { since: number; before: number }, from: number, limit: number): DeletionPage {
    const deletions: Deletion[] = []
    for (let place = from; place < this.#entries.length; place++) {
      const entry = this.#entries[place]
      if (entry === undefined || entry.at < since || entry.at >= before) continue
      if (deletions.length === limit) return { deletions, next: place }
      deletions.push({ id: entry.id, deleted_at: new Date(entry.at).toISOString() })
    }
    return { deletions, next: undefined }
  }
}
