import type { ProviderEntry } from '../catalogue/entry.ts'
import type { ReadPage, ReadPageRequest } from '../connector.ts'
import { compilePattern } from '../interpreter/pattern.ts'
import { ProviderError } from '../provider-error.ts'
import { costFaults } from './cost-cases.ts'
import { jobFaults, resultFaults } from './job-cases.ts'
import { limitHeaderFaults } from './limit-header-cases.ts'
import { canonical, declaredRequest } from './stand-in/declared-request.ts'
import { filledText } from './stand-in/fill.ts'
import type { Answer } from './stand-in/http-server.ts'
import { resultCases } from './stand-in/job-results.ts'
import { fits, fitted, type Json, withValue } from './stand-in/json-paths.ts'
import { namesPageSize } from './stand-in/list-pages.ts'
import type { RecordFacts } from './stand-in/records.ts'
import type { StandInServer } from './stand-in/server.ts'
import { type Contents, type Source, sourceOf } from './stand-in/sources.ts'
import { fixedRoute, type Route, type StandIn } from './stand-in/stand-in.ts'
import { changed, connectorTo, memoized, type Subject, standInFor } from './stand-in/subject.ts'
import { type WideFields, wideFieldsOf, wideRoutes } from './stand-in/wide-fields.ts'
import { after, before, periodTexts, since, until, windowTexts } from './stand-in/window-texts.ts'
import { written } from './stand-in/written-body.ts'
import { type Tried, tryCase } from './tried.ts'

/** Small pages, where the request says how many records it wants. */
const pageSize = 3
const fields = ['id']
const pagesMax = 60

interface Case {
  standIn: StandIn
  request: ReadPageRequest
  /** Ids that a read must find, in order. */
  ids: string[]
  deleted: string[]
}

