import type { Readable } from 'node:stream'
import { ProviderError } from '../../provider-error.ts'
import { fitsHost } from '../host-pattern.ts'
import { type Scope, scopeOf } from '../scope.ts'
import type { Attempt, Session } from '../session.ts'
import type { CompiledJob } from './compile-job.ts'
import type { JobState } from './job-state.ts'
import { decodedText, inflated } from './result-body.ts'
import { csvRows, ndjsonRows, type ResultRows, tsvRows } from './result-rows.ts'

/** A part of a result that is being downloaded. */
export interface OpenResult {
  /** Rows from the position of the read on. */
  rows: ResultRows
  /** Cursor of the next part; undefined in the last one. */
  next: string | undefined
}

/** The provider has no such result any more. */
export const expired = Symbol('expired')

interface Opening {
  session: Session
  base: URL
  job: CompiledJob
  state: JobState
  /** The variables of the job's requests. */
  scope: Scope
  /** The response to `poll`, where it has the URL. */
  answer: unknown
  signal: AbortSignal | undefined
}

/**
 * Begins the download of a part of a result, and skips what was read of it. A line format is requested from there on.
 *
 * @returns undefined if the result ends before that position
 * @throws ProviderError
 */
export async function openResult(opening: Opening): Promise<OpenResult | typeof expired | undefined> {
  const { job, state } = opening
  const { format, columns, grouped, nextHeader, lastCursor } = job.results
  const { row = 0, bytes = 0 } = state
  const isGzip = job.results.isGzip?.(opening.answer) === true
  // Bytes are those of the decoded result.
  const isRanged = format === 'ndjson' && bytes > 0 && !isGzip
  const named = urlOf(opening)
  // A URL that has expired is taken away.
  if (job.results.url !== undefined && (named.url ?? '') === '') return expired
  const { response, error } = await request(opening, named.url, isRanged ? { range: `bytes=${bytes}-` } : {})
  if (error?.class === 'not_found' || (error === undefined && response.status >= 400 && response.status < 500)) {
    // Nothing is behind the last row.
    return isRanged && response.status === 416 ? { rows: noRows(), next: named.next } : expired
  }
  if (error !== undefined) throw error
  const body = response.stream
  if (body === undefined)
    throw new ProviderError('provider_5xx', `The result of the provider’s job has status ${response.status}.`)
  const isRest = isRanged && response.status === 206 && beginsAt(response.headers['content-range'], bytes)
  const rows = rowsOf(body, isRest ? bytes : 0)
  for (let skipped = 0; !isRest && skipped < row; skipped++) if ((await rows.next()).done === true) return undefined
  const cursor = nextHeader === undefined ? undefined : response.headers[nextHeader]
  return { rows, next: cursor === undefined || cursor === '' || cursor === lastCursor ? named.next : cursor }

  function rowsOf(stream: Readable, from: number): ResultRows {
    const body = isGzip ? inflated(stream) : stream
    if (format === 'ndjson') return grouped(ndjsonRows(body, from))
    // CSV is UTF-8, whatever its content type says: providers name encodings there that it does not have.
    if (format === 'csv') return grouped(csvRows(body, columns))
    return grouped(tsvRows(decodedText(body, response.headers['content-type']), columns))
  }
}

/** The URL of the part that is read, and the position of the next one in a list of URLs. */
function urlOf({ job, state, answer }: Opening): { url: unknown; next?: string } {
  const named = job.results.url?.(answer)
  if (!Array.isArray(named)) return { url: named }
  const at = Number(state.part ?? 0)
  return { url: named[at], ...(at + 1 < named.length && { next: String(at + 1) }) }
}

async function* noRows(): ResultRows {}

function beginsAt(range: string | undefined, at: number): boolean {
  return range?.startsWith(`bytes ${at}-`) === true
}

async function request(opening: Opening, named: unknown, headers: Record<string, string>): Promise<Attempt> {
  const { session, base, job, state, scope, signal } = opening
  const { request, hosts, hasCredential, pageSize } = job.results
  if (request !== undefined) {
    const values = { pageSize, cursor: state.part }
    const options = { headers: { accept: '*/*', ...headers }, signal, isRead: true, streams: true }
    return session.attempt(request, base, scopeOf(values, scope), options)
  }
  const url = typeof named === 'string' && URL.canParse(named, base.href) ? new URL(named, base.href) : undefined
  const isKnown = url !== undefined && (url.origin === base.origin || fitsHost(hosts, url.hostname))
  if (
    !isKnown ||
    url.username !== '' ||
    url.password !== '' ||
    (url.protocol !== base.protocol && url.protocol !== 'https:')
  )
    throw new ProviderError(
      'unexpected_response',
      'The result of the provider’s job is at a host that its file does not allow.',
    )
  return session.download(url, { withCredential: hasCredential, headers, signal })
}
