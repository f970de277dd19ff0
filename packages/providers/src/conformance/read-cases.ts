import type { ReadPage, ReadPageRequest } from '../connector.ts'
import { costFaults } from './cost-cases.ts'
import { failingRead, failureNames, failures, noList } from './failing-reads.ts'
import { brief, jobFaults, resultFaults } from './job-cases.ts'
import { limitHeaderFaults } from './limit-header-cases.ts'
import {
  again,
  deletionsCase,
  deletionsJob,
  fullCase,
  hasJobDeletions,
  idsCase,
  isAlwaysJob,
  isOneByOne,
  jobCase,
  noneCase,
  type ReadCase,
  wideCase,
  windowCase,
} from './read-case.ts'
import { canonical } from './stand-in/declared-request.ts'
import { resultCases } from './stand-in/job-results.ts'
import type { Json } from './stand-in/json-paths.ts'
import type { StandInServer } from './stand-in/server.ts'
import type { StandIn } from './stand-in/stand-in.ts'
import { connectorTo, memoized, type Subject } from './stand-in/subject.ts'
import { type WideFields, wideFieldsOf } from './stand-in/wide-fields.ts'
import { type Tried, tryCase } from './tried.ts'

const pagesMax = 60

/** Reads an object from its stand-in in every way. */
export async function readCases(subject: Subject, server: StandInServer): Promise<Tried[]> {
  const tried: Tried[] = []
  const run = async (name: string, make: () => ReadCase, test: (made: ReadCase) => Promise<string[]>) => {
    const group = failureNames.has(name) ? 'failures' : 'read'
    tried.push(await tryCase(group, name, () => faultsOf(make(), test)))
  }
  const complete = (made: ReadCase) => completeRead(subject, server, made)
  const full = memoized(() => fullCase(subject))
  const fresh = () => again(full())
  const runJobs = async () => {
    for (const { name, delivery, isReadable } of resultCases(subject.object)) {
      const faults = isReadable ? jobFaults : resultFaults
      await run(name, fresh, (made) => faults(subject, server, jobCase(subject, made), delivery))
    }
    if (hasJobDeletions(subject.object))
      await run(
        'job deletions',
        () => deletionsCase(subject),
        (made) => {
          const job = deletionsJob(subject, made)
          return jobFaults(job.subject, server, job.made)
        },
      )
    if (isAlwaysJob(subject))
      await run(
        'job ids',
        () => fullCase(subject, {}, { fields: [], idsOnly: true }),
        (made) => jobFaults(subject, server, jobCase(subject, made)),
      )
  }
  if (isAlwaysJob(subject)) {
    await runJobs()
    return tried
  }
  await run('full', fresh, complete)
  await run('empty', () => fullCase(subject, { isEmpty: true }), complete)
  const { incremental, deletions } = subject.object
  if (incremental !== undefined)
    await run(
      'window',
      () => windowCase(subject),
      (made) => windowFaults(subject, server, made),
    )
  const wide = wideFieldsOf(subject.object['read'] as Json)
  if (wide !== undefined)
    await run(
      'wide',
      () => wideCase(subject, wide),
      (made) => wideRead(subject, server, made, wide),
    )
  const { none, job, each, mayLackRecords } = subject.object['read'] as Record<string, Json | boolean | undefined>
  if (none !== undefined) await run('none', () => noneCase(subject, none as Json), complete)
  if (job !== undefined) await runJobs()
  // Several requests for a page would wait for each other.
  if (subject.entry.file?.errors.costLimit !== undefined && each === undefined)
    await run('cost', fresh, (made) => costFaults(subject, server, made))
  if (subject.entry.file?.errors.limitHeaders !== undefined && each === undefined && !isOneByOne(subject))
    await run('limit headers', fresh, (made) => limitHeaderFaults(subject, server, made))
  if (deletions !== undefined) await run('deletions', () => deletionsCase(subject), complete)
  await run('ids', () => idsCase(subject), complete)
  for (const [name, instead, expected] of failures)
    if (name !== noList || mayLackRecords !== true)
      await run(name, fresh, (made) => failingRead(subject, server, made, instead, expected))
  return tried
}