/** Reads an object from its stand-in in every way. */
export async function readCases(subject: Subject, server: StandInServer): Promise<Tried[]> {
  const tried: Tried[] = []
  const run = async (name: string, make: () => Case, test: (made: Case) => Promise<string[]>) => {
    const group = failureNames.has(name) ? 'failures' : 'read'
    tried.push(await tryCase(group, name, () => faultsOf(make(), test)))
  }
  const complete = (made: Case) => completeRead(subject, server, made)
  const full = memoized(() => fullCase(subject))
  const fresh = () => again(full())
  const runJobs = async () => {
    for (const { name, delivery, isReadable } of resultCases(subject.object)) {
      const faults = isReadable ? jobFaults : resultFaults
      await run(name, fresh, (made) => faults(subject, server, jobCase(subject, made), delivery))
    }
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
  if (subject.object['listIds'] !== undefined || isOneByOne(subject)) await run('ids', () => idsCase(subject), complete)
  for (const [name, instead, expected] of failures)
    if (name !== noList || mayLackRecords !== true)
      await run(name, fresh, (made) => failingRead(subject, server, made, instead, expected))
  return tried
}

/** Reads all records of an object, which is the first of its cases. */
export function fullReadCase(subject: Subject, server: StandInServer): Promise<Tried> {
  const complete = (made: Case) =>
    isAlwaysJob(subject) ? jobFaults(subject, server, jobCase(subject, made)) : completeRead(subject, server, made)
  return tryCase('read', 'full', () => faultsOf(fullCase(subject), complete))
}

/** What a test finds wrong, after the requests that the stand-in refused. */
async function faultsOf(made: Case, test: (made: Case) => Promise<string[]>): Promise<string[]> {
  // What the stand-in cannot serve is known before the first request.
  made.standIn
    .routes()
    .find(({ isTested }) => isTested)
    ?.answer('https://stand-in.example.com/')
  const found = await test(made).catch((error: unknown) => [`fails: ${String(error)}`])
  return [...made.standIn.refused.map((why) => `refused: ${why}`), ...found]
}

async function windowFaults(subject: Subject, server: StandInServer, made: Case): Promise<string[]> {
  const faults = await completeRead(subject, server, made)
  return isSameAsFull(subject) ? [...faults, 'the request is the same as that of a full read'] : faults
}

/** Whether there is no list: each read is a job. */
function isAlwaysJob({ object }: Subject): boolean {
  return (object['read'] as { job?: Json }).job?.['always'] === true
}

/** Whether each record of a page is a request. */
function isOneByOne({ object }: Subject): boolean {
  return (object['read'] as Json)['getEach'] === true
}

/** A read of ids alone, by the cheapest list that the file declares. */
function idsCase(subject: Subject): Case {
  const { read, listIds = {} } = subject.object
  const object = { ...subject.object, read: { ...(changed(read, listIds) as Json), getEach: false } }
  return fullCase({ ...subject, object }, {}, { fields: [], idsOnly: true })
}

/** A list without records, which the provider answers otherwise. */
function noneCase(subject: Subject, none: Json): Case {
  const made = fullCase(subject, { isEmpty: true })
  const body = written(fitted({}, none['when'] as Json), subject.object['read'] as Json)
  made.standIn.instead = () => ({ status: Number(none['status']), body })
  return made
}

function factsOf({ object, values }: Subject, read: Json): RecordFacts {
  const { incremental, deletions } = object as { incremental?: { filter?: Json }; deletions?: { when?: Json } }
  const timestamp = incremental?.filter?.['timestamp']
  return { read, values, timestamp: timestamp as string | undefined, deleted: deletions?.when }
}

/** Values of the request: `{{fields}}` names what is always requested, then the one field that the suite requests. */
function valuesOf(
  { values, object }: Subject,
  read: Json,
  window?: { since: string; until: string },
  requested: readonly string[] = fields,
): Json {
  const {
    fieldsAlways = [],
    fieldsExcept = [],
    fieldNames,
  } = read as { fieldsAlways?: string[]; fieldsExcept?: string[]; fieldNames?: string }
  const { lift = {} } = (object['read'] ?? {}) as { lift?: Record<string, string | { path: string; list?: string }> }
  const lifted = lift['id']
  const own = typeof lifted === 'object' ? (lifted.list ?? lifted.path) : (lifted ?? 'id')
  const always = fieldsAlways.map((name) => filledText(name, values) ?? name)
  const listed = [...always, ...requested.map(() => own.split('.')[0] ?? own)]
  const isFirst = (name: string, at: number) =>
    listed.findIndex((one) => one.toLowerCase() === name.toLowerCase()) === at
  const excepted = fieldsExcept.map((name) => name.toLowerCase())
  const asked = listed.filter((name, at) => isFirst(name, at) && !excepted.includes(name.toLowerCase()))
  const allowed = fieldNames === undefined ? undefined : compilePattern(fieldNames)
  const areNamed = asked.every((name) => allowed?.test(name) ?? true)
  return { ...values, ...window, fields: areNamed ? asked : [], links: [] }
}

function caseOf(subject: Subject, read: Json, values: Json, contents: Contents, request: object): Case {
  const size = namesPageSize(read) && read['each'] === undefined ? { pageSize } : {}
  const sources = periodTexts(read).map((period) =>
    sourceOf(factsOf(subject, read), subject.base, { ...values, ...period }, { ...size, ...contents }),
  )
  const ids = sources.flatMap((source) => source.ids)
  const gets = read['getEach'] === true ? [...new Set(ids)].map((id) => getRoute(subject, values, id)) : []
  return {
    standIn: standInFor(subject, () => [...sources.flatMap(({ routes }) => routes), ...gets]),
    request: { object: objectName(subject), fields, ...size, ...request },
    ids,
    deleted: sources.flatMap(({ deleted }) => deleted),
  }
}

/** The request of a listed record, where lists have only ids. What a list of changes names has its id only there. */
function getRoute({ object, base }: Subject, values: Json, id: string): Route {
  const { only, record: path = '' } = object['get'] as Json
  const get = object['get'] as Json
  const { id: idPath = 'id', getEach } = object['read'] as Json
  const plain = fitted({ note: 'The whole record.' }, only as Json | undefined)
  const whole = getEach === true ? plain : withValue(plain, String(idPath), id)
  const record = withValue({}, String(path), whole)
  return fixedRoute(declaredRequest(get, base, { ...values, id }), record)
}

const objectName = ({ values }: Subject) => String(values['object'])

function jobCase(subject: Subject, { standIn, request }: Case) {
  const read = subject.object['read'] as Json
  const { history } = (subject.object['incremental'] ?? {}) as Json
  const window = history === undefined ? undefined : windowRead(subject).window
  return { list: standIn.routes(), request, values: valuesOf(subject, read, window) }
}

/** A full read that is a series of windows (`history`) is read in one of them. */
function fullCase(subject: Subject, contents: Contents = {}, request: Partial<ReadPageRequest> = {}): Case {
  const { history } = (subject.object['incremental'] ?? {}) as Json
  if (history !== undefined) return windowCase(subject, contents, request)
  const read = subject.object['read'] as Json
  const { fields: requested } = request
  return caseOf(subject, read, valuesOf(subject, read, undefined, namesOf(requested)), contents, request)
}

const namesOf = (requested: ReadPageRequest['fields'] | undefined) => (requested === 'all' ? undefined : requested)

/** The request of a read with a window, and its times. */
function windowRead({ object, values }: Subject): { read: Json; window: { since: string; until: string } } {
  const incremental = object['incremental'] as Json
  const read = changed(object['read'], incremental['read'] ?? {}) as Json
  return { read, window: windowTexts(incremental, values) }
}

function windowCase(subject: Subject, contents: Contents = {}, request: Partial<ReadPageRequest> = {}): Case {
  const { read, window } = windowRead(subject)
  const values = valuesOf(subject, read, window, namesOf(request.fields))
  const isDropped = (subject.object['incremental'] as Json)['filter'] !== undefined
  const further = isDropped ? [after, before].map((time) => ({ choice: { time }, isDropped })) : []
  return caseOf(subject, read, values, { further, ...contents }, { since, until, ...request })
}

/** A full read of more fields than a request has room for. */
function wideCase(subject: Subject, wide: WideFields): Case {
  const read = subject.object['read'] as Json
  const values = { ...valuesOf(subject, read), fields: wide.first }
  const made = caseOf(subject, read, values, {}, { fields: wide.names })
  const { routes } = made.standIn
  const others = wideRoutes(subject.object, subject.base, values, made.ids, wide, made.request.pageSize)
  return { ...made, standIn: standInFor(subject, () => [...routes(), ...others]) }
}

/** Every record has the fields of both requests. */
async function wideRead(subject: Subject, server: StandInServer, made: Case, { names }: WideFields): Promise<string[]> {
  const faults = await completeRead(subject, server, made)
  const pages = await pagesOf(subject, server, made.standIn, made.request)
  const partial = pages.flatMap(({ records }) => records.filter(({ raw }) => names.some((name) => !(name in raw))))
  return partial.length === 0 ? faults : [...faults, `${partial.length} records lack fields`]
}

/** The same case with a stand-in that has seen nothing yet. */
function again({ standIn, ...rest }: Case): Case {
  return { ...rest, standIn: { ...standIn, instead: undefined, refused: [], arrived: [] } }
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

function deletionsCase(subject: Subject): Case {
  const { read: changes, list, when, timestamp } = subject.object['deletions'] as Record<string, Json | undefined>
  const { read: listed, window } = windowRead(subject)
  const read = changed(listed, changes ?? {}) as Json
  const further = when === undefined ? [] : [{ choice: { isDeleted: true }, isDropped: false }]
  const found = caseOf(subject, read, valuesOf(subject, read, window), { further }, { since, until, deletions: true })
  if (list === undefined) return found
  const alone = changed(subject.object['read'], list) as Json
  const facts = { ...factsOf(subject, alone), timestamp: timestamp as string | undefined, deleted: undefined }
  // The caller decides on the size of both lists, or of none.
  const size = found.request.pageSize === undefined ? {} : sizeOf(alone)
  const deleted: Source = sourceOf(facts, subject.base, valuesOf(subject, alone, window), size)
  const { routes } = found.standIn
  found.standIn = standInFor(subject, () => [...routes(), ...deleted.routes])
  found.ids.push(...deleted.ids)
  found.deleted.push(...deleted.ids)
  return found
}

const sizeOf = (read: Json) => (namesPageSize(read) && read['each'] === undefined ? { pageSize } : {})

/** Reads to the end, and once more from the second page. */
async function completeRead(subject: Subject, server: StandInServer, { standIn, request, ids, deleted }: Case) {
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

function brief(ids: readonly unknown[]): string {
  return ids.length > 8 ? `[${ids.slice(0, 3).join()} … ${ids.slice(-3).join()}]` : `[${ids.join()}]`
}

interface Expected {
  class: string
  retryAfterMs?: number
}

const noList = 'no list'
/** JSON, but not of the list. */
const otherAnswer = (): Answer => ({ body: { unrelated: 'Welcome.' } })
const html = '<!doctype html><html><head><title>Maintenance</title></head></html>'
const refusal =
  (status: number, headers = {}) =>
  (): Answer => ({ status, headers, body: { message: 'No.' } })

const failures: [what: string, instead: (answer: Answer) => Answer, expected: Expected][] = [
  ['html', () => ({ headers: { 'content-type': 'text/html' }, body: html }), { class: 'unexpected_response' }],
  ['cut', ({ body, headers }) => ({ headers: { ...headers }, body: half(body) }), { class: 'unexpected_response' }],
  ['401', refusal(401), { class: 'auth_invalidated' }],
  ['429', refusal(429, { 'retry-after': '7' }), { class: 'rate_limited', retryAfterMs: 7000 }],
  ['503', refusal(503), { class: 'provider_5xx' }],
  [noList, otherAnswer, { class: 'unexpected_response' }],
]
const failureNames = new Set(failures.map(([name]) => name))

function half(body: unknown): string {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return text.slice(0, text.length / 2)
}

async function failingRead(
  subject: Subject,
  server: StandInServer,
  { standIn, request }: Case,
  instead: (answer: Answer) => Answer,
  expected: Expected,
): Promise<string[]> {
  standIn.instead = instead
  const error: unknown = await connectorTo(server, subject, standIn)
    .readPage(request)
    .then(
      ({ records }) => new Error(`a success with ${records.length} records`),
      (failure: unknown) => failure,
    )
  const wanted = { ...expected, class: ruledClass(subject, instead({ body: {} })) ?? expected.class }
  if (!(error instanceof ProviderError)) return [String(error)]
  const { class: found, retryAfterMs } = error
  if (found !== wanted.class) return [`${found}, not ${wanted.class}: ${error.message}`]
  const isInMs = subject.entry.file?.errors.retryAfterHeaders?.['Retry-After'] === 'milliseconds'
  const wait = wanted.retryAfterMs && (isInMs ? wanted.retryAfterMs / 1000 : wanted.retryAfterMs)
  return retryAfterMs === wait ? [] : [`wait ${retryAfterMs}, not ${wait}`]
}

/** What the rules of the file make of a refusal. */
export function ruledClass({ entry }: Pick<Subject, 'entry'>, answer: Answer): string | undefined {
  const rule = ruleFor(entry, answer)
  return rule && (answer.status ?? 200) >= 400 ? String(rule['is']) : undefined
}

/** The first rule of the file that a response matches. */
export function ruleFor({ file }: ProviderEntry, { status = 200, headers = {}, body }: Answer): Json | undefined {
  const rules = (file?.errors.rules ?? []) as Json[]
  return rules.find(
    ({ status: of = status, when = {}, headers: wanted }) =>
      of === status &&
      fits(typeof body === 'string' ? undefined : body, when as Json) &&
      (wanted === undefined || fits(lowered(headers), lowered(wanted as Json))),
  )
}

const lowered = (headers: Json) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
