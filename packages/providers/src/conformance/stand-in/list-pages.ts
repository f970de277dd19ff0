import { type DeclaredRequest, declaredRequest } from './declared-request.ts'
import { filledText, type Values, variablesIn } from './fill.ts'
import type { Answer } from './http-server.ts'
import { fitted, isJson, type Json, namesOf, valueAt, withValue } from './json-paths.ts'
import { withRows } from './rows.ts'
import { written } from './written-body.ts'

/** A list of the stand-in: what the file declares of it, and what it has. */
export interface StandInList {
  listing: Json
  base: string
  values: Values
  records: readonly unknown[]
  /** Records of a page, where the caller decides. Default: as many as the file allows. */
  pageSize?: number
  /** One record on each page: a provider may return fewer records than requested where it says itself what follows. */
  shortPages?: boolean
}

/** A page of a list: the request that it answers, and the response. */
export interface StandInPage {
  request: DeclaredRequest
  /** End of a next URL that the page before named; this page has no other address. */
  mark: string | undefined
  answer(url: string): Answer
}

const pageSizeDefault = 100
/** Characters that look different in a query, in a body and in a URL. */
const cursorOf = (page: number) => `next ${page}+/=&é`

/** Whether the caller decides how many records a page has. */
export function namesPageSize(listing: Json): boolean {
  return variablesIn(listing).includes('pageSize')
}

/** Records of a full page. */
export function pageSizeOf({ listing, pageSize }: Pick<StandInList, 'listing' | 'pageSize'>): number {
  const max = Number(listing['pageSizeMax'] ?? pageSizeDefault)
  const wanted = pageSize === undefined || !namesPageSize(listing) ? max : Math.min(pageSize, max)
  return Math.max(wanted, isInclusive(listing) ? 2 : 1)
}

function pagingOf(listing: Json): Json {
  return (listing['paging'] ?? { kind: 'none' }) as Json
}

/** What each page starts behind: the key of a keyset, or of a new query for each page. */
function keyOf(listing: Json): { key: string; isInclusive: boolean } | undefined {
  const { kind, key = 'id', bound, restart } = pagingOf(listing)
  if (kind === 'keyset') return { key: String(key), isInclusive: bound === 'inclusive' }
  if (!isJson(restart) || restart['records'] !== 1) return undefined
  return { key: String(restart['key']), isInclusive: restart['bound'] === 'inclusive' }
}

function isInclusive(listing: Json): boolean {
  return keyOf(listing)?.isInclusive === true
}

/** Whether the response names the next page, so that the number of records of a page means nothing. */
export function namesNextPage(listing: Json): boolean {
  return ['cursor', 'nextUrl', 'linkHeader', 'result'].includes(String(pagingOf(listing)['kind']))
}

/** Every page that the provider would serve. */
export function pagesOf(list: StandInList): StandInPage[] {
  const { listing, base, values, records } = list
  const paging = pagingOf(listing)
  const full = pageSizeOf(list)
  const isResult = paging['kind'] === 'result'
  const short = isInclusive(listing) ? 2 : 1
  const size = paging['kind'] === 'none' ? Math.max(records.length, 1) : list.shortPages === true ? short : full
  const step = isInclusive(listing) ? size - 1 : size
  const starts = [0]
  while ((starts.at(-1) ?? 0) + size < records.length) starts.push((starts.at(-1) ?? 0) + step)
  const isFull = records.length - (starts.at(-1) ?? 0) >= size && paging['kind'] !== 'none'
  // Without another sign, a full last page leaves it open whether there is more.
  if (isFull && !saysWhereItEnds(paging)) starts.push((starts.at(-1) ?? 0) + step)
  const pages = starts.map((start, page): StandInPage => {
    const at = { page, start, count: starts.length, items: records.slice(start, start + size) }
    const variables = { pageSize: full, ...pagingVariables(list, at) }
    return {
      request: declaredRequest(page === 0 && !isResult ? listing : nextRequest(listing), base, {
        ...values,
        ...variables,
      }),
      mark: page > 0 && isUrl(paging) && keyOf(listing) === undefined ? `stand-in-page=${page}` : undefined,
      answer: (url) => answerOf(list, at, url),
    }
  })
  return isResult ? [begun(list, full), ...pages] : pages
}

/** The request that starts a query, whose result is not there yet. */
function begun({ listing, base, values }: StandInList, pageSize: number): StandInPage {
  const { id, keep = {}, pending } = pagingOf(listing) as { id: string; keep?: Record<string, string>; pending: Json }
  const { status = 200, when } = pending
  let body = withValue(fitted({}, when as Json | undefined), id, resultId)
  for (const [name, path] of Object.entries(keep)) body = withValue(body, path, `kept ${name}`)
  return {
    request: declaredRequest(listing, base, { ...values, pageSize }),
    mark: undefined,
    answer: () => ({ status: Number(status), body }),
  }
}

const sessionOfPages = 'session/é 1'

/** Characters that look different in a path. */
const resultId = 'result/é 1'

/** The request of later pages, some of whose keys may differ. That of a result shares only the headers. */
function nextRequest(listing: Json): Json {
  const { kind, request } = pagingOf(listing)
  return kind === 'result'
    ? { headers: listing['headers'], ...(request as Json) }
    : { ...listing, ...(request as Json) }
}

const isUrl = ({ kind }: Json) => kind === 'nextUrl' || kind === 'linkHeader'

function saysWhereItEnds(paging: Json): boolean {
  const marks = ['more', 'end', 'next', 'pages', 'pagesHeader']
  return namesNextPage({ paging }) || marks.some((key) => key in paging)
}

interface At {
  page: number
  start: number
  count: number
  items: readonly unknown[]
}

