import type { Child } from '../catalogue/format/read.ts'
import type { Request } from '../catalogue/format/request.ts'
import type { Get } from '../catalogue/format/write.ts'
import { ProviderError } from '../provider-error.ts'
import { nextLoop } from './endless-pages.ts'
import type { ParsedResponse } from './errors.ts'
import { retryAfterMs } from './header-time.ts'
import { compileKeep } from './kept-values.ts'
import { compileMatch, type Matcher } from './match.ts'
import type { PageState } from './page-token.ts'
import { createPager } from './paging/create-pager.ts'
import { checkLimit } from './paging/limit.ts'
import { type Pager, stuck } from './paging/pager.ts'
import { compilePath, isObject, type PathReader, scalarText } from './path.ts'
import { idColumns } from './record-id.ts'
import { type CompiledRequest, compileRequest, type Scope, scopeOf } from './request.ts'
import { csvColumns } from './response-format.ts'
import { type Column, compileRows, type RowReader, RowsFault } from './rows.ts'
import type { Session } from './session.ts'
import { namedPath, type Variables } from './template.ts'
import { speaksOfError } from './unexpected-answer.ts'

/** Any list that a provider file declares: records, children, fields, choices. */
export type Listing = Pick<
  Child,
  | 'method'
  | 'base'
  | 'path'
  | 'query'
  | 'queryEach'
  | 'expressions'
  | 'format'
  | 'encoding'
  | 'headers'
  | 'body'
  | 'records'
  | 'mayLackRecords'
  | 'none'
  | 'keyedBy'
  | 'valueAs'
  | 'single'
  | 'unwrap'
  | 'rows'
  | 'within'
  | 'only'
  | 'pageSizeMax'
  | 'paging'
>

export interface CompiledListing {
  readonly request: CompiledRequest
  /** The request of pages that a cursor or the id of a result names, if it is another one. */
  readonly nextRequest: CompiledRequest | undefined
  readonly pager: Pager
  readonly records: PathReader
  readonly recordsPath: string
  readonly mayLackRecords: boolean
  /** Columns that a list in CSV must have: a page of HTML or a sentence is also a line of CSV. */
  readonly columns: readonly string[]
  /** Whether an answer says that there are no records, whatever its status. */
  readonly saysNone: ((response: ParsedResponse) => boolean) | undefined
  /** The record in an item of the list. */
  readonly unwrap: PathReader | undefined
  /** Makes a record of a value, where the items of the list are values. */
  readonly ofValue: ((item: unknown) => unknown) | undefined
  /** Makes records of rows, where the items of the list are rows. */
  readonly rows: RowReader | undefined
  /** The records in a list of an item; `undefined` if it is not a list. */
  readonly within: ((item: unknown) => readonly unknown[] | undefined) | undefined
  /** Makes a list of a value that has another shape; `undefined` if it has none of these shapes. */
  readonly asList: (found: unknown) => readonly unknown[] | undefined
  /** Whether an item of the list is a record. */
  readonly only: Matcher | undefined
  readonly pageSizeMax: number
}

export interface ListedPage {
  records: readonly unknown[]
  /** The same with those that `only` drops. */
  listed?: readonly unknown[]
  response: ParsedResponse
  next: PageState | undefined
  /** The records are not there yet: the next page is ready after this many milliseconds. */
  waitMs?: number
}

const pageSizeDefault = 100

/**
 * @param text the variables of the object, which paths into the answer may name
 * @param ids paths of the id of a record, where they are known
 */
