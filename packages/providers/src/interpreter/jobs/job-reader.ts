import type { ProviderError } from '../../provider-error.ts'
import { retryAfterMs } from '../header-time.ts'
import { stuck } from '../paging/pager.ts'
import { scalarText } from '../path.ts'
import { type Scope, scopeOf } from '../scope.ts'
import type { Session } from '../session.ts'
import type { CompiledJob } from './compile-job.ts'
import type { JobState } from './job-state.ts'
import { expired, type OpenResult, openResult } from './open-result.ts'

/** A step of a job: some records, or a wait. */
export interface JobPage {
  rows: Record<string, unknown>[]
  /** Undefined behind the last record of a complete result. */
  next: JobState | undefined
  waitMs?: number
}

/** A job that will never deliver its whole result. */
export interface BrokenJob {
  why: string
  /** The result existed, and the provider has deleted it. */
  isExpired: boolean
}

export interface JobStep {
  job: CompiledJob
  state: JobState
  /** The variables of the object. */
  scope: Scope
  /** Number of records of a page. */
  pageSize: number
  signal: AbortSignal | undefined
}

/** Records of a page are in memory together: they have this many bytes, and one record more. */
const pageBytesMax = 2 * 1024 * 1024

/** Submits jobs of a provider, waits for them, and reads their results page by page from one download. */
export class JobReader {
  readonly #at: { session: Session; base: URL }
  readonly #now: () => number
  /** The download that the next page continues, by its position. */
  #open: { position: string; result: OpenResult } | undefined

  constructor(at: { session: Session; base: URL }, now: () => number) {
    this.#at = at
    this.#now = now
  }

  /** Starts a job. Returns undefined if the provider refuses it. @throws ProviderError */
  async submit(job: CompiledJob, scope: Scope, signal: AbortSignal | undefined): Promise<JobState | undefined> {
    const { session, base } = this.#at
    const { response, error } = await session.attempt(job.submit, base, scope, { signal, isRead: true })
    if (error !== undefined && (job.always || !isRefusal(error))) throw error
    const id = error === undefined ? scalarText(job.id(response.json)) : undefined
    if (error === undefined && response.json === undefined)
      throw session.unexpected(response, 'The response to the start of a job is not JSON.')
    if (job.always && (id ?? '') === '') throw session.unexpected(response, 'The response has no id of the job.')
    if (id === undefined || id === '') return undefined
    return (await this.#start(job, id, scope, signal)) ? { id, at: this.#now() } : undefined
  }

  /** Starts a job that was only created. Returns false if the provider refuses it. @throws ProviderError */
  async #start(job: CompiledJob, id: string, scope: Scope, signal: AbortSignal | undefined): Promise<boolean> {
    if (job.start === undefined) return true
    const { session, base } = this.#at
    const own = scopeOf({ job: { id } }, scope)
    const { error } = await session.attempt(job.start, base, own, { signal, isRead: true })
    if (error === undefined) return true
    // The next attempt creates another job.
    await this.abort(job, id, scope, signal).catch(() => undefined)
    if (job.always || !isRefusal(error)) throw error
    return false
  }

  /** Takes the next step of a job: asks for its state, or reads the next records. @throws ProviderError */
  async step(step: JobStep): Promise<JobPage | BrokenJob> {
    const { job, signal } = step
    const { state } = step
    if (this.#open?.position === positionOf(state)) return this.#take(step, this.#open.result)
    const polled = state.isDone === true && job.results.url === undefined ? { state } : await this.#poll(step)
    if (!('state' in polled)) return polled
    const result = await openResult({
      ...this.#at,
      job,
      state: polled.state,
      scope: this.#scopeOf(step),
      answer: polled.answer,
      signal,
    })
    if (result === expired) return { why: 'The result of the job has expired.', isExpired: true }
    if (result === undefined) return incomplete
    return this.#take({ ...step, state: polled.state }, result)
  }

  /** Ends a job at the provider, if its file says how. @throws ProviderError */
  async abort(job: CompiledJob, id: string, scope: Scope, signal: AbortSignal | undefined): Promise<void> {
    if (job.abort === undefined) return
    const { session, base } = this.#at
    const { error } = await session.attempt(job.abort, base, scopeOf({ job: { id } }, scope), { signal })
    // A job that has ended cannot be aborted.
    if (error !== undefined && !isRefusal(error)) throw error
  }

  #scopeOf({ state, scope }: JobStep): Scope {
    return scopeOf({ job: { id: state.id } }, scope)
  }

