import type { Json } from './json-values.ts'
import { defined } from './json-values.ts'
import type { Operation, Parameter } from './operations.ts'
import type { RecordList } from './record-lists.ts'
import type { Shape } from './schemas.ts'

/** How a list is paged, as far as its parameters and its response show it. */
export interface LearnedPaging {
  /** Query parameters of the list. */
  query: Record<string, string>
  paging?: Json
  pageSizeMax?: number
  total?: string
  /** What is not known, as sentences about the object. */
  unknown: string[]
}

/** Names without anything but letters, in lower case: `page[size]` is `pagesize`. */
const sizes =
  /^(limit|perpage|pagesize|pagelimit|count|size|maxresults|maxresult|top|pagepersize|itemsperpage|resultsperpage|take|first|maxrecords|maxitems|pagecount)$/
const cursors =
  /^(cursor|pagecursor|pagetoken|nexttoken|nextcursor|nextpagetoken|continuationtoken|continuation|continue|pageafter|after|startcursor|scrollid|marker|paginationtoken|aftercursor|nextpage|pagingtoken|startingafter|bookmark|token)$/
const keysets = /^(startingafter|startafter|startafterid|afterid|sinceid|lastid)$/
const pages = /^(page|pagenumber|pageno|pagenum|pageindex|currentpage|pageid)$/
const offsets = /^(offset|skip|start|startat|startindex|pageoffset|from|recordoffset|startposition)$/

const nextCursors =
  /(^|\.)(next_?cursor|next_?page_?token|next_?token|cursor|next_?page_?cursor|continuation_?token|next_?page|end_?cursor|next_?start_?cursor|next_?marker|after|next|next_?offset|pagination_?token|next_?paging_?token|bookmark|_?continue|scroll_?id)$/i
const nextUrls =
  /(^|\.|\[')(next|next_?url|next_?link|next_?page_?url|next_?page_?uri|next_?page_?link|next_?page|@odata\.nextLink|next\.href|next_?uri)('\])?$/i
const mores = /(^|\.)(has_?more|has_?next|has_?next_?page|more|has_?more_?items|more_?items_?in_?collection)$/i
const totals = /(^|\.)(total|total_?count|total_?items|total_?results|total_?records|total_?elements|count)$/i
const pageCounts = /(^|\.)(total_?pages|page_?count|last_?page|pages|number_?of_?pages)$/i

/** Learns how a list is paged. */
export function pagingOf(operation: Operation, list: RecordList): LearnedPaging {
  const named = (pattern: RegExp) => operation.query.find(({ name }) => pattern.test(lettersOf(name)))
  const size = named(sizes)
  const learned: LearnedPaging = { query: {}, unknown: [] }
  const total = pathOf(list, totals, isNumber)
  if (total !== undefined) learned.total = total
  const kind = kindOf(operation, list, named)
  if (kind !== undefined) {
    Object.assign(learned.query, kind.query)
    learned.paging = kind.paging
    if (kind.note !== undefined) learned.unknown.push(kind.note)
  }
  if (size !== undefined) {
    learned.query[size.name] = '{{pageSize}}'
    const max = sizeMaxOf(size)
    if (max.records !== undefined) learned.pageSizeMax = max.records
    if (!max.documented) {
      learned.unknown.push(`the largest page is unknown: ${max.records ?? 100} records are requested in ${size.name}`)
    }
  }
  if (kind !== undefined) return learned
  const names = operation.query.map(({ name }) => name)
  const next = pathOf(list, nextCursors, isPlain)
  const parameters =
    names.length === 0
      ? 'paging unknown: there are no parameters'
      : `paging unknown: the parameters are ${names.slice(0, 15).join(', ')}${names.length > 15 ? ', …' : ''}`
  const whole = names.length === 0 ? ', so one response counts as the whole list' : ''
  learned.unknown.push(`${parameters}${next === undefined ? whole : `, and the response has ${next}`}`)
  return learned
}

interface Kind {
  query: Record<string, string>
  paging: Json
  /** What is not sure. */
  note?: string
}

/** Whether pages are counted from 0. The default is a page that exists; a minimum may be a slip of the document. */
function firstPageOf({ name, schema, description }: Parameter): { first?: 0; note?: string } {
  const described =
    /(?:zero|one|0|1)-based|\b(?:start|starts|starting|begin|begins) (?:at|from|with) (?:page )?\W?[01]\b/i.exec(
      description,
    )
  if (described !== null) return /zero|0/i.test(described[0]) ? { first: 0 } : {}
  if (schema['default'] === 0) return { first: 0 }
  if (schema['minimum'] !== 0 || typeof schema['default'] === 'number') return {}
  return { first: 0, note: `pages are counted from 0, the minimum of ${name}: check that the first page is not 1` }
}