/** Reads all records of an object, which is the first of its cases. */
export function fullReadCase(subject: Subject, server: StandInServer): Promise<Tried> {
  const complete = (made: ReadCase) =>
    isAlwaysJob(subject) ? jobFaults(subject, server, jobCase(subject, made)) : completeRead(subject, server, made)
  return tryCase('read', 'full', () => faultsOf(fullCase(subject), complete))
}

/** What a test finds wrong, after the requests that the stand-in refused. */
async function faultsOf(made: ReadCase, test: (made: ReadCase) => Promise<string[]>): Promise<string[]> {
  // What the stand-in cannot serve is known before the first request.
  made.standIn
    .routes()
    .find(({ isTested }) => isTested)
    ?.answer('https://stand-in.example.com/')
  const found = await test(made).catch((error: unknown) => [`fails: ${String(error)}`])
  return [...made.standIn.refused.map((why) => `refused: ${why}`), ...found]
}

async function windowFaults(subject: Subject, server: StandInServer, made: ReadCase): Promise<string[]> {
  const faults = await completeRead(subject, server, made)
  return isSameAsFull(subject) ? [...faults, 'the request is the same as that of a full read'] : faults
}

/** Every record has the fields of both requests. */
async function wideRead(
  subject: Subject,
  server: StandInServer,
  made: ReadCase,
  { names }: WideFields,
): Promise<string[]> {
  const faults = await completeRead(subject, server, made)
  const pages = await pagesOf(subject, server, made.standIn, made.request)
  const partial = pages.flatMap(({ records }) => records.filter(({ raw }) => names.some((name) => !(name in raw))))
  return partial.length === 0 ? faults : [...faults, `${partial.length} records lack fields`]
}

/** Whether a window changes nothing: neither the request, nor which of its records are kept. */
function isSameAsFull(subject: Subject): boolean {
  const { filter, history } = subject.object['incremental'] as Json
  if (filter !== undefined || history !== undefined) return false
  // A window may be in the list of parents alone.
  const [full, window] = [fullCase(subject), windowCase(subject)].map(({ standIn }) =>
    canonical(standIn.routes().map(({ request }) => request)),
  )
  return full === window
}

/** Reads to the end, and once more from the second page. */
async function completeRead(subject: Subject, server: StandInServer, { standIn, request, ids, deleted }: ReadCase) {
  const faults: string[] = []
  const pages = await pagesOf(subject, server, standIn, request)
  const records = pages.flatMap((page) => page.records)
  const found = records.map(({ id }) => id)
  if (String(found) !== String(ids))
    faults.push(`${found.length} records ${brief(found)}, not ${ids.length} ${brief(ids)}`)
  const marked = records.flatMap((record) => (record.deleted === true ? [record.id] : []))
  if (String(marked) !== String(deleted)) faults.push(`deleted ${brief(marked)}, not ${brief(deleted)}`)
  const { total } = subject.object['read'] as Json
  const isCounted = pages[0]?.total !== undefined
  if (isCounted && pages[0]?.total !== ids.length && !request.since) faults.push(`total ${pages[0]?.total}`)
  const isReplaced = standIn.instead !== undefined
  if (!isCounted && !isReplaced && total !== undefined && !request.since && !(subject.object['read'] as Json)['each'])
    faults.push('no total')
  const [first] = pages
  if (first?.nextPage !== undefined) {
    const rest = await pagesOf(subject, server, standIn, { ...request, page: first.nextPage })
    const resumed = rest.flatMap((page) => page.records.map(({ id }) => id))
    const wanted = ids.slice(first.records.length)
    if (String(resumed) !== String(wanted)) faults.push(`a resumed read finds ${brief(resumed)}, not ${brief(wanted)}`)
  }
  return faults
}

async function pagesOf(subject: Subject, server: StandInServer, standIn: StandIn, request: ReadPageRequest) {
  const connector = connectorTo(server, subject, standIn)
  const pages: ReadPage[] = []
  let page = request.page
  do {
    const found: ReadPage = await connector.readPage(page === undefined ? request : { ...request, page })
    pages.push(found)
    page = found.nextPage
    if (pages.length > pagesMax) throw new Error('The read does not end.')
  } while (page !== undefined)
  return pages
}