  async #poll(step: JobStep): Promise<JobPage | BrokenJob | { state: JobState; answer?: unknown }> {
    const { job, state, signal } = step
    const { session, base } = this.#at
    const { request, failed, done, everyMs, maxMs, ...paths } = job.poll
    const { response, error } = await session.attempt(request, base, this.#scopeOf(step), { signal, isRead: true })
    if (error?.class === 'not_found') return { why: 'The provider does not know the job any more.', isExpired: true }
    if (error !== undefined) throw error
    const found = scalarText(paths.state(response.json))
    if (found === undefined) throw session.unexpected(response, 'The response has no state of the job.')
    if (failed.has(found)) {
      const reason = scalarText(paths.message(response.json))
      const words = reason === undefined ? '' : ` The provider says: ${session.safe(reason)}`
      return { why: `The job ended as ${session.safe(found)}.${words}`, isExpired: false }
    }
    if (done.has(found)) {
      const count = Number(scalarText(paths.count(response.json)) || Number.NaN)
      const complete = { ...state, isDone: true, ...(Number.isSafeInteger(count) && { count }) }
      // A list that a job stands for has more than a page of records.
      if (count === 0) return job.always ? { rows: [], next: undefined } : incomplete
      return { state: complete, answer: await this.#document(step, response.json) }
    }
    if (this.#now() - state.at >= maxMs) {
      await this.abort(job, state.id, step.scope, signal)
      return { why: `The job has not ended in ${maxMs / 3_600_000} hours.`, isExpired: false }
    }
    const asked = retryAfterMs(response.headers['retry-after'], this.#now()) ?? 0
    return { rows: [], next: state, waitMs: Math.max(everyMs, asked) }
  }

  /** Returns the response that has the URL of the result. */
  async #document({ job, state, scope, signal }: JobStep, polled: unknown): Promise<unknown> {
    if (job.results.document === undefined) return polled
    const { session, base } = this.#at
    const document = scalarText(job.poll.document(polled))
    const own = scopeOf({ job: { id: state.id, document } }, scope)
    const { response, error } = await session.attempt(job.results.document, base, own, { signal, isRead: true })
    // A document that was deleted has no URL: the result has expired.
    if (error?.class === 'not_found') return undefined
    if (error !== undefined) throw error
    return response.json
  }

  async #take({ state, pageSize }: JobStep, result: OpenResult): Promise<JobPage | BrokenJob> {
    this.#open = undefined
    const { row = 0, rows: before = 0, part } = state
    const rows: Record<string, unknown>[] = []
    let end = state.bytes ?? 0
    const until = end + pageBytesMax
    while (rows.length < pageSize && end < until) {
      const { value, done } = await result.rows.next()
      if (done === true) {
        const read = { ...state, rows: before + rows.length }
        if (result.next === undefined) return isComplete(read) ? { rows, next: undefined } : incomplete
        if (result.next === part) throw stuck()
        const { row: _, bytes: __, ...next } = read
        return { rows, next: { ...next, part: result.next } }
      }
      rows.push(value.value)
      end = value.end
    }
    const next = { ...state, row: row + rows.length, rows: before + rows.length, bytes: end }
    this.#open = { position: positionOf(next), result }
    return { rows, next }
  }
}

const incomplete: BrokenJob = {
  why: 'The result of the job has another number of records than it should.',
  isExpired: false,
}

function isComplete({ count, rows }: JobState): boolean {
  return count === undefined || count === rows
}

function positionOf({ id, part, row }: JobState): string {
  return JSON.stringify([id, part ?? null, row ?? 0])
}

/** Whether an answer says no to this job, and not to every request. */
function isRefusal({ class: kind }: ProviderError): boolean {
  return kind === 'bad_request' || kind === 'forbidden' || kind === 'not_found'
}
