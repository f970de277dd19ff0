/** What the stores need of a browser. A page passes `browserWindows()`; tests and other environments pass their own. */
export interface Windows {
  /**
   * Opens an empty window. It must be called in the handler of a click, before anything is awaited. Returns undefined
   * if the browser blocks it.
   */
  open(title: string): OpenedWindow | undefined
  /** Leaves the page for this address. */
  leave(url: string): void
  /** Address of the page, to which a redirect returns. */
  address(): string
  /** Resolves after this time, or at once when the signal aborts. */
  wait(ms: number, signal: AbortSignal): Promise<void>
}

export interface OpenedWindow {
  navigate(url: string): void
  isClosed(): boolean
  close(): void
  /** Calls `listener` with every message that this window posts from `origin`. Returns a function that ends it. */
  onMessage(origin: string, listener: (data: unknown) => void): () => void
}
