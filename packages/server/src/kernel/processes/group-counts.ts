import type { ProcessGroup } from './process-group.ts'

/** How long counts are collected before they are sent. */
const collectMs = 20

/**
 * Reports to the other processes of a service how often something happened here, by key. Counts are sent together, some
 * milliseconds later, so a limit on their sum may be exceeded by what arrives within that time.
 */
export class GroupCounts {
  readonly #group: ProcessGroup
  readonly #topic: string
  #counts = new Map<string, number>()
  #timer: NodeJS.Timeout | undefined

  /** @param receive called with the counts of other processes */
  constructor(group: ProcessGroup, topic: string, receive: (key: string, count: number) => void) {
    this.#group = group
    this.#topic = topic
    group.follow(topic, (message) => {
      for (const [key, count] of message as [string, number][]) receive(key, count)
    })
  }

  add(key: string, count: number): void {
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + count)
    this.#timer ??= setTimeout(() => this.#send(), collectMs).unref()
  }

  #send(): void {
    this.#timer = undefined
    const counts = [...this.#counts]
    this.#counts = new Map()
    this.#group.send(this.#topic, counts)
  }
}
