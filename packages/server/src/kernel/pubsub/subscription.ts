/** What one part of a node does with the notifications of a topic. */
export interface Subscriber<P> {
  /** Receives payloads in the order of their commits. While its promise is pending, further payloads are buffered. */
  receive(payload: P): void | Promise<void>
  /**
   * Notifications may have been missed: before the subscription began, while the node was disconnected, or because the
   * subscriber was slow. Called each time that the subscription becomes connected.
   */
  missed(): void | Promise<void>
  /** Notifications are missed from now on, until `missed` is called. */
  disconnected?(): void
}

/** The subscriber's end of a subscription. */
export interface Subscription {
  /** Resolves when the subscription is connected, or when the first attempt to connect has failed. Never rejects. */
  readonly ready: Promise<void>
  /** Whether everything that commits now is received. */
  readonly isConnected: boolean
  end(): void
}

/** Payloads that wait for one slow subscriber. Beyond that they are dropped, and it is called to look for itself. */
export const bufferedMax = 10_000

/** Calls one subscriber, one payload at a time. It can neither delay the others nor break them. */
export class Delivery<P> {
  readonly #subscriber: Subscriber<P>
  readonly #failed: (error: unknown) => void
  #buffer: P[] = []
  #hasMissed = false
  #isBusy = false
  #isEnded = false
  isConnected = false

  constructor(subscriber: Subscriber<P>, failed: (error: unknown) => void) {
    this.#subscriber = subscriber
    this.#failed = failed
  }

  receive(payload: P): void {
    if (this.#buffer.length < bufferedMax) this.#buffer.push(payload)
    else {
      this.#buffer = []
      this.#hasMissed = true
    }
    this.#run()
  }

  missed(): void {
    this.#hasMissed = true
    this.#run()
  }

  connected(): void {
    if (this.#isEnded) return
    this.isConnected = true
    this.missed()
  }

  disconnected(): void {
    if (!this.isConnected) return
    this.isConnected = false
    try {
      this.#subscriber.disconnected?.()
    } catch (error) {
      this.#failed(error)
    }
  }

  end(): void {
    this.#isEnded = true
    this.isConnected = false
    this.#buffer = []
  }

  #run(): void {
    if (this.#isBusy) return
    this.#isBusy = true
    while (!this.#isEnded) {
      const called = this.#next()
      if (called === 'nothing') break
      if (called === undefined) continue
      void called.catch(this.#failed).finally(() => {
        this.#isBusy = false
        this.#run()
      })
      return
    }
    this.#isBusy = false
  }

  #next(): Promise<void> | undefined | 'nothing' {
    try {
      if (this.#hasMissed) {
        this.#hasMissed = false
        return this.#subscriber.missed() ?? undefined
      }
      if (this.#buffer.length === 0) return 'nothing'
      return this.#subscriber.receive(this.#buffer.shift() as P) ?? undefined
    } catch (error) {
      this.#failed(error)
      return undefined
    }
  }
}
