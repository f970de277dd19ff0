import fc from 'fast-check'
import { pathParameters, publicPath } from '../packages/server/src/kernel/http/routes.ts'
import type { SampleRequest } from '../packages/server/src/testkit/cases.ts'

/** A request as it goes over the wire: the path raw, the body in bytes. */
export interface WireRequest {
  path: string
  body?: Buffer
  contentType?: string
}

/** JSON text that no value of JavaScript would become. */
class Raw {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
  /** As fast-check shows it: a megabyte helps nobody. */
  toString(): string {
    return this.text.length > 100 ? `${this.text.slice(0, 100)}… (${this.text.length})` : this.text
  }
}

/** An object by its entries, so that it may hold a key twice, or `__proto__`. */
type Entries = [string, Json][]
type Json = null | boolean | number | string | Raw | Json[] | { entries: Entries }

const megabyte = 'x'.repeat(1_000_000)
const texts = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  'x\udc00',
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  "' or 1=1; --",
  '../../etc/passwd',
  '..%2f..%2f',
  '{{url}}',
  '${7*7}',
  '\u202e\u0301💩',
  'a\r\nx-injected: 1',
  '-1',
  '1e309',
  'true',
  'null',
  '0001-01-01T00:00:00Z',
  '9999-12-31T23:59:59.999999999Z',
  '+292278994-08-17T07:12:55Z',
  '00000000-0000-0000-0000-000000000000',
  'http://127.0.0.1:1/',
  'https://[::1]/',
  '*/1 * * * * *',
  'x'.repeat(300),
  'x'.repeat(5_000),
  '🦄'.repeat(500),
]
const anyText = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...texts) },
  { weight: 3, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
)
const keys = [
  '__proto__',
  'constructor',
  'prototype',
  '',
  '\0',
  '\ud800',
  'x'.repeat(2_000),
  'updateMask',
  'a.b',
  '~0/1',
]
const raws = [
  new Raw(`"${megabyte}"`),
  new Raw(`${'['.repeat(10_000)}${']'.repeat(10_000)}`),
  new Raw(`${'{"a":'.repeat(70)}1${'}'.repeat(70)}`),
  new Raw('1e999'),
  new Raw('-0'),
  new Raw('123456789012345678901234567890'),
  new Raw('{"a":1,"a":2}'),
  new Raw('{"__proto__":{"polluted":true}}'),
  new Raw('{"constructor":{"prototype":{"polluted":true}}}'),
  new Raw(`[${'0,'.repeat(20_000)}0]`),
]
const anyJson: fc.Arbitrary<Json> = fc.oneof(
  { weight: 6, arbitrary: anyText as fc.Arbitrary<Json> },
  { weight: 4, arbitrary: fc.constantFrom<Json>(null, true, false, 0, -1, 1.5, 2 ** 53, -1e308, [], { entries: [] }) },
  { weight: 3, arbitrary: fc.jsonValue({ maxDepth: 3 }).map(toJson) },
  { weight: 2, arbitrary: fc.constantFrom<Json>(...raws) },
)

const mutation = fc.record({
  at: fc.nat(200),
  how: fc.constantFrom(
    'replace' as const,
    'remove' as const,
    'add' as const,
    'twice' as const,
    'wrap' as const,
    'splice' as const,
  ),
  key: fc.constantFrom(...keys),
  value: anyJson,
})
type Mutation = typeof mutation extends fc.Arbitrary<infer T> ? T : never

const brokenBodies = [
  '',
  ' ',
  'null',
  '[]',
  '0',
  '"text"',
  '{',
  '{"a":}',
  "{'a':1}",
  '{}{}',
  '\ufeff{}',
  `[${'['.repeat(100_000)}`,
  `{"a":"${megabyte}`,
].map((text) => Buffer.from(text))
brokenBodies.push(Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]), Buffer.from('{}', 'utf16le'))

/** Segments of a path as bytes on the wire. */
const segments = [
  '',
  '.',
  '..',
  '%2e%2e',
  '%2F',
  '..%2F..%2Fprojects',
  '%3A',
  'x%3Apause',
  'x:pause',
  ':pause',
  '%00',
  '%',
  '%zz',
  '%ED%A0%80',
  '%FF',
  '%0d%0ax-injected:%201',
  '__proto__',
  'constructor',
  '%F0%9F%A6%84',
  '*',
  "'%20or%201=1;--",
  '0',
  '00000000-0000-0000-0000-000000000000',
  '{00000000-0000-7000-8000-000000000000}',
  '00000000-0000-7000-8000-00000000000g',
  'x'.repeat(513),
  'x'.repeat(1_999),
  'x'.repeat(2_001),
  'x'.repeat(9_000),
  '%41'.repeat(700),
]
const anySegment = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...segments) },
  { weight: 1, arbitrary: fc.string({ maxLength: 30 }).map(encodeURIComponent) },
)
const queries = [
  '__proto__=x',
  'constructor=x',
  'a[b]=c',
  '%',
  '%zz=%zz',
  '%00=%00',
  '%ED%A0%80=1',
  '=',
  '&&&',
  `x=${'y'.repeat(8_000)}`,
  'pageSize=1&pageSize=2',
]
const anyQueryValue = fc.oneof(
  fc.constantFrom('', '%00', 'a%00b', '%ED%A0%80', '%', 'true', 'TRUE', '1', '-1', '1e3', '9'.repeat(30), '__proto__'),
  fc.string({ maxLength: 20 }).map(encodeURIComponent),
  fc.constantFrom(...texts.filter((text) => text.isWellFormed() && text.length < 1_000)).map(encodeURIComponent),
)

