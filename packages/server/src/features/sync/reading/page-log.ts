import type { LogLine } from '../../platform/operations/index.ts'
import { callDetails } from '../../provider-calls/calls/index.ts'
import type { StreamedPage } from './page-stream.ts'

/**
 * The log of a run's pages: a line each, with the requests that it took. Lines are stored together every few seconds,
 * with what is stored then anyway, so that a page costs no statement. A process that dies loses those of its last
 * seconds, and no page.
 */
export class PageLog {
  readonly #now: () => Date
  #pages: number
  #lines: LogLine[] = []

  /** @param pages number of pages that the run has read before */
  constructor(pages: number, now: () => Date) {
    this.#pages = pages
    this.#now = now
  }

  /** @param messages number of messages that the page was cut into */
  add({ entries, calls, waitMs, notice }: StreamedPage, messages: number): void {
    if (notice !== undefined)
      this.#lines.push({ severity: 'WARNING', msg: notice, details: callDetails(calls), time: this.#now() })
    // A job of the provider is running: there is no page.
    if (waitMs !== undefined) return
    this.#pages += 1
    const records = entries.length
    this.#lines.push({
      severity: 'DEBUG',
      msg: `Page ${this.#pages}: ${records} ${records === 1 ? 'record' : 'records'}`,
      details: { page: `${this.#pages}`, ...callDetails(calls), records: `${records}`, messages: `${messages}` },
      time: this.#now(),
    })
  }

  /** Returns the lines since the last call, to be stored. */
  take(): LogLine[] {
    const lines = this.#lines
    this.#lines = []
    return lines
  }
}
