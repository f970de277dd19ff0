/** What a limit and its node exchange each time that its share is renewed. */
export interface Lease {
  readonly capacity: number
  /** What it cannot do without, though others may hold the rest. */
  readonly needed: number
  readonly isIdle: boolean
  takeWanted(): number
  granted(share: number): void
  /** `performance.now()` of its last use. */
  usedAt: number
  /** Its share is no longer renewed: ask for the limit of this name again. */
  isForgotten: boolean
}