/** Mostly the good value: a request that is bad in every part is told so at the door, and tries nothing behind it. */
function seldom<T, U>(arbitrary: fc.Arbitrary<T>, good: U): fc.Arbitrary<T | U> {
  return fc.oneof({ weight: 10, arbitrary: fc.constant<T | U>(good) }, { weight: 1, arbitrary })
}

/** What an endpoint is declared to take. */
export interface Declared {
  path: string
  query?: unknown
  body?: unknown
  accepts?: string
}

/**
 * Requests to one endpoint: a good one, with some of its parts made hostile.
 *
 * @param ids what the parameters of its path name
 * @param call a request that it takes
 */
export function hostileRequest(
  declared: Declared,
  ids: Record<string, string>,
  call: SampleRequest,
): fc.Arbitrary<WireRequest> {
  const names = pathParameters(declared.path)
  const path = fc
    .tuple(...names.map((name) => seldom(anySegment, encodeURIComponent(ids[name] ?? 'unknown'))))
    .map((chosen) =>
      names.reduce((text, name, at) => text.replace(`{${name}}`, () => chosen[at] ?? ''), publicPath(declared.path)),
    )
  const queryNames = Object.keys((declared.query as { properties?: object } | undefined)?.properties ?? {})
  const query = fc
    .record({
      known: fc.tuple(...queryNames.map((name) => seldom(anyQueryValue, call.query?.[name]))),
      junk: seldom(fc.constantFrom(...queries), undefined),
    })
    .map(({ known, junk }) =>
      [...queryNames.flatMap((name, at) => (known[at] === undefined ? [] : [`${name}=${known[at]}`])), junk ?? []]
        .flat()
        .join('&'),
    )
  return fc.record({ path, query, ...(declared.body || declared.accepts ? bodyParts(call) : {}) }).map((parts) => {
    const { body, contentType } = parts as { body?: Buffer; contentType?: string }
    return {
      path: parts.query === '' ? parts.path : `${parts.path}?${parts.query}`,
      ...(body !== undefined && { body }),
      ...(contentType !== undefined && { contentType }),
    }
  })
}

/** JSON texts of a document in which up to two places are hostile. */
export function hostileJson(document: unknown): fc.Arbitrary<string> {
  const good = toJson(document)
  return fc.array(mutation, { minLength: 0, maxLength: 2 }).map((mutations) => write(mutations.reduce(mutate, good)))
}

function bodyParts(call: SampleRequest) {
  const mutated = hostileJson(call.body ?? {}).map((text) => Buffer.from(text))
  return {
    body: fc.oneof(
      { weight: 10, arbitrary: mutated },
      { weight: 1, arbitrary: anyJson.map((value) => Buffer.from(write(value))) },
      { weight: 1, arbitrary: fc.constantFrom(...brokenBodies) },
    ),
    contentType: fc.oneof(
      { weight: 20, arbitrary: fc.constant<string | undefined>('application/json') },
      {
        weight: 1,
        arbitrary: fc.constantFrom(
          undefined,
          'text/plain',
          'application/xml',
          'application/json; charset=utf-16',
          'multipart/form-data; boundary=x',
          'application/x-www-form-urlencoded',
          'nonsense',
        ),
      },
    ),
  }
}

function toJson(value: unknown): Json {
  if (Array.isArray(value)) return value.map(toJson)
  if (typeof value === 'object' && value !== null)
    return { entries: Object.entries(value).map(([key, child]) => [key, toJson(child)]) }
  return value as Json
}

/** JSON text of a value. Half a surrogate pair and NUL are escaped, and so arrive. */
function write(value: Json): string {
  if (value instanceof Raw) return value.text
  if (Array.isArray(value)) return `[${value.map(write).join()}]`
  if (typeof value === 'object' && value !== null)
    return `{${value.entries.map(([key, child]) => `${JSON.stringify(key)}:${write(child)}`).join()}}`
  return JSON.stringify(value)
}

/** A copy of a document with one of its values made another. */
function mutate(document: Json, { at, how, key, value }: Mutation): Json {
  let left = at % countOf(document)
  const visit = (node: Json): Json | undefined => {
    if (left-- === 0) {
      if (how === 'remove') return undefined
      if (how === 'wrap') return [node]
      if (how === 'splice' && typeof node === 'string')
        return `${node.slice(0, node.length / 3)}${key.slice(0, 20)}${node.slice(node.length / 2)}`
      if (how === 'replace' || typeof node !== 'object' || node === null || node instanceof Raw) return value
      if (Array.isArray(node)) return how === 'twice' ? [...node, ...node] : [...node, value]
      const [first] = node.entries
      const more: [string, Json] = how === 'twice' && first ? [first[0], value] : [key, value]
      return { entries: [...node.entries, more] }
    }
    if (Array.isArray(node)) return node.flatMap((child) => visit(child) ?? [])
    if (typeof node !== 'object' || node === null || node instanceof Raw) return node
    return {
      entries: node.entries.flatMap(([name, child]): Entries => {
        const kept = visit(child)
        return kept === undefined ? [] : [[name, kept]]
      }),
    }
  }
  return visit(document) ?? null
}

function countOf(node: Json): number {
  if (Array.isArray(node)) return node.reduce<number>((sum, child) => sum + countOf(child), 1)
  if (typeof node !== 'object' || node === null || node instanceof Raw) return 1
  return node.entries.reduce((sum, [, child]) => sum + countOf(child), 1)
}
