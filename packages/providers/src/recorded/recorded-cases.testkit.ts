import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Catalogue } from '../catalogue/entry.ts'
import type { FieldFilter } from '../connector.ts'
import type { Answer, SeenRequest } from '../testing/http-server.testkit.ts'

/** A recorded case (its format: README.md of the folder that holds the recordings). */
export interface RecordedCase {
  id: string
  op: string
  module?: string
  metadata?: Record<string, string>
  input: {
    object: string
    objects: string[]
    ids?: string[]
    fields?: string[]
    associatedObjects?: string[]
    filter?: string | FieldFilter[]
    since?: string
    until?: string
    pageSize?: number
    nextPage?: { kind: string; value: string }
  }
  exchanges: { request: RecordedRequest; response: RecordedResponse }[]
  expect: {
    error?: { class: string; status?: number; messageContains?: string[] }
    match?: string
    rows?: number
    done?: boolean
    nextPage?: { kind: string; value: string } | null
    records?: {
      id?: string
      fields: Record<string, unknown>
      raw: Record<string, unknown>
      associations?: Record<string, { id: string }[]>
    }[]
    objectErrors?: Record<string, { class: string }>
    objects?: Record<string, { displayName: string; fields: Record<string, Record<string, unknown>> }>
  }
}

interface RecordedRequest {
  method?: string
  path?: string
  query?: Record<string, unknown>
  queryAbsent?: string[]
  headers?: Record<string, string>
  body?: { json?: unknown; jsonFile?: string; text?: string; form?: Record<string, string | string[]> }
  anyOf?: RecordedRequest[]
}

interface RecordedResponse {
  status: number
  headers?: Record<string, string>
  body?: unknown
  bodyFile?: string
  bodyText?: string
}

export interface Recordings<Case = RecordedCase> {
  /** Name of the provider, where the folder is called otherwise. */
  provider: string
  context: { module?: string; metadata?: Record<string, string> }
  cases: Case[]
  /** What a file of the folder holds. */
  bytes(name: string): Buffer
  /** The server's answer to a request of that case, first match wins; a request that matches nothing gets 500. */
  answer(recorded: Pick<RecordedCase, 'exchanges'>, request: SeenRequest): Answer
}

const shared = process.env['MORTISE_SHARED'] ?? resolve(import.meta.dirname, '../../../../../shared')
const fixtures = join(shared, 'providers/fixtures')

/** Folders of the recordings of providers whose objects this release reads or writes. */
export function recordedProviders(catalogue: Catalogue): string[] {
  return recordedFolders().filter((name) => {
    if (!existsSync(join(fixtures, name, 'cases.json'))) return false
    const recordings = recordingsOf(name)
    const entry = recordings && catalogue.find(recordings.provider)
    return entry?.implemented.read === true || entry?.implemented.write === true
  })
}

/** Folders with recordings of webhooks and of values that are read after authentication. */
export function foldersWithExtras(): string[] {
  return recordedFolders().filter((name) => existsSync(join(fixtures, name, 'extra.json')))
}

/** All cases of a folder: those of objects, and those of webhooks and of values that are read after authentication. */
export function casesOf(folder: string): { ofObjects: RecordedCase[]; extras: RecordedCase[] } {
  const casesIn = (file: 'cases.json' | 'extra.json') =>
    existsSync(join(fixtures, folder, file)) ? (recordingsOf(folder, file)?.cases ?? []) : []
  return { ofObjects: casesIn('cases.json'), extras: casesIn('extra.json') }
}

/** All folders of recordings; none where they are not at hand, which `MORTISE_REQUIRE_SHARED=1` forbids. */
export function recordedFolders(): string[] {
  if (existsSync(fixtures)) return readdirSync(fixtures)
  if (process.env['MORTISE_REQUIRE_SHARED'] === '1') throw new Error(`no recorded answers in ${fixtures}`)
  console.warn(`skipped: no recorded answers in ${fixtures} (MORTISE_SHARED)`)
  return []
}

/**
 * Whether a case can fail: it has an answer to replay, or it names errors or fields of objects, which are compared with
 * what the file declares.
 */
export function pinsSomething({ exchanges, expect: wanted }: RecordedCase): boolean {
  const { error, objectErrors = {}, objects = {} } = wanted
  const described = Object.values(objects).some(({ fields }) => Object.keys(fields).length > 0)
  return exchanges.length > 0 || error !== undefined || Object.keys(objectErrors).length > 0 || described
}

/**
 * The recordings of a folder; `undefined` where they are not at hand, which `MORTISE_REQUIRE_SHARED=1` forbids.
 *
 * @param file `extra.json` has those of webhooks and of values that are read after authentication
 */