export function compileListing(listing: Listing, text: Variables, ids: readonly string[] = []): CompiledListing {
  const recordsPath = namedPath(listing.records ?? '', text)
  const unwrap = listing.unwrap === undefined ? undefined : compilePath(namedPath(listing.unwrap, text))
  return {
    request: compileRequest(listing),
    nextRequest: compileNextRequest(listing),
    pager: createPager(listing.paging ?? { kind: 'none' }, text),
    records: compilePath(recordsPath),
    recordsPath,
    mayLackRecords: listing.mayLackRecords === true,
    columns: listing.format === 'csv' ? idColumns(ids) : [],
    saysNone: compileNone(listing.none),
    unwrap,
    ofValue: compileOfValue(listing.valueAs),
    rows: compileRows(listing.rows, unwrap),
    within: compileWithin(listing.within),
    asList: compileAsList(listing),
    only: listing.only === undefined ? undefined : compileMatch(listing.only),
    pageSizeMax: listing.pageSizeMax ?? pageSizeDefault,
  }
}

function compileNextRequest(listing: Listing): CompiledRequest | undefined {
  const changed = nextRequestOf(listing)
  return changed && compileRequest(changed)
}

/**
 * Returns a list as pages request it that a cursor or the id of a result names; undefined where all pages have the same
 * request.
 */
export function nextRequestOf<T extends Pick<Listing, 'paging' | keyof Request>>(listing: T): T | undefined {
  const { paging } = listing
  if (paging?.kind === 'cursor') return paging.request && { ...listing, ...paging.request }
  if (paging?.kind !== 'result') return undefined
  const { method: _, query: __, queryEach: ___, body: ____, expressions: _____, ...rest } = listing
  return { ...(rest as T), ...paging.request }
}

function compileWithin(within: Listing['within']): CompiledListing['within'] {
  if (within === undefined) return undefined
  const listIn = compilePath(within.list)
  const withKept = compileKeep(within.keep)
  return (item) => {
    const list = listIn(item) ?? []
    return Array.isArray(list) ? list.map((record: unknown) => withKept(record, item)) : undefined
  }
}

/** Compiles the test of whether an answer says that there are no records, or that a record does not exist. */
export function compileNone(none: Listing['none'] | Get['none']): CompiledListing['saysNone'] {
  if (none === undefined) return undefined
  const fits = compileMatch(none.when)
  return ({ status, json }) => (none.status === undefined || status === none.status) && fits(json)
}

function compileOfValue(field: string | undefined): CompiledListing['ofValue'] {
  if (field === undefined) return undefined
  return (item) => (scalarText(item) === undefined ? item : { [field]: item })
}

function compileAsList({ keyedBy, single, format }: Listing): CompiledListing['asList'] {
  // PHP writes an empty object as an empty list.
  if (keyedBy !== undefined)
    return (found) =>
      isObject(found)
        ? Object.entries(found).map(([key, value]) => ({ ...(isObject(value) ? value : { value }), [keyedBy]: key }))
        : undefined
  // An XML list of one record, and one of none, look like the record and like a text.
  const isXml = format === 'xml'
  if (single !== true && !isXml) return () => undefined
  return (found) => (isObject(found) ? [found] : isXml && found === '' ? [] : undefined)
}

export interface PageOptions {
  state: PageState
  pageSize?: number
  signal?: AbortSignal | undefined
  /** Takes an answer without the list as an empty one. */
  absentIsEmpty?: boolean
  /** Whether the page may end without records, because they are not there yet. Otherwise that is an error. */
  mayWait?: boolean
}

/** A page waits this long for the result of a query, its requests included. */
const waitMaxMs = 10_000

