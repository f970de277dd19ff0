import type { ReadPageRequest } from '../connector.ts'
import { compilePattern } from '../interpreter/pattern.ts'
import { declaredRequest } from './stand-in/declared-request.ts'
import { filledText } from './stand-in/fill.ts'
import { fitted, isJson, type Json, withValue } from './stand-in/json-paths.ts'
import { namesPageSize } from './stand-in/list-pages.ts'
import type { RecordFacts } from './stand-in/records.ts'
import { type Contents, type Source, sourceOf } from './stand-in/sources.ts'
import { fixedRoute, type Route, type StandIn } from './stand-in/stand-in.ts'
import { changed, type Subject, standInFor } from './stand-in/subject.ts'
import { type WideFields, wideRoutes } from './stand-in/wide-fields.ts'
import { after, before, periodTexts, since, until, windowTexts } from './stand-in/window-texts.ts'
import { written } from './stand-in/written-body.ts'

/** Small pages, where the request says how many records it wants. */
const pageSize = 3
export const fields = ['id']

/** A read of an object from its stand-in. */
export interface ReadCase {
  standIn: StandIn
  request: ReadPageRequest
  /** Ids that a read must find, in order. */
  ids: string[]
  deleted: string[]
}

/** Whether there is no list: each read is a job. */
export function isAlwaysJob({ object }: Subject): boolean {
  return (object['read'] as { job?: Json }).job?.['always'] === true
}

/** Whether each record of a page is a request. */
export function isOneByOne({ object }: Subject): boolean {
  return (object['read'] as Json)['getEach'] === true
}

/** A read of ids alone, by the cheapest list that the file declares. */
export function idsCase(subject: Subject): ReadCase {
  const { read, listIds = {} } = subject.object
  const object = { ...subject.object, read: { ...(changed(read, listIds) as Json), getEach: false } }
  return fullCase({ ...subject, object }, {}, { fields: [], idsOnly: true })
}

/** A list without records, which the provider answers otherwise. */
export function noneCase(subject: Subject, none: Json): ReadCase {
  const made = fullCase(subject, { isEmpty: true })
  const body = written(fitted({}, none['when'] as Json), subject.object['read'] as Json)
  made.standIn.instead = () => ({ status: Number(none['status']), body })
  return made
}

export function factsOf({ object, values }: Subject, read: Json): RecordFacts {
  const { incremental, deletions } = object as { incremental?: { filter?: Json }; deletions?: { when?: Json } }
  const timestamp = incremental?.filter?.['timestamp']
  return { read, values, timestamp: timestamp as string | undefined, deleted: deletions?.when }
}

/** Values of the request: `{{fields}}` names what is always requested, then the one field that the suite requests. */
export function valuesOf(
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

function caseOf(subject: Subject, read: Json, values: Json, contents: Contents, request: object): ReadCase {
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
export function getRoute({ object, base }: Subject, values: Json, id: string): Route {
  const { only, record: path = '' } = object['get'] as Json
  const get = object['get'] as Json
  const { id: idPath = 'id', getEach } = object['read'] as Json
  const plain = fitted({ note: 'The whole record.' }, only as Json | undefined)
  const whole = getEach === true ? plain : withValue(plain, String(idPath), id)
  const record = withValue({}, String(path), whole)
  return fixedRoute(declaredRequest(get, base, { ...values, id }), record)
}

export const objectName = ({ values }: Subject) => String(values['object'])

export function jobCase(subject: Subject, { standIn, request }: ReadCase) {
  const read = subject.object['read'] as Json
  const { history } = (subject.object['incremental'] ?? {}) as Json
  const window = history === undefined ? undefined : windowRead(subject).window
  return { list: standIn.routes(), request, values: valuesOf(subject, read, window, namesOf(request.fields)) }
}

/** A full read that is a series of windows (`history`) is read in one of them. */
export function fullCase(subject: Subject, contents: Contents = {}, request: Partial<ReadPageRequest> = {}): ReadCase {
  const { history } = (subject.object['incremental'] ?? {}) as Json
  if (history !== undefined) return windowCase(subject, contents, request)
  const read = subject.object['read'] as Json
  const { fields: requested } = request
  return caseOf(subject, read, valuesOf(subject, read, undefined, namesOf(requested)), contents, request)
}

const namesOf = (requested: ReadPageRequest['fields'] | undefined) => (requested === 'all' ? undefined : requested)

/** The request of a read with a window, and its times. */
export function windowRead({ object, values }: Subject): { read: Json; window: { since: string; until: string } } {
  const incremental = object['incremental'] as Json
  const read = changed(object['read'], incremental['read'] ?? {}) as Json
  return { read, window: windowTexts(incremental, values) }
}

export function windowCase(
  subject: Subject,
  contents: Contents = {},
  request: Partial<ReadPageRequest> = {},
): ReadCase {
  const { read, window } = windowRead(subject)
  const values = valuesOf(subject, read, window, namesOf(request.fields))
  const isDropped = (subject.object['incremental'] as Json)['filter'] !== undefined
  const further = isDropped ? [after, before].map((time) => ({ choice: { time }, isDropped })) : []
  return caseOf(subject, read, values, { further, ...contents }, { since, until, ...request })
}

/** A full read of more fields than a request has room for. */
export function wideCase(subject: Subject, wide: WideFields): ReadCase {
  const read = subject.object['read'] as Json
  const values = { ...valuesOf(subject, read), fields: wide.first }
  const made = caseOf(subject, read, values, {}, { fields: wide.names })
  const { routes } = made.standIn
  const others = wideRoutes(subject.object, subject.base, values, made.ids, wide, made.request.pageSize)
  return { ...made, standIn: standInFor(subject, () => [...routes(), ...others]) }
}

/** The same case with a stand-in that has seen nothing yet. */
export function again({ standIn, ...rest }: ReadCase): ReadCase {
  return { ...rest, standIn: { ...standIn, instead: undefined, refused: [], arrived: [] } }
}

export function deletionsCase(subject: Subject): ReadCase {
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

/** Whether a job reports deleted records: among the others, or by a list that follows. */
export function hasJobDeletions({ read, deletions }: Json): boolean {
  if (!isJson(deletions) || !isJson(read) || !isJson(read['job'])) return false
  return deletions['list'] !== undefined || deletions['job'] !== undefined
}

/** The job of a read with deleted records, and the object that submits it. */
export function deletionsJob(subject: Subject, { standIn, request, deleted }: ReadCase) {
  const { read: changes = {}, job: submit = {}, list, when } = subject.object['deletions'] as Record<string, Json>
  const read = changed(subject.object['read'], { job: { submit } }) as Json
  const { fieldsAlways = read['fieldsAlways'] } = changes
  const values = valuesOf(subject, { ...read, fieldsAlways }, windowRead(subject).window)
  return {
    subject: { ...subject, object: { ...subject.object, read } },
    made: { list: standIn.routes(), request, values, mark: when, deleted: list === undefined ? [] : deleted },
  }
}

const sizeOf = (read: Json) => (namesPageSize(read) && read['each'] === undefined ? { pageSize } : {})
