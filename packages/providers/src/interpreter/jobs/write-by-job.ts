import type { ProviderObject } from '../../catalogue/format/provider-file.ts'
import type { WriteJob as Declared } from '../../catalogue/format/write-job.ts'
import type { BatchRecordResult, BatchWriteItem, WriteJob, WriteJobState } from '../../connector.ts'
import { ProviderError } from '../../provider-error.ts'
import { retryAfterMs } from '../header-time.ts'
import { compilePath, type PathReader, scalarText } from '../path.ts'
import { type CompiledRequest, compileRequest, type Scope, scopeOf } from '../request.ts'
import type { Attempt, Session } from '../session.ts'
import { isPage } from '../unexpected-answer.ts'
import { writePlanOf } from '../writing/write-plan.ts'
import { columnsOf, recordRows, rowKey } from './record-rows.ts'
import { csvRows } from './result-rows.ts'

/** A result of records, and what a row of it means. */
interface CompiledResult {
  request: CompiledRequest
  /** Columns that it must have. */
  needed: readonly string[]
  resultOf: (row: Record<string, unknown>, why: string) => BatchRecordResult
}

interface CompiledWriteJob
  extends Omit<WriteJob, 'rows' | 'submit' | 'upload' | 'start' | 'state' | 'results' | 'abort'> {
  declared: Declared
  operation: string
  submit: CompiledRequest
  id: PathReader
  upload: CompiledRequest
  start: CompiledRequest
  poll: CompiledRequest & { state: PathReader; message: PathReader }
  results: readonly CompiledResult[]
  abort: CompiledRequest
}

const secondsDefault = 10
const hoursDefault = 24

const compiled = new WeakMap<Declared, Map<'create' | 'update', CompiledWriteJob>>()

/** The job of an object for such writes, compiled once; undefined where its file declares none. */
function jobOf({ write }: ProviderObject, type: 'create' | 'update'): CompiledWriteJob | undefined {
  const declared = write?.job
  const operation = declared?.operations[type]
  if (declared === undefined || operation === undefined) return undefined
  const known = compiled.get(declared) ?? new Map<'create' | 'update', CompiledWriteJob>()
  compiled.set(declared, known)
  const found = known.get(type)
  if (found !== undefined) return found
  const job = compileWriteJob(declared, operation)
  known.set(type, job)
  return job
}

function compileWriteJob(declared: Declared, operation: string): CompiledWriteJob {
  const { above, max, submit, upload, start, poll, results, abort } = declared
  const { written, refused, unprocessed } = results
  const uploaded = withMethod('PUT', upload)
  return {
    declared,
    operation,
    above,
    max,
    everyMs: (poll.everySeconds ?? secondsDefault) * 1000,
    maxMs: (poll.maxHours ?? hoursDefault) * 3_600_000,
    submit: compileRequest(submit),
    id: compilePath(submit.id),
    upload: {
      ...uploaded,
      headers: (scope) => ({ 'content-type': 'text/csv; charset=UTF-8', ...uploaded.headers(scope) }),
      body: (scope) => scalarText(scope('rows')),
    },
    start: withMethod('PATCH', start),
    poll: {
      ...compileRequest(poll),
      state: compilePath(poll.state),
      message: poll.message === undefined ? () => undefined : compilePath(poll.message),
    },
    results: [
      {
        request: compileRequest(written),
        needed: [written.id],
        resultOf(row) {
          const recordId = scalarText(row[written.id])
          return { success: true, ...(recordId !== undefined && { recordId }) }
        },
      },
      {
        request: compileRequest(refused),
        needed: [refused.error],
        resultOf: (row) =>
          failed(scalarText(row[refused.error]) ?? 'The provider refused the record without a reason.'),
      },
      ...(unprocessed === undefined
        ? []
        : [
            {
              request: compileRequest(unprocessed),
              needed: [],
              resultOf: (_: Record<string, unknown>, why: string) => failed(`This record was not processed. ${why}`),
            },
          ]),
    ],
    abort: withMethod('POST', abort),
  }
}

function withMethod(byDefault: string, { method, ...request }: Declared['start']): CompiledRequest {
  return { ...compileRequest(request), method: method ?? byDefault }
}

function failed(message: string): BatchRecordResult {
  return { success: false, errors: [{ message }] }
}

export interface WritingByJob {
  session: Session
  base: URL
  now: () => number
  scopeFor(name: string, object: ProviderObject): Scope
}