function kindOf(
  { answerHeaders }: Operation,
  list: RecordList,
  named: (pattern: RegExp) => Parameter | undefined,
): Kind | undefined {
  const more = pathOf(list, mores, ({ type }) => type === 'boolean')
  const cursor = named(cursors)
  const next = cursor && pathOf(list, nextCursors, isPlain)
  if (cursor !== undefined && next !== undefined) {
    return { query: { [cursor.name]: '{{cursor}}' }, paging: { kind: 'cursor', next } }
  }
  const url = pathOf(list, nextUrls, ({ type, format }) => type === 'string' || format === 'uri')
  const page = named(pages)
  const offset = named(offsets)
  if (url !== undefined && (isUrl(list, url) || (page === undefined && offset === undefined))) {
    return { query: {}, paging: { kind: 'nextUrl', next: url } }
  }
  const after = named(keysets)
  if (after !== undefined && list.record.properties.has('id')) {
    return { query: { [after.name]: '{{afterKey}}' }, paging: defined({ kind: 'keyset', more }) }
  }
  if (answerHeaders.has('link')) return { query: {}, paging: { kind: 'linkHeader' } }
  if (page !== undefined) {
    const { first, note } = firstPageOf(page)
    const count = pathOf(list, pageCounts, isNumber)
    const paging = defined({ kind: 'page', first, more, pages: more === undefined ? count : undefined })
    return { query: { [page.name]: '{{page}}' }, paging, ...(note !== undefined && { note }) }
  }
  if (offset === undefined) return undefined
  // Records that are counted from 1.
  const first = offset.schema['minimum'] === 1 || offset.schema['default'] === 1 ? 1 : undefined
  return { query: { [offset.name]: '{{offset}}' }, paging: defined({ kind: 'offset', first, more }) }
}

/** Whether a parameter is one that pages: not one that the request must have from elsewhere. */
export function isPagingName(name: string): boolean {
  const letters = lettersOf(name)
  return [sizes, cursors, keysets, pages, offsets].some((pattern) => pattern.test(letters))
}

/** Letters of a name in lower case. */
export function lettersOf(name: string): string {
  return name.toLowerCase().replace(/[^a-z]/g, '')
}

/** The largest page: the maximum of the schema, or of the description, or the default. */
function sizeMaxOf({ schema, description }: Parameter): { records?: number; documented: boolean } {
  const described = describedMax(description)
  const known = [schema['maximum'], described].find(isPageSize)
  if (known !== undefined) return { records: Math.min(known, 10_000), documented: true }
  const initial = [schema['default'], schema['example']].find(isPageSize)
  return { ...(initial !== undefined && { records: Math.min(initial, 10_000) }), documented: false }
}

/** Words before the largest page in a description, and how far from it they stand. */
const maxWords = [/\bmax/, /\bup to\b/, /\bat most\b/, /\bbetween 1 and\b/, /\b1 ?(?:-|–|to) ?(?=\d)/]
const distanceMax = 30

/** Returns the largest page that a description names: `Results per page (max 1,000).` */
function describedMax(description: string): number | undefined {
  const text = description.slice(0, 2000).toLowerCase().replaceAll(',', '')
  for (const word of maxWords) {
    const found = word.exec(text)
    if (found === null) continue
    const start = found.index + found[0].length
    const digits = /\d+/.exec(text.slice(start, start + distanceMax))?.[0]
    if (digits !== undefined && digits.length <= 5) return Number(digits)
  }
  return undefined
}

function isPageSize(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1
}

function pathOf(list: RecordList, names: RegExp, fits: (shape: Shape) => boolean): string | undefined {
  const found = [...list.others].filter(([path, shape]) => names.test(path) && fits(shape)).map(([path]) => path)
  // `next_cursor` before `cursor`, and `links.next` before `links.prev.next`.
  return found.find((path) => /next/i.test(path)) ?? found[0]
}

function isUrl(list: RecordList, path: string): boolean {
  const { format = '' } = list.others.get(path) ?? {}
  return /^ur[il]/.test(format) || /url|link|href|uri/i.test(path)
}

function isPlain({ type, format = '' }: Shape): boolean {
  return type !== 'object' && type !== 'array' && type !== 'boolean' && !/^ur[il]/.test(format)
}

function isNumber({ type }: Shape): boolean {
  return type === 'integer' || type === 'number'
}