/** One page of a listing. @throws ProviderError */
export async function fetchPage(
  session: Session,
  base: URL,
  listing: CompiledListing,
  scope: Scope,
  { state: from, pageSize: wanted = listing.pageSizeMax, signal, absentIsEmpty = false, mayWait = false }: PageOptions,
): Promise<ListedPage> {
  checkLimit(from)
  const { pager } = listing
  const pageSize = Math.max(wanted, pager.pageSizeMin ?? 1)
  const { response, state, request, pageScope, waitMs } = await fetchAnswer(session, base, listing, scope, {
    state: from,
    pageSize,
    signal,
    mayWait,
  })
  if (listing.saysNone?.(response) === true) return { records: [], response, next: undefined }
  if (waitMs !== undefined) {
    if (mayWait) return { records: [], response, next: state, waitMs }
    throw new ProviderError('provider_5xx', 'The result of the query is not there yet.', { retryAfterMs: waitMs })
  }
  const items = recordsOf(session, listing, response, absentIsEmpty)
  const { records, columns } = withColumns(session, listing, response, items, state)
  const next = pager.next({ json: response.json, headers: response.headers, records, pageSize, columns }, state)
  if (next?.url !== undefined) {
    next.url = session.withoutCredential(request.base(base, pageScope), next.url)
    if (next.url === state.url) throw stuck()
  }
  const loop = next && nextLoop(state.loop, next.result === undefined ? records : cursorsOf(next))
  if (next !== undefined && loop !== undefined) next.loop = loop
  const unread = pager.unread?.(records, state) ?? records
  // After paging, which counts what the provider has listed.
  const present = listing.rows === undefined ? unread : unread.filter((record) => record !== undefined)
  const inner = listing.within === undefined ? present : innerRecords(session, listing.within, present, response)
  return { records: listing.only === undefined ? inner : inner.filter(listing.only), listed: inner, response, next }
}

/**
 * What must not come again and again in a result: its cursors. Its rows may be equal, as those of a column of
 * countries, and its parts have numbers.
 */
function cursorsOf({ cursor }: PageState): string[] {
  return cursor === undefined ? [] : [cursor]
}

/** The answer to the request of a page, waiting for a result that is not there yet. @throws ProviderError */
async function fetchAnswer(
  session: Session,
  base: URL,
  listing: CompiledListing,
  scope: Scope,
  { state: from, pageSize, signal, mayWait = false }: PageOptions & { pageSize: number },
) {
  const { pager } = listing
  // One request for what has been waited for before, so that a query of hours does not keep a worker.
  const asksOnce = mayWait && from.result?.waitedMs !== undefined
  for (let state = from, waited = 0; ; ) {
    const pageScope = scopeOf({ pageSize, ...pager.variables(state) }, scope)
    const isFirst = state.cursor === undefined && state.result === undefined
    const request = (isFirst ? undefined : listing.nextRequest) ?? listing.request
    const sentAt = session.now()
    const { response, error } =
      state.url === undefined
        ? await session.attempt(request, base, pageScope, { signal, isRead: true })
        : await session.follow(request, base, state.url, pageScope, signal)
    const tookMs = Math.max(0, Math.round(session.now() - sentAt))
    const answered = { response, state, request, pageScope, waitMs: undefined }
    if (error !== undefined && listing.saysNone?.(response) === true) return answered
    if (error !== undefined) throw state.result === undefined ? error : ofResult(error)
    const asked = retryAfterMs(response.headers['retry-after'], session.now()) ?? 0
    const pending = pager.pending?.({ response, waitMs: asked, tookMs }, state)
    if (pending === undefined) return answered
    waited += tookMs + pending.waitMs
    if (asksOnce || waited > waitMaxMs) return { ...answered, state: pending.next, waitMs: pending.waitMs }
    await session.pause(pending.waitMs, signal)
    signal?.throwIfAborted()
    state = pending.next
  }
}

/**
 * What an error means in place of the result of a query. A refusal is that of the query itself, as it ran, or of a
 * result that was deleted: the same request would be refused for ever, but another query may succeed.
 */
function ofResult(error: ProviderError): ProviderError {
  if (error.class !== 'not_found' && error.class !== 'bad_request') return error
  const message =
    error.class === 'not_found'
      ? 'The provider does not have the result of the query any more.'
      : `The query has failed: ${error.message}`
  const { status, providerMessage, errors, rawResponse } = error
  return new ProviderError('cursor_gone', message, {
    ...(status !== undefined && { status }),
    ...(providerMessage !== undefined && { providerMessage }),
    ...(errors && { errors }),
    ...(rawResponse !== undefined && { rawResponse }),
    cause: error,
  })
}

