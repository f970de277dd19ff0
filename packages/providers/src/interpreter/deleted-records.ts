import { isReadObject, type ProviderObject, type ReadObject } from '../catalogue/format/provider-file.ts'
import type { ReadPage, ReadPageRequest } from '../connector.ts'
import { ProviderError } from '../provider-error.ts'
import { compileMatch, type Matcher } from './match.ts'
import { joinChanges, mergeTree } from './merge-tree.ts'
import type { PageState } from './page-token.ts'

const withDeleted = new WeakMap<ReadObject, ReadObject>()
const alone = new WeakMap<ReadObject, ReadObject | undefined>()
const marks = new WeakMap<ReadObject, Matcher | undefined>()

/** Returns the object as it is read where deleted records are requested, too. */
export function withDeletedRecords(object: ReadObject): ReadObject {
  const { deletions, incremental } = object
  if (deletions?.read === undefined) return object
  const known = withDeleted.get(object)
  if (known !== undefined) return known
  const changes = joinChanges(incremental?.read ?? {}, deletions.read)
  // What fields a request names is decided before which request is sent.
  const { fieldsAlways = object.read.fieldsAlways } = deletions.read as Partial<ReadObject['read']>
  const { job, ...listed } = fieldsAlways === undefined ? object.read : { ...object.read, fieldsAlways }
  const read = { ...listed, ...(job && { job: { ...job, submit: mergeTree(job.submit, deletions.job ?? {}) } }) }
  const made: ReadObject = { ...object, read, incremental: { ...incremental, read: changes } }
  withDeleted.set(object, made)
  return made
}

/** Returns the list of deleted records as an object that is read separately; undefined if the provider has none. */
export function deletedObject(object: ReadObject): ReadObject | undefined {
  if (alone.has(object)) return alone.get(object)
  const { deletions, incremental } = object
  const list = deletions?.list
  let made: ReadObject | undefined
  if (list !== undefined) {
    const { read: _, filter: __, reach: ___, ...window } = incremental ?? {}
    const filter = deletions?.timestamp === undefined ? undefined : { timestamp: deletions.timestamp }
    made = { ...object, read: mergeTree(object.read, list), incremental: { ...window, ...(filter && { filter }) } }
  }
  alone.set(object, made)
  return made
}

interface ReportedRead {
  /** The list of deleted records, as `deletedObject` returns it. */
  object: ReadObject
  request: ReadPageRequest
  state: PageState
  provider: string
  now: number
}

/**
 * Reads a page of the list of deleted records, as far back as the provider keeps them, and says on the last page
 * whether any of the window may be missing.
 */
export async function readReported(
  { object, request, state, provider, now }: ReportedRead,
  read: (request: ReadPageRequest, state: PageState) => Promise<ReadPage>,
): Promise<ReadPage> {
  const { reach } = object.deletions ?? {}
  const begin = request.since?.getTime() ?? now
  const reported = reach === undefined ? begin : now - reach * dayMs + marginMs
  // Fixed by the first page, so that all pages are those of one window.
  const from = state.deletedFrom ?? Math.max(begin, reported)
  const days = reach === 1 ? 'day' : `${reach} days`
  const missed = from > begin ? { missedDeletions: `${provider} reports deletions of the last ${days} only.` } : {}
  if (from > (request.until?.getTime() ?? now)) return { records: [], nextPage: undefined, ...missed }
  try {
    const at = from > begin ? { ...state, deletedFrom: from } : state
    const page = await read({ ...request, since: new Date(from) }, at)
    return page.nextPage === undefined ? { ...page, ...missed } : page
  } catch (error) {
    // Other records are read, and a later window may be shorter: the read must not fail each time.
    if (!(error instanceof ProviderError) || !isLeftOut(error)) throw error
    const { message } = error
    const missedDeletions =
      error.class === 'forbidden' ? `The provider refuses the list of deleted records: ${message}` : message
    return { records: [], nextPage: undefined, missedDeletions }
  }
}

/** Whether only the list of deleted records cannot be read, such as one that needs another scope. */
function isLeftOut(error: ProviderError): boolean {
  return error.class === 'list_truncated' || error.class === 'forbidden'
}

const dayMs = 86_400_000
/** The request may arrive later than it was made. */
const marginMs = 3_600_000

/** Returns what tells a deleted record from others among those that the object lists. */
export function deletionMark(object: ReadObject): Matcher | undefined {
  if (marks.has(object)) return marks.get(object)
  const when = object.deletions?.when
  const mark = when === undefined ? undefined : compileMatch(when)
  marks.set(object, mark)
  return mark
}

/** Whether the provider reports deleted records of the object. */
export function reportsDeletions(object: ProviderObject | undefined): boolean {
  return isReadObject(object) && object.deletions !== undefined
}
