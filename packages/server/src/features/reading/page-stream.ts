import type { Connector, ReadPage, ReadPageRequest } from '@mortise/providers'

/** A page and where the read goes on after it. */
export interface StreamedPage {
  records: ReadPage['records']
  nextPage: string | undefined
  total: number | undefined
}

/** Pages that may wait between provider and database: enough to fetch while a commit is under way, few enough to stay small. */
const waitingMost = 4

/**
 * Reads pages ahead of whoever takes them. `take()` answers all pages that have arrived, at least one, or an empty list at the end;
 * it throws what the provider threw, after the pages before it were taken. `stop()` ends a read that is not taken to its end.
 */
export function streamPages(
  connector: Pick<Connector, 'readPage'>,
  request: ReadPageRequest,
): { take(): Promise<StreamedPage[]>; stop(): Promise<void> } {
  const waiting: StreamedPage[] = []
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
        waiting.push({ records: read.records, nextPage: read.nextPage, total: read.total })
        arrived?.()
        if (read.nextPage === undefined) break
        page = read.nextPage
        if (waiting.length >= waitingMost) await new Promise<void>((resolve) => (taken = resolve))
      }
    } catch (error) {
      failure = { error }
    }
    ended = true
    arrived?.()
  })()

  return {
    async take() {
      while (waiting.length === 0 && !ended) await new Promise<void>((resolve) => (arrived = resolve))
      const pages = waiting.splice(0)
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