export function recordingsOf<Case = RecordedCase>(
  provider: string,
  file: 'cases.json' | 'extra.json' = 'cases.json',
): Recordings<Case> | undefined {
  const folder = join(fixtures, provider)
  const index = join(folder, file)
  if (!existsSync(index)) {
    if (process.env['MORTISE_REQUIRE_SHARED'] === '1') throw new Error(`no recorded answers in ${folder}`)
    console.warn(`skipped: no recorded answers of ${provider} in ${folder} (MORTISE_SHARED)`)
    return undefined
  }
  const bytes = (name: string) => readFileSync(join(folder, name))
  const read = (name: string) => bytes(name).toString('utf8')
  const { provider: name, context, cases } = JSON.parse(read(file)) as Recordings<Case>
  return {
    provider: name,
    context,
    cases,
    bytes,
    answer(recorded, request) {
      const exchange = recorded.exchanges.find((one) => fits(one.request, request, read))
      if (exchange === undefined) {
        return {
          status: 500,
          body: { message: `no recorded answer for ${request.method} ${request.url} ${request.body}` },
        }
      }
      const { status, headers, body, bodyFile, bodyText } = exchange.response
      return { status, ...(headers && { headers }), body: bodyFile === undefined ? (bodyText ?? body) : read(bodyFile) }
    },
  }
}

function fits(recorded: RecordedRequest, request: SeenRequest, read: (file: string) => string): boolean {
  const { method, path, query = {}, queryAbsent = [], headers = {}, body, anyOf } = recorded
  const { searchParams } = request.url
  return (
    (method === undefined || method === request.method) &&
    (path === undefined || fitsPath(path, request.url)) &&
    Object.entries(query).every(([name, wanted]) => fitsParameter(searchParams.getAll(name), wanted)) &&
    queryAbsent.every((name) => !searchParams.has(name)) &&
    Object.entries(headers).every(([name, value]) => request.headers[name.toLowerCase()] === value) &&
    (body === undefined || fitsBody(body, request.body, read)) &&
    (anyOf === undefined || anyOf.some((one) => fits(one, request, read)))
  )
}

/** Some recorded paths carry their query. A slash within a segment is another path. */
function fitsPath(path: string, { pathname, searchParams }: URL): boolean {
  const [wanted = '', query] = path.split('?', 2)
  const parameters = [...new URLSearchParams(query)]
  return (
    same(wanted.split('/'), pathname.split('/').map(decodeURIComponent)) &&
    parameters.every(([name, value]) => searchParams.get(name) === value)
  )
}

function fitsParameter(actual: string[], wanted: unknown): boolean {
  if (typeof wanted === 'object' && wanted !== null && '$permute' in wanted) {
    const { template, items, separator } = wanted['$permute'] as {
      template: string
      items: string[]
      separator: string
    }
    const [before = '', after = ''] = template.split('{items}')
    const [value = ''] = actual
    const listed = value.slice(before.length, value.length - after.length).split(separator)
    return value.startsWith(before) && value.endsWith(after) && same([...listed].sort(), [...items].sort())
  }
  const texts = (Array.isArray(wanted) ? wanted : [wanted]).map(String)
  return same(canonical([...actual].sort()), canonical(texts.sort()))
}

function fitsBody(
  wanted: NonNullable<RecordedRequest['body']>,
  actual: string,
  read: (file: string) => string,
): boolean {
  if (wanted.text !== undefined) return wanted.text.replace(/[\t\n]/g, '') === actual.replace(/[\t\n]/g, '')
  if (wanted.form !== undefined) return fitsForm(wanted.form, actual)
  const json: unknown = wanted.jsonFile === undefined ? wanted.json : JSON.parse(read(wanted.jsonFile))
  return actual !== '' && same(canonical(json), canonical(JSON.parse(actual)))
}

/** Items of lists have no numbers in recorded forms, and any order. What they do not name may be sent, too. */
function fitsForm(wanted: Record<string, string | string[]>, actual: string): boolean {
  const pairs = Object.entries(wanted).flatMap(([name, values]) => [values].flat().map((value) => `${name}=${value}`))
  const sent = [...new URLSearchParams(actual)].map(([name, value]) => `${name.replace(/\[\d+\]$/, '[]')}=${value}`)
  const isNamed = (pair: string) => Object.keys(wanted).some((name) => pair.startsWith(`${name}=`))
  return same(pairs.toSorted(), sent.filter(isNamed).toSorted())
}

function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

/** Keys in order, and instants in one spelling: a window is the same in any time zone. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical)
  if (typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(value)) {
    return new Date(value).toISOString()
  }
  if (typeof value !== 'object' || value === null) return value
  const sorted = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(sorted.map(([key, item]) => [key, canonical(item)]))
}
