import { isReadObject, type ProviderObject, type ReadObject } from '../../catalogue/format/provider-file.ts'
import type { ReadPage, ReadPageRequest } from '../../connector.ts'
import { OnlyInBackground, ProviderError } from '../../provider-error.ts'
import { planOf } from '../object-plan.ts'
import { decodePage, encodePage, type PageState } from '../page-token.ts'
import type { Session } from '../session.ts'
import type { Step } from '../stepped-window.ts'
import { JobReader } from './job-reader.ts'
import type { JobState } from './job-state.ts'
import { type JobSource, type PreparedJob, prepareJob } from './prepare-job.ts'

interface Options extends JobSource {
  session: Session
  base: URL
}

/** Records of a page. Their number decides how often the position is stored. */
const pageSizeMax = 500

/** Reads of one connection that use jobs of the provider for long lists. */
export interface ReadsByJob {
  readPage(request: ReadPageRequest, object: ProviderObject): Promise<ReadPage>
  abortJob(name: string, object: ProviderObject, id: string, signal: AbortSignal | undefined): Promise<void>
}

/**
 * The first page of a read is always that of the list: it says whether a job pays. If the job is refused, fails, never
 * ends or has an incomplete result, the list is read from its beginning. So a job decides whether a read succeeds only
 * where there is no list (`always`). A result that has expired is requested once more.
 */
export function openReadsByJob(options: Options): ReadsByJob {
  const { session, base, scopeFor, reader, now } = options
  const jobs = new JobReader({ session, base }, now)

  async function beginJob(
    request: ReadPageRequest,
    object: ReadObject,
    first: ReadPage,
  ): Promise<ReadPage | undefined> {
    const { above } = object.read.job ?? {}
    const isLong = first.nextPage !== undefined && !(first.total !== undefined && first.total <= (above ?? 0))
    const prepared = isLong ? await prepareJob(options, request, object) : undefined
    const begun = prepared && (await jobs.submit(prepared.job, prepared.scope, request.signal))
    return prepared && begun && waitingPage(begun, prepared, first)
  }

  /**
   * Every read of an object without a list is a job. A caller that cannot wait gets an error, and nothing is sent: jobs
   * take minutes, and providers limit their number.
   */
  async function beginAlways(request: ReadPageRequest, object: ReadObject, step?: Step): Promise<ReadPage> {
    if (request.jobs !== true && request.mayWait !== true) throw new OnlyInBackground()
    const prepared = await prepareJob(options, request, object, step)
    const begun = prepared && (await jobs.submit(prepared.job, prepared.scope, request.signal))
    if (prepared === undefined || begun === undefined)
      throw new ProviderError('bad_request', 'No job of the provider returns the selected fields.')
    return waitingPage(begun, prepared)
  }

  async function continueJob(
    request: ReadPageRequest,
    object: ReadObject,
    { job: state, step }: { job: JobState; step?: Step | undefined },
  ): Promise<ReadPage> {
    const prepared = await prepareJob(options, request, object, step)
    // The file was changed while the job was running.
    if (prepared === undefined)
      throw new ProviderError('cursor_gone', 'The provider file does not describe the job of this read any more.')
    const { job, scope } = prepared
    const { signal } = request
    const pageSize = Math.max(1, Math.min(request.pageSize ?? pageSizeMax, pageSizeMax))
    const page = await jobs.step({ job, state, scope, pageSize, signal })
    if ('why' in page) {
      const again = page.isExpired && state.again === undefined ? await jobs.submit(job, scope, signal) : undefined
      if (again !== undefined)
        return { ...waitingPage({ ...again, again: 1 }, prepared), notice: `${page.why} Mortise starts another job.` }
      if (job.always) throw new ProviderError('unexpected_response', page.why)
      const { page: _, ...fromStart } = request
      return { ...(await reader.readPage(fromStart, object)), notice: `${page.why} Mortise reads the list instead.` }
    }
    const records = await reader.recordsOf(request.object, prepared.object, request.fields, prepared.typed(page.rows), {
      isPartial: false,
      signal,
    })
    for (const record of records) if (prepared.isDeleted?.(record.raw) === true) record.deleted = true
    const { next, waitMs } = page
    return {
      records,
      nextPage: next === undefined ? tokenBehind(prepared, request, object) : tokenOf(next, prepared),
      ...(waitMs !== undefined && { waitMs }),
    }
  }

  return {
    async readPage(request, object) {
      if (!isReadObject(object)) return reader.readPage(request, object)
      const { job, step, deleted }: PageState = request.page === undefined ? {} : decodePage(request.page)
      if (job !== undefined) return continueJob(request, object, { job, step })
      if (object.read.job?.always === true && deleted !== true) return beginAlways(request, object, step)
      const page = await reader.readPage(request, object)
      if (request.jobs !== true || request.page !== undefined || object.read.job === undefined) return page
      return (await beginJob(request, object, page)) ?? page
    },
    async abortJob(name, object, id, signal) {
      const job = isReadObject(object) ? planOf(object, name).job : undefined
      if (job !== undefined) await jobs.abort(job, id, scopeFor(name, object), signal)
    },
  }
}

/** The token of the next page of a job. */
function tokenOf(job: JobState, { step }: PreparedJob): string {
  return encodePage({ job, ...(step !== undefined && { step }) })
}

/** The token of what follows a job: the next part of the window, then the list of deleted records. */
function tokenBehind({ following }: PreparedJob, request: ReadPageRequest, object: ReadObject): string | undefined {
  if (following !== undefined) return encodePage({ step: following })
  const wantsDeletions = request.deletions === true && request.since !== undefined
  return wantsDeletions && object.deletions?.list !== undefined ? encodePage({ deleted: true }) : undefined
}

function waitingPage(state: JobState, prepared: PreparedJob, { total }: { total?: number } = {}): ReadPage {
  return {
    records: [],
    nextPage: tokenOf(state, prepared),
    waitMs: prepared.job.poll.everyMs,
    ...(total !== undefined && { total }),
  }
}
