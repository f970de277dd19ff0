import type { ReadPage, ReadPageRequest } from '../connector.ts'
import { ProviderError } from '../provider-error.ts'
import { declaredRequest } from './stand-in/declared-request.ts'
import { type Delivery, plain } from './stand-in/job-results.ts'
import { fitted, isJson, type Json, unfitted, valueAt, withValue } from './stand-in/json-paths.ts'
import type { StandInServer } from './stand-in/server.ts'
import { fixedRoute, type Route } from './stand-in/stand-in.ts'
import { connectorTo, type Subject, standInFor } from './stand-in/subject.ts'

const job = { id: 'job-1', document: 'document-1' }
const ids = ['2001', '2002', '2003']
const foreign = 'https://files.stand-in.example.com'

/** A read whose list is long enough for a job. */
export interface JobCase {
  /** The list, of which only the first page is read. */
  list: readonly Route[]
  request: ReadPageRequest
  /** Variables of the request. */
  values: Json
  /** What the last row of the result looks like, which is a deleted record then. */
  mark?: Json | undefined
  /** Ids of the list of deleted records, which follows the job. */
  deleted?: readonly string[]
}

/**
 * Reads an object by its job: submit, two polls, and a result in two parts where the file declares parts. A read that
 * begins again after each page continues the same job. Returns what is not as the file says.
 */
export async function jobFaults(
  subject: Subject,
  server: StandInServer,
  made: JobCase,
  delivery: Delivery = plain,
): Promise<string[]> {
  const faults: string[] = []
  const { mark, deleted = [] } = made
  const all = [...ids, ...deleted]
  const gone = [...(mark === undefined ? [] : ids.slice(-1)), ...deleted]
  for (const restarts of [false, true]) {
    const submitted = { count: 0 }
    const { pages, connector, refused } = await pagesOf(subject, server, { ...made, delivery, submitted }, restarts)
    const records = pages.flatMap((page) => page.records)
    const found = records.map(({ id }) => id)
    if (String(found) !== String(all)) faults.push(`records ${brief(found)}, not ${brief(all)}`)
    const marked = records.flatMap((record) => (record.deleted === true ? [record.id] : []))
    if (String(marked) !== String(gone)) faults.push(`deleted ${brief(marked)}, not ${brief(gone)}`)
    if (submitted.count !== 1) faults.push(`${submitted.count} jobs`)
    if (pages.filter(({ waitMs }) => waitMs !== undefined).length !== 2) faults.push('no wait for the job')
    faults.push(...pages.flatMap(({ notice }) => notice ?? []))
    if (isJson((subject.object['read'] as { job: Json }).job['abort']))
      await connector.abortJob(made.request.object, job.id)
    faults.push(...refused.map((why) => `refused: ${why}`))
  }
  return faults
}

/** Reads a result that cannot be read. It must be an error, whatever was read before it. */
export async function resultFaults(
  subject: Subject,
  server: StandInServer,
  made: JobCase,
  delivery: Delivery,
): Promise<string[]> {
  const read = pagesOf(subject, server, { ...made, delivery, submitted: { count: 0 } }, false)
  const error = await read.then(
    ({ pages }) => `a success with ${pages.flatMap(({ records }) => records).length} records`,
    (failure: unknown) => failure,
  )
  if (!(error instanceof ProviderError)) return [String(error)]
  return error.class === 'unexpected_response' ? [] : [`${error.class}, not unexpected_response: ${error.message}`]
}

type SentJob = JobCase & { delivery: Delivery; submitted: { count: number } }

async function pagesOf(subject: Subject, server: StandInServer, sent: SentJob, restarts: boolean) {
  const standIn = standInFor(subject, () => [...longList(subject, sent.list), ...jobRoutes(subject, sent)])
  let connector = connectorTo(server, subject, standIn)
  const pages: ReadPage[] = []
  let page: string | undefined
  do {
    if (restarts) connector = connectorTo(server, subject, standIn)
    const size = page === undefined ? {} : { page, pageSize: sizeOf(sent, restarts) }
    const request = { ...sent.request, ...size, jobs: true }
    pages.push(await connector.readPage(request))
    page = pages.at(-1)?.nextPage
  } while (page !== undefined && pages.length < 20)
  return { pages, connector, refused: standIn.refused }
}

/** Records of a page. A list that follows the job has pages of the size that the caller requests. */
function sizeOf({ request, deleted = [] }: SentJob, restarts: boolean): number {
  if (deleted.length > 0 && request.pageSize !== undefined) return request.pageSize
  return restarts ? 1 : 100
}

/** The first page says that there are more records than a job pays for. */
function longList({ object }: Subject, routes: readonly Route[]): Route[] {
  const { total, job: declared } = object['read'] as { total?: string; job: { above?: number } }
  return routes.map((route) => ({
    ...route,
    answer(url) {
      const answer = route.answer(url)
      return total === undefined
        ? answer
        : { ...answer, body: withValue(answer.body, total, (declared.above ?? 0) + 1) }
    },
  }))
}

