import type { Connector, ProviderRecord, ReadPageRequest } from '@mortise/providers'

/** A page and where the read goes on after it. */
export interface StreamedPage {
  /** Its records, each as the JSON text that is delivered. */
  entries: string[]
  nextPage: string | undefined
  total: number | undefined
}

/**
 * Pages that may wait between provider and database. A commit takes all that wait, and costs little more for many small
 * pages than for one; what bounds the memory of large ones is their length.
 */
const waitingMax = 16
const waitingLengthMax = 2 * 1024 * 1024

/**
 * Reads pages ahead of whoever takes them, and keeps of their records only what is delivered. `take()` answers all
 * pages that have arrived, at least one, or an empty list at the end; it throws what the provider threw, after the
 * pages before it were taken. `stop()` ends a read that is not taken to its end; what it has asked for by then can
 * still be taken.
 */
export function streamPages(
  connector: Pick<Connector, 'readPage'>,
  request: ReadPageRequest,
  entry: (record: ProviderRecord) => string,
): { take(): Promise<StreamedPage[]>; stop(): Promise<void> } {
  let waiting: StreamedPage[] = []
  let waitingLength = 0
  let ended = false
  let stopped = false
  let failure: { error: unknown } | undefined
  let arrived: (() => void) | undefined
  let taken: (() => void) | undefined

  const reading = (async () => {
    let page = request.page
    try {
      while (!stopped) {
        const read = await connector.readPage(page === undefined ? request : { ...request, page })
        const entries = read.records.map(entry)
        waiting.push({ entries, nextPage: read.nextPage, total: read.total })
        waitingLength += entries.reduce((sum, text) => sum + text.length, 0)
        arrived?.()
        if (read.nextPage === undefined) break
        page = read.nextPage
        if (waiting.length >= waitingMax || waitingLength >= waitingLengthMax)
          await new Promise<void>((resolve) => {
            taken = resolve
          })
      }
    } catch (error) {
      failure = { error }
    }
    ended = true
    arrived?.()
  })()

  return {
    async take() {
      while (waiting.length === 0 && !ended)
        await new Promise<void>((resolve) => {
          arrived = resolve
        })
      const pages = waiting
      waiting = []
      waitingLength = 0
      taken?.()
      if (pages.length === 0 && failure) throw failure.error
      return pages
    },
    async stop() {
      stopped = true
      taken?.()
      await reading
    },
  }
}
