/** Collects what does not hold, so that an attack goes on to its end. */
export class Faults {
  readonly list: string[] = []

  /** Runs a check; an error that it throws is a fault. */
  async check(what: string, holds: () => unknown): Promise<void> {
    try {
      await holds()
    } catch (error) {
      // A page of differences helps nobody.
      this.list.push(`${what}: ${String(error instanceof Error ? error.message : error).slice(0, 1_000)}`)
    }
  }

  add(what: string): void {
    this.list.push(what)
  }
}