/** The items as records, where they are rows. */
function withColumns(
  session: Session,
  { rows, pager, mayLackRecords }: CompiledListing,
  response: ParsedResponse,
  items: readonly unknown[],
  state: PageState,
): { records: readonly unknown[]; columns?: readonly Column[] } {
  // No content has no columns.
  if (rows === undefined || response.status === 204) return { records: items }
  const { offset } = pager.variables(state)
  try {
    return rows(response.json, items, {
      known: state.result?.columns,
      mayLackColumns: mayLackRecords,
      first: typeof offset === 'number' ? offset : undefined,
    })
  } catch (fault) {
    if (fault instanceof RowsFault) throw session.unexpected(response, session.safe(fault.message))
    throw fault
  }
}

function innerRecords(
  session: Session,
  within: NonNullable<CompiledListing['within']>,
  items: readonly unknown[],
  response: ParsedResponse,
): unknown[] {
  return items.flatMap((item) => {
    const records = within(item)
    if (records === undefined) throw session.unexpected(response, 'An item of the list has no list of records.')
    return records
  })
}

/** The list in an answer: null is empty (some providers write no records so), anything else must be a list. */
function recordsOf(
  session: Session,
  listing: CompiledListing,
  response: ParsedResponse,
  absentIsEmpty: boolean,
): readonly unknown[] {
  // No content (RFC 9110, 15.3.5) is a list of nothing.
  if (response.status === 204) return []
  const { json } = response
  const inAnswer = listing.records(json)
  const found = listing.asList(inAnswer) ?? inAnswer
  if (Array.isArray(found)) {
    checkColumns(session, listing, response, found)
    const items = listing.unwrap === undefined ? found : found.map(listing.unwrap)
    return listing.ofValue === undefined ? items : items.map(listing.ofValue)
  }
  const mayBeEmpty = json !== null && json !== undefined && !speaksOfError(json)
  if (mayBeEmpty && found === null) return []
  if (mayBeEmpty && found === undefined && isObject(json) && (absentIsEmpty || listing.mayLackRecords)) return []
  const where = listing.recordsPath === '' ? 'The response' : `"${listing.recordsPath}" of the response`
  throw session.unexpected(response, `${where} is not a list of records.`)
}

function checkColumns(
  session: Session,
  { columns, mayLackRecords }: CompiledListing,
  response: ParsedResponse,
  [first]: readonly unknown[],
): void {
  if (columns.length === 0 || (mayLackRecords && response.body.trim() === '')) return
  const names = isObject(first) ? Object.keys(first) : csvColumns(response.body)
  const missing = columns.find((name) => !names.includes(name))
  if (missing === undefined) return
  const notCsv = { ...response, json: undefined }
  throw session.unexpected(names.length > 1 ? response : notCsv, `The response has no column "${missing}".`)
}

const pagesMax = 1000

/**
 * All items of a listing that is known to be short (fields, choices, children).
 *
 * @param seen is handed each answer
 * @throws ProviderError
 */
export async function fetchAll(
  session: Session,
  base: URL,
  listing: CompiledListing,
  scope: Scope,
  signal: AbortSignal | undefined,
  { absentIsEmpty = false, seen }: { absentIsEmpty?: boolean; seen?: (json: unknown) => void } = {},
): Promise<unknown[]> {
  const all: unknown[] = []
  let state: PageState | undefined = {}
  for (let page = 0; state !== undefined; page++) {
    if (page === pagesMax)
      throw new ProviderError('unexpected_response', `The list does not end after ${pagesMax} pages.`)
    const { records, response, next } = await fetchPage(session, base, listing, scope, { state, signal, absentIsEmpty })
    seen?.(response.json)
    for (const record of records) all.push(record)
    state = next
  }
  return all
}
