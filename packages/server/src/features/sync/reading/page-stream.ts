import type { Connector, ProviderRecord, ReadPageRequest } from '@mortise/providers'
import type { ProviderCall } from '../../provider-calls/calls/index.ts'

/** A page, and where the read resumes after it. */
export interface StreamedPage {
  /** Its records, each as the JSON text that is delivered. */
  entries: string[]
  /** Ids of its records that exist, if the read keeps them. */
  ids?: string[]
  nextPage: string | undefined
  total: number | undefined
  /** The next page is not ready before this many milliseconds. */
  waitMs?: number
  /** What the log of the read should say. */
  notice?: string
  /** Why deletions of the window may be missing. */
  missedDeletions?: string
  /** The requests that it took. */
  calls: ProviderCall[]
}

/**
 * Maximum number of pages that wait between provider and database. One commit takes all that wait, and many small pages
 * cost little more than one. Their length limits the memory of large pages.
 */
const waitingMax = 16
const waitingLengthMax = 2 * 1024 * 1024

interface PagedRead {
  connector: Pick<Connector, 'readPage'>
  entry: (record: ProviderRecord) => string
  calls: ProviderCall[]
  /** Whether pages have the ids of their records. */
  keepsIds?: boolean
}

export interface PageStream {
  take(): Promise<StreamedPage[]>
  stop(): Promise<void>
}

/**
 * Reads pages ahead of the consumer, and keeps only the delivered part of their records.
 *
 * `take()` returns all pages that have arrived, at least one, or an empty list at the end. It throws the provider's
 * error after the caller has taken the pages before it. `stop()` ends a read early. Pages that were already requested
 * by then can still be taken. A page whose next one is not ready ends the stream, too.
 *
 * @param read.calls gets each request as it ends; a page takes its own out
 */
export function streamPages(
  { connector, entry, calls, keepsIds = false }: PagedRead,
  request: ReadPageRequest,
): PageStream {
  let waiting: StreamedPage[] = []
  let waitingLength = 0
  let ended = false
  let stopped = false
  let failure: { error: unknown } | undefined
  let arrived: (() => void) | undefined
  // Closes a download of the connector that is not read to its end.
  const over = new AbortController()
  const signal = request.signal ? AbortSignal.any([request.signal, over.signal]) : over.signal
  let taken: (() => void) | undefined

  const reading = (async () => {
    let page = request.page
    try {
      while (!stopped) {
        const read = await connector.readPage({
          ...request,
          mayWait: true,
          signal,
          ...(page !== undefined && { page }),
        })
        const entries = read.records.map(entry)
        const ids = keepsIds ? read.records.flatMap(({ id, deleted }) => (deleted ? [] : (id ?? []))) : undefined
        waiting.push({
          entries,
          ...(ids && { ids }),
          nextPage: read.nextPage,
          total: read.total,
          ...(read.waitMs !== undefined && { waitMs: read.waitMs }),
          ...(read.notice !== undefined && { notice: read.notice }),
          ...(read.missedDeletions !== undefined && { missedDeletions: read.missedDeletions }),
          calls: calls.splice(0),
        })
        waitingLength += entries.reduce((sum, text) => sum + text.length, 0)
        arrived?.()
        if (read.nextPage === undefined || read.waitMs !== undefined) break
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
    over.abort()
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
