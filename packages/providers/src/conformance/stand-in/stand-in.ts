import type { Placement } from '../sample-credentials.ts'
import { arrivedRequest, type DeclaredRequest, differences } from './declared-request.ts'
import type { Answer, SeenRequest } from './http-server.ts'
import { fits, type Json, unfitted } from './json-paths.ts'
import { pagesOf, type StandInList, type StandInPage } from './list-pages.ts'

/** One request that the file declares, with its response. */
export type Route = StandInPage & {
  /** Whether it is the request under test: a response of a case replaces its response. */
  isTested: boolean
  /** Whether it is at a host that must not get the credential. */
  isForeign?: boolean
  /** Whether it is a file, of which a request may want the rest. */
  isFile?: boolean
}

/** The provider in a case: it answers what its file declares, and refuses everything else. */
export interface StandIn {
  routes: () => Route[]
  placement: Placement
  /** Rules of the file that take a success for an error: no response may match one. */
  rules: readonly Json[]
  /** Replaces the response of the tested request. */
  instead: ((answer: Answer) => Answer) | undefined
  /** A credential that has ended, and the response to it. */
  ended?: () => { placement: Placement; answer: Answer } | undefined
  /** Requests that the file does not declare. */
  refused: string[]
  /** Requests under test that arrived, in order. */
  arrived: DeclaredRequest[]
}

/** Stands for any time in the query of a declared request. */
export const anyTime = '(any time)'

/** Headers that an HTTP client adds. */
const ofClient = new Set(
  ['host', 'connection', 'user-agent', 'accept', 'accept-encoding', 'accept-language', 'sec-fetch-mode'].concat([
    'content-length',
    'content-type',
    'transfer-encoding',
    'cache-control',
    'pragma',
    'x-stand-in',
    'x-origin',
  ]),
)

export function routesOf(list: StandInList, isTested: boolean): Route[] {
  return pagesOf(list).map((page) => ({ ...page, isTested }))
}

export function fixedRoute(request: DeclaredRequest, body: unknown, isTested = false, headers = {}): Route {
  return { request, mark: undefined, isTested, answer: () => ({ body, headers }) }
}

/** @param origin where the request was sent */
export function answerAs(standIn: StandIn, seen: SeenRequest, origin: string): Answer {
  const refuse = (why: string): Answer => {
    standIn.refused.push(why)
    return { status: 400, body: { message: `Not declared: ${why}` } }
  }
  const ended = standIn.ended?.()
  if (ended !== undefined && typeof withoutCredential(seen, ended.placement) !== 'string') return ended.answer
  const isForeign = standIn.routes().some((route) => route.isForeign && route.request.address.startsWith(`${origin}/`))
  const misplaced = isForeign ? untouched(seen, standIn.placement) : withoutCredential(seen, standIn.placement)
  if (typeof misplaced === 'string') return refuse(misplaced)
  const arrived = arrivedRequest(misplaced, origin)
  const mark = arrived.query.find((pair) => pair.startsWith('stand-in-page='))
  const match = standIn.routes().find((route) => refusal(route, arrived, mark).length === 0)
  if (match === undefined) {
    const [nearest] = standIn
      .routes()
      .map((route) => refusal(route, arrived, mark))
      .toSorted((one, two) => one.length - two.length)
    return refuse(`${arrived.method} ${seen.url.pathname}: ${nearest?.join('; ') ?? 'nothing is declared'}`)
  }
  const undeclared = Object.keys(misplaced.headers).filter(
    (name) => !ofClient.has(name) && !(name in match.request.headers) && !(match.isFile === true && name === 'range'),
  )
  if (undeclared.length > 0) return refuse(`headers ${undeclared.join(', ')}`)
  const address = `${origin}${seen.url.pathname}${seen.url.search}`
  const found = harmless(match.answer(address), standIn.rules)
  const answer = match.isFile === true ? rangeOf(found, misplaced.headers['range']) : found
  if (match.isTested) standIn.arrived.push(arrived)
  return match.isTested && standIn.instead !== undefined ? standIn.instead(answer) : answer
}

/** The part of a file that a request wants (RFC 9110, 14). */
function rangeOf(answer: Answer, range: string | undefined): Answer {
  const from = Number(/^bytes=(\d+)-$/.exec(range ?? '')?.[1] ?? Number.NaN)
  if (Number.isNaN(from)) return answer
  const file = Buffer.from(String(answer.body))
  if (from >= file.length) return { status: 416, headers: { 'content-range': `bytes */${file.length}` }, body: '' }
  const headers = { ...answer.headers, 'content-range': `bytes ${from}-${file.length - 1}/${file.length}` }
  return { status: 206, headers, body: file.subarray(from).toString() }
}

/** The address of a next page is the one that the page before named, and nothing is added to it. */
function refusal({ request, mark }: Route, arrived: DeclaredRequest, arrivedMark: string | undefined): string[] {
  if (mark !== arrivedMark) return [`${arrivedMark ?? 'the first page'}, declared: ${mark ?? 'the first page'}`]
  const query = mark === undefined ? request.query : [...request.query, mark].toSorted()
  return differences({ ...request, query }, query.some((pair) => pair.endsWith(anyTime)) ? timeless(arrived) : arrived)
}

const timeless = (arrived: DeclaredRequest): DeclaredRequest => ({
  ...arrived,
  query: arrived.query.map((pair) => {
    const at = pair.lastIndexOf('=') + 1
    return /^\d{4}-\d\d-\d\d(?:T|$)/.test(pair.slice(at)) ? pair.slice(0, at) + anyTime : pair
  }),
})

/** The request without its credential, or what is wrong with the credential. */
function withoutCredential(seen: SeenRequest, { headers, query, form = {} }: Placement): SeenRequest | string {
  const isForm = seen.headers['content-type'] === 'application/x-www-form-urlencoded'
  const fields = new URLSearchParams(isForm ? seen.body : '')
  for (const [name, value] of Object.entries(isForm ? form : {})) {
    if (String(fields.getAll(name)) !== value) return `the credential is not in the form field ${name}`
    fields.delete(name)
  }
  const rest = { ...seen.headers }
  const url = new URL(seen.url)
  for (const [name, value] of Object.entries(headers)) {
    if (rest[name.toLowerCase()] !== value) return `the credential is not in the header ${name}`
    delete rest[name.toLowerCase()]
  }
  for (const [name, value] of Object.entries(query)) {
    const sent = url.searchParams.getAll(name)
    if (sent.length !== 1 || sent[0] !== value) return `the credential is not in ?${name}`
    url.searchParams.delete(name)
  }
  return { ...seen, headers: rest, url, ...(isForm && { body: fields.toString() }) }
}

/** The request, or the fault that it carries the credential. */
function untouched(seen: SeenRequest, placement: Placement): SeenRequest | string {
  const has = Object.keys(placement.headers).some((name) => name.toLowerCase() in seen.headers)
  const inQuery = Object.keys(placement.query).some((name) => seen.url.searchParams.has(name))
  return has || inQuery ? `the credential is sent to ${seen.url.pathname}` : seen
}

function harmless(answer: Answer, rules: readonly Json[]): Answer {
  let { body } = answer
  for (const { status = 200, when } of rules)
    if (status === 200 && fits(body, (when ?? {}) as Json)) body = unfitted(body, when as Json)
  return { ...answer, body }
}
