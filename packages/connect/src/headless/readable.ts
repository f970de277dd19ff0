/** A state that can be read and subscribed to, as `useSyncExternalStore` and other frameworks expect it. */
export interface Readable<State> {
  getState(): State
  /** Calls `listener` after every change. Returns a function that ends it. */
  subscribe(listener: () => void): () => void
}

/** Stores a state and notifies its subscribers. */
export class StateHolder<State extends object> implements Readable<State> {
  #state: State
  readonly #listeners = new Set<() => void>()

  constructor(initial: State) {
    this.#state = initial
  }

  readonly getState = (): State => this.#state

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Replaces some properties; a property that is `undefined` in `change` is removed. */
  set(change: { [K in keyof State]?: State[K] | undefined }): void {
    const next = { ...this.#state, ...change }
    for (const [key, value] of Object.entries(change)) if (value === undefined) delete next[key as keyof State]
    this.#state = next as State
    for (const listener of [...this.#listeners]) listener()
  }
}