function jobRoutes({ object, base }: Subject, { values, delivery, submitted, mark = {} }: SentJob): Route[] {
  const { job: declared, id: idPath = 'id' } = object['read'] as { job: Record<string, Json>; id?: string }
  const { submit = {}, start, poll = {}, results = {}, abort } = declared
  const ofJob = { ...values, job }
  const to = (request: Json, more: Json = {}) => declaredRequest(request, base, { ...ofJob, ...more })
  const { done = [], state = '', count, url } = { ...poll, ...results } as { done?: string[] } & Record<string, string>
  const named = (body: unknown) => answerWithUrl(body, results, delivery)
  let polls = 0
  const routes: Route[] = [
    {
      ...fixedRoute(to(submit), undefined),
      answer() {
        submitted.count++
        return { body: withValue({}, String(submit['id']), job.id) }
      },
    },
    {
      ...fixedRoute(to(poll), undefined),
      answer() {
        polls++
        if (polls === 1) return { body: withValue({}, state, 'a state of a running job') }
        let body = withValue({}, state, done[0])
        if (count !== undefined) body = withValue(body, count, ids.length)
        if (poll['document'] !== undefined) body = withValue(body, String(poll['document']), job.document)
        return { body: isJson(results['document']) ? body : named(body) }
      },
    },
    ...(isJson(results['document']) ? [fixedRoute(to(results['document']), named({}))] : []),
    ...typeRoutes(object, base, values, mark),
  ]
  if (isJson(start)) routes.push(fixedRoute(to({ method: 'POST', ...start }), {}))
  if (isJson(abort)) routes.push(fixedRoute(to({ method: 'POST', ...abort }), {}))
  const { nextHeader, lastCursor, pageSizeMax = 10_000 } = results as Record<string, string | number | undefined>
  const parts = nextHeader === undefined ? [ids] : [ids.slice(0, 2), ids.slice(2)]
  for (const [at, part] of parts.entries()) {
    const next = at + 1 < parts.length ? `part-${at + 1}` : lastCursor
    const headers = nextHeader === undefined || next === undefined ? {} : { [String(nextHeader)]: String(next) }
    const cursor = at === 0 ? {} : { cursor: `part-${at}` }
    const body = resultOf(part, { idPath, mark, format: results['format'] })
    const request =
      url === undefined
        ? to(results, { pageSize: pageSizeMax, ...cursor })
        : declaredRequest({ path: '/result', query: { signature: 's' } }, hostOf(results), {})
    const isForeign = url !== undefined && results['credential'] !== true
    const isFile = results['format'] === 'ndjson'
    routes.push({ ...fixedRoute(request, delivery.bytes(body), false, headers), isForeign, isFile })
  }
  return routes
}

/** Rows of a result. The last row of the last part meets the mark. */
function resultOf(part: readonly string[], { idPath, mark, format }: { idPath: string; mark: Json; format: unknown }) {
  const rows = part.map((id) => fitted(withValue({}, idPath, id), id === ids.at(-1) ? mark : undefined))
  if (format === 'ndjson') return rows.map((row) => `${JSON.stringify(row)}\n`).join('')
  const columns = [idPath, ...Object.keys(mark)]
  const lines = rows.map((row) => columns.map((name) => valueAt(row, name) ?? '').join())
  return [columns.join(), ...lines, ''].join('\n')
}

/** The response that has the URL of the result, and says whether the result is compressed. */
function answerWithUrl(body: unknown, results: Json, { isCompressed }: Delivery): unknown {
  const { url, gzip } = results as { url?: string; gzip?: Json }
  const named = url === undefined ? body : withValue(body, url, addressOf(results))
  return isCompressed ? fitted(named, gzip) : unfitted(named, gzip)
}

function addressOf(results: Json): string {
  return `${hostOf(results)}/result?signature=s`
}

/** An allowed host of a result. */
function hostOf({ hosts = [] }: { hosts?: string[] }): string {
  const [host] = hosts
  return host === undefined ? foreign : `https://${host.replace('*', 'stand-in')}`
}

/** The description of the fields, where the job needs their types. */
function typeRoutes(object: Json, base: string, values: Json, mark: Json): Route[] {
  const { job: declared, id = 'id' } = object['read'] as { job: { exceptTypes?: unknown; results: Json }; id?: string }
  if (declared.exceptTypes === undefined && declared.results['types'] === undefined) return []
  const sources = (object['fields'] ?? []) as Json[]
  return sources
    .filter(({ source }) => source === 'live')
    .map((source) => {
      const name = String([source['name']].flat()[0])
      const marks = Object.keys(mark).map((field) => withValue(withValue({}, name, field), typePath(source), 'boolean'))
      const list = withValue({}, String(source['records'] ?? ''), [withValue({}, name, id), ...marks])
      return fixedRoute(declaredRequest(source, base, values), valueAt(list, ''))
    })
}

const typePath = ({ providerType }: Json) => String([providerType ?? 'type'].flat()[0])

export function brief(ids: readonly unknown[]): string {
  return ids.length > 8 ? `[${ids.slice(0, 3).join()} … ${ids.slice(-3).join()}]` : `[${ids.join()}]`
}