function pagingVariables({ listing, records }: StandInList, { page, start }: At): Json {
  const { kind, first, keep = {}, parts } = pagingOf(listing)
  if (kind === 'result') {
    const kept = Object.keys(keep as Json).map((name) => [name, `kept ${name}`])
    const part = parts !== undefined && page > 0 ? { part: page } : {}
    const cursor = parts === undefined && page > 0 ? { cursor: cursorOf(page) } : {}
    return { ...cursor, result: { ...Object.fromEntries(kept), ...part, id: resultId } }
  }
  if (kind === 'page') {
    const session = 'session' in pagingOf(listing) && page > 0 ? { session: sessionOfPages } : {}
    return { page: Number(first ?? 1) + page, ...session }
  }
  if (kind === 'offset') return { offset: Number(first ?? 0) + start }
  if (page === 0) return {}
  const after = keyOf(listing)
  if (after === undefined) return kind === 'cursor' ? { cursor: cursorOf(page) } : {}
  const last = records[after.isInclusive ? start : start - 1]
  return { afterKey: valueAt(unwrapped(last, listing), after.key) }
}

function unwrapped(item: unknown, { unwrap }: Json): unknown {
  return unwrap === undefined ? item : valueAt(item, String(unwrap))
}

/** The body with the records and what it says of the next page. */
function answerOf(list: StandInList, at: At, url: string): Answer {
  const { listing, values, records } = list
  const path = (key: string, from: Json) => filledText(String(from[key]), values) ?? ''
  const headers: Record<string, string> = {}
  let body: unknown = withValue({}, 'records' in listing ? path('records', listing) : '', asListed(at.items, listing))
  // Later parts of a result may come without columns.
  if ('rows' in listing) body = withRows(body, list, at.items, at.page > 0 && 'parts' in pagingOf(listing))
  const put = (key: string, from: Json, value: unknown) => {
    if (key in from && namesOf(path(key, from)).length > 0) body = withValue(body, path(key, from), value)
  }
  const paging = pagingOf(listing)
  const { kind, first, parameter, nextHeader, pagesHeader, rel = 'next' } = paging
  const isLast = at.page === at.count - 1
  put('more', paging, !isLast)
  put('end', paging, isLast)
  put('total', listing, records.length)
  if ('totalHeader' in listing) headers[String(listing['totalHeader'])] = String(records.length)
  if (kind === 'page') {
    put('session', paging, sessionOfPages)
    put('next', paging, isLast ? null : Number(first ?? 1) + at.page + 1)
    put('pages', paging, at.count)
    if (pagesHeader !== undefined) headers[String(pagesHeader)] = String(at.count)
  }
  if (kind === 'offset') {
    put('next', paging, isLast ? null : Number(first ?? 0) + at.start + at.items.length)
    put('count', paging, at.items.length)
  }
  if (kind === 'result') {
    const { id, keep = {} } = paging as { id: string; keep?: Record<string, string> }
    body = withValue(body, id, resultId)
    for (const [name, from] of Object.entries(keep)) body = withValue(body, from, `kept ${name}`)
    put('count', paging, String(records.length))
    if (at.page === 0)
      put(
        'parts',
        paging,
        Array.from({ length: at.count }, () => ({})),
      )
    if (!isLast) put('next', paging, cursorOf(at.page + 1))
  }
  const putNext = (value: string | null) => {
    if (!('list' in paging)) return put('next', paging, value)
    const link = (when: Json, href: string) => fitted(withValue({}, path('next', paging), href), when)
    const links = [
      withValue({}, path('next', paging), url),
      ...(value === null ? [] : [link(paging['when'] as Json, value)]),
    ]
    body = withValue(body, path('list', paging), links)
  }
  const address = withMark(url, `stand-in-page=${at.page + 1}`)
  if (kind === 'nextUrl') putNext(isLast && !hasFlag(paging) ? null : address)
  if (kind === 'linkHeader' && !isLast)
    headers['link'] = `<${url}>; rel="first", <${address}>; rel="${String(rel)}"; title="a, b"`
  if (kind === 'cursor') {
    const cursor = cursorOf(at.page + 1)
    const text = parameter === undefined ? cursor : nextAddress(String(parameter), cursor)
    // Where a flag ends the list, providers return a cursor on the last page, too.
    if ('next' in paging) putNext(isLast && !hasFlag(paging) ? null : text)
    if (nextHeader !== undefined && !isLast) headers[String(nextHeader)] = cursor
  }
  return { headers, body: written(body, listing, at.items.length === 0) }
}

/** The items as the provider lists them: an object of them, where the file says so. */
function asListed(items: readonly unknown[], { keyedBy, valueAs, unwrap }: Json): unknown {
  if (valueAs !== undefined) return items.map((item) => listedValue(item, String(valueAs), unwrap))
  if (keyedBy === undefined) return items
  const key = String(keyedBy)
  return Object.fromEntries((items as Json[]).map(({ [key]: name, ...item }) => [String(name), item]))
}

/** An item of a list of values. */
function listedValue(item: unknown, field: string, unwrap: unknown): unknown {
  return unwrap === undefined
    ? valueAt(item, field)
    : withValue({}, String(unwrap), valueAt(valueAt(item, String(unwrap)), field))
}

const hasFlag = (paging: Json) => 'more' in paging || 'end' in paging
const nextAddress = (parameter: string, cursor: string) =>
  `https://other.example.com/next?a=b&${parameter}=${encodeURIComponent(cursor)}`

function withMark(url: string, mark: string): string {
  const [path = '', query = ''] = url.split('?', 2)
  const kept = query.split('&').filter((pair) => pair !== '' && !pair.startsWith('stand-in-page='))
  return `${path}?${[...kept, mark].join('&')}`
}
