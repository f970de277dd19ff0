import { compileTailReport, type TailReportReader } from '@mortise/providers'
import type { ConnectionHandle } from '../calls/index.ts'

/** The last bytes of a response that are kept to be read at its end. A report is a few hundred bytes. */
const tailBytesMax = 16 * 1024

type CostLimit = Parameters<typeof compileTailReport>[0]
const readers = new WeakMap<CostLimit, TailReportReader>()

/** Watches one response on its way to the client. It delays and changes nothing. */
export interface ResponseWatch {
  /** The response begins. A request that is sent again begins once more. */
  head(headers: Buffer[]): void
  data(chunk: Buffer): void
  /** The response is complete. */
  end(): void
}

/**
 * Takes over what responses report about a limit on cost, so that reads of the connection wait for units that requests
 * through the proxy have used. Undefined if the provider has no such limit.
 *
 * It keeps the last bytes only. Compressed responses and others than JSON are not read.
 */
export function watchCost({ entry, costBudget }: ConnectionHandle, now: () => Date): ResponseWatch | undefined {
  const declared = entry.file?.errors.costLimit
  if (declared === undefined) return undefined
  let tail: Buffer | undefined
  let bytes = 0
  return {
    head(headers) {
      tail = isPlainJson(headers) ? Buffer.alloc(0) : undefined
      bytes = 0
    },
    data(chunk) {
      if (tail === undefined) return
      bytes += chunk.length
      const all = chunk.length < tailBytesMax ? Buffer.concat([tail, chunk]) : chunk
      tail = all.subarray(-tailBytesMax)
    },
    end() {
      if (tail === undefined || bytes === 0) return
      const at = now().getTime()
      const report = readerOf(declared)({ text: tail.toString(), isWhole: bytes <= tailBytesMax }, at)
      if (report !== undefined) costBudget.learn(report, at)
    },
  }
}

function readerOf(declared: CostLimit): TailReportReader {
  const reader = readers.get(declared) ?? compileTailReport(declared)
  readers.set(declared, reader)
  return reader
}

function isPlainJson(headers: Buffer[]): boolean {
  let isJson = false
  for (let at = 0; at + 1 < headers.length; at += 2) {
    const name = headers[at]?.toString('latin1').toLowerCase()
    const value = headers[at + 1]?.toString('latin1').toLowerCase() ?? ''
    if (name === 'content-encoding' && value !== 'identity') return false
    if (name === 'content-type') isJson = value.includes('json')
  }
  return isJson
}
