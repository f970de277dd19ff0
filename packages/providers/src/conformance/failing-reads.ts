import type { ProviderEntry } from '../catalogue/entry.ts'
import { ProviderError } from '../provider-error.ts'
import type { ReadCase } from './read-case.ts'
import type { Answer } from './stand-in/http-server.ts'
import { fits, type Json } from './stand-in/json-paths.ts'
import type { StandInServer } from './stand-in/server.ts'
import { connectorTo, type Subject } from './stand-in/subject.ts'

interface Expected {
  class: string
  retryAfterMs?: number
}

export const noList = 'no list'
/** JSON, but not of the list. */
const otherAnswer = (): Answer => ({ body: { unrelated: 'Welcome.' } })
const html = '<!doctype html><html><head><title>Maintenance</title></head></html>'
const refusal =
  (status: number, headers = {}) =>
  (): Answer => ({ status, headers, body: { message: 'No.' } })

export const failures: [what: string, instead: (answer: Answer) => Answer, expected: Expected][] = [
  ['html', () => ({ headers: { 'content-type': 'text/html' }, body: html }), { class: 'unexpected_response' }],
  ['cut', ({ body, headers }) => ({ headers: { ...headers }, body: half(body) }), { class: 'unexpected_response' }],
  ['401', refusal(401), { class: 'auth_invalidated' }],
  ['429', refusal(429, { 'retry-after': '7' }), { class: 'rate_limited', retryAfterMs: 7000 }],
  ['503', refusal(503), { class: 'provider_5xx' }],
  [noList, otherAnswer, { class: 'unexpected_response' }],
]
export const failureNames = new Set(failures.map(([name]) => name))

function half(body: unknown): string {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return text.slice(0, text.length / 2)
}

export async function failingRead(
  subject: Subject,
  server: StandInServer,
  { standIn, request }: Pick<ReadCase, 'standIn' | 'request'>,
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