/** Returns the job of an object for such writes, at one connection; undefined where its file declares none. */
export function openWriteJob(
  { session, base, now, scopeFor }: WritingByJob,
  { name, object }: { name: string; object: ProviderObject | undefined },
  type: 'create' | 'update',
): WriteJob | undefined {
  const job = object && jobOf(object, type)
  if (object === undefined || job === undefined) return undefined
  const { shape } = writePlanOf(object)
  const { bytesMax, idColumn, emptyText } = job.declared
  const format = { bytesMax, idColumn: type === 'update' ? idColumn : undefined, emptyText }
  const scope = scopeOf({ operation: job.operation }, scopeFor(name, object))
  const ofJob = (id: string) => scopeOf({ job: { id } }, scope)
  const shaped = (items: readonly BatchWriteItem[]) =>
    items.map((item): BatchWriteItem => ({ ...item, record: shape(item.record) }))

  /** @throws ProviderError also for a page of HTML with a status of success */
  async function sent(request: CompiledRequest, scope: Scope, signal: AbortSignal | undefined) {
    const { response, error } = await session.attempt(request, base, scope, { signal })
    if (error !== undefined) throw error
    if (isPage(response.body)) throw session.unexpected(response, '')
    return response
  }

  return {
    above: job.above,
    max: job.max,
    maxMs: job.maxMs,
    everyMs: job.everyMs,
    rows(items) {
      if (items.some(({ associations }) => associations !== undefined)) return undefined
      const rows = recordRows(shaped(items), format)
      return rows && { text: rows.text, count: rows.keys.length }
    },
    async submit({ signal } = {}) {
      const { response, error } = await session.attempt(job.submit, base, scope, { signal })
      if (error !== undefined && isRefusal(error)) return undefined
      if (error !== undefined) throw error
      if (response.json === undefined) throw session.unexpected(response, 'The response to the new job is not JSON.')
      const id = scalarText(job.id(response.json))
      if (id === undefined || id === '')
        throw session.unexpected(response, 'The response to the new job has no id of it.')
      return id
    },
    async upload(id, text, { signal } = {}) {
      const { response, error } = await session.attempt(job.upload, base, scopeOf({ rows: text }, ofJob(id)), {
        signal,
      })
      if (error !== undefined && isRefusal(error)) return false
      if (error !== undefined) throw error
      if (isPage(response.body)) throw session.unexpected(response, '')
      return true
    },
    async start(id, { signal } = {}) {
      await sent(job.start, ofJob(id), signal)
    },
    async state(id, { signal } = {}) {
      const { response, error } = await session.attempt(job.poll, base, ofJob(id), { signal, isRead: true })
      if (error !== undefined) throw error
      const found = scalarText(job.poll.state(response.json))
      if (found === undefined) throw session.unexpected(response, 'The response has no state of the job.')
      const { done, failed, waiting } = job.declared.poll
      if (done.includes(found)) return { is: 'done' }
      if (failed.includes(found)) {
        const reason = scalarText(job.poll.message(response.json))
        const words = reason === undefined || reason === '' ? '' : ` The provider says: ${session.safe(reason)}`
        return { is: 'failed', why: `The provider’s job ended as ${session.safe(found)}.${words}` }
      }
      if (waiting.includes(found)) return { is: 'waiting' }
      const asked = retryAfterMs(response.headers['retry-after'], now()) ?? 0
      return { is: 'running', waitMs: Math.max(job.everyMs, asked) }
    },
    results: (id, items, { signal, why = 'The provider’s job ended before.' } = {}) =>
      resultsOf({ session, base, scope: ofJob(id), signal, why }, job.results, matcher(shaped(items), format)),
    async abort(id, { signal } = {}) {
      const { error } = await session.attempt(job.abort, base, ofJob(id), { signal })
      // A job that has ended cannot be aborted.
      if (error !== undefined && !isRefusal(error)) throw error
    },
  } satisfies WriteJob & { state(id: string): Promise<WriteJobState> }
}

/** Which record a row of a result is of. */
interface Matcher {
  count: number
  /** Takes one of the records that the row fits; the rows of equal records are interchangeable. */
  take(row: Record<string, unknown>): number | undefined
}

function matcher(items: readonly BatchWriteItem[], format: Parameters<typeof recordRows>[1]): Matcher {
  const { keys = [] } = recordRows(items, { ...format, bytesMax: Number.POSITIVE_INFINITY }) ?? {}
  const columns = columnsOf(items, format.idColumn)
  const positions = new Map<string, number[]>()
  for (const [at, key] of [...keys.entries()].toReversed()) {
    const list = positions.get(key)
    if (list === undefined) positions.set(key, [at])
    else list.push(at)
  }
  return { count: items.length, take: (row) => positions.get(rowKey(row, columns, format))?.pop() }
}

/**
 * Downloads what became of each record. Rows that fit no record count only if everything that is left was written: then
 * its order does not matter.
 */
async function resultsOf(
  at: { session: Session; base: URL; scope: Scope; signal: AbortSignal | undefined; why: string },
  results: readonly CompiledResult[],
  matcher: Matcher,
): Promise<(BatchRecordResult | undefined)[]> {
  const found: (BatchRecordResult | undefined)[] = Array.from({ length: matcher.count })
  const unmatched: BatchRecordResult[] = []
  let rows = 0
  for (const { request, needed, resultOf } of results) {
    for await (const { value } of csvRows(await download(at, request), needed, { mayBeEmpty: true })) {
      if (++rows > matcher.count)
        throw new ProviderError('unexpected_response', 'The result of the provider’s job has more rows than records.')
      const result = resultOf(value, at.why)
      const errors = result.errors?.map(({ message }) => ({ message: at.session.safe(message) }))
      const safe = { ...result, ...(errors && { errors }) }
      const position = matcher.take(value)
      if (position === undefined) unmatched.push(safe)
      else found[position] = safe
    }
  }
  const left = [...found.entries()].filter(([, result]) => result === undefined)
  if (left.length === unmatched.length && unmatched.every(({ success }) => success))
    for (const [index, [position]] of left.entries()) found[position] = unmatched[index]
  return found
}

async function download({ session, base, scope, signal }: Parameters<typeof resultsOf>[0], request: CompiledRequest) {
  const options = { headers: { accept: 'text/csv' }, signal, isRead: true, streams: true }
  const { response, error }: Attempt = await session.attempt(request, base, scope, options)
  if (error !== undefined) throw error
  if (response.stream === undefined)
    throw new ProviderError('provider_5xx', `The result of the provider’s job has status ${response.status}.`)
  return response.stream
}

/** Whether an answer says no to this job, and not to every request. */
function isRefusal({ class: kind }: ProviderError): boolean {
  return kind === 'bad_request' || kind === 'forbidden' || kind === 'not_found'
}
