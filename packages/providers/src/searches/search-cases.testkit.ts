import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { sampleValues } from '../conformance/sample-connection.ts'
import { sampleCredentials } from '../conformance/sample-credentials.ts'
import type { ConnectionContext } from '../connector.ts'
import { proxyBase } from '../index.ts'
import type { SeenRequest } from '../testing/http-server.testkit.ts'
import { asked, openProvider } from '../testing/open-provider.testkit.ts'
import { entryOf } from '../testing/provider.testkit.ts'

/** A search, as the documentation of a provider shows it. */
export interface SearchCase {
  provider: string
  module?: string
  object: string
  /** Values of the conditions by field, each value once. */
  by: Readonly<Record<string, string>>
  /** The request: method, path below the base URL with query, body. */
  asks: string
  answer: unknown
  /** Ids of what is found. */
  finds: readonly string[]
  /** How a query language writes the value of `by`, and how it writes `hostileText`. Default: as they are. */
  written?: readonly [string, string]
  /** The search takes every field. */
  anyField?: true
}

/** What has a meaning in some URL, list, pattern or query language. Languages refuse control characters. */
export const hostileText = `it's "a"\\b*%_);(|&x=1,c^ORd#+`

/**
 * Each search sends what is documented and finds what fits. No value leaves its position in the request, and a field
 * that the search does not accept is refused.
 */
export function testSearches(cases: readonly SearchCase[]): void {
  it.each(cases)('$provider finds $object by $by', async (one) => {
    const { requests, records } = await search(one, one.by)
    expect(requests.map(({ line }) => line)).toEqual([one.asks])
    expect(records.map(({ id }) => id)).toEqual(one.finds)
  })

  it.each(cases)('$provider: a value stays one value in a search of $object', async (one) => {
    const [plain] = (await search(one, one.by)).requests
    const values = Object.values(one.by)
    const hostile = one.written === undefined ? `${hostileText}\r\n` : hostileText
    const sent = await search(one, Object.fromEntries(Object.keys(one.by).map((field) => [field, hostile])))
    const writings = one.written === undefined ? values.map((value) => [value, hostile] as const) : [one.written]
    const swapped = (text: string) =>
      writings.reduce((all, [from, to]) => (all === from ? to : all.split(from).join(to)), text)
    expect(sent.requests.map(({ texts }) => texts)).toEqual([plain?.texts.map(swapped)])
    expect(sent.requests[0]?.texts).not.toEqual(plain?.texts)
  })

  it.each(cases.filter(({ anyField }) => !anyField))('$provider refuses other fields of $object', async (one) => {
    await expect(search(one, { some_other_field: 'x' })).rejects.toMatchObject({
      name: 'FieldsNotSearchable',
      class: 'bad_request',
      at: [0],
      searchable: expect.arrayContaining(Object.keys(one.by)) as unknown,
    })
  })
}

async function search({ provider: name, module, object, answer }: SearchCase, by: SearchCase['by']) {
  const entry = entryOf(await readFile(new URL(`../../providers/${name}.yaml`, import.meta.url), 'utf8'))
  const [sample] = sampleCredentials(entry)
  if (sample === undefined) throw new Error(`${name} has no credential.`)
  const stored = (entry.postAuthentication ?? []).map((value) => [value.name, value.name])
  const connection: ConnectionContext = {
    ...(module !== undefined && { module }),
    metadata: { ...Object.fromEntries(stored), ...sampleValues(entry) },
    credential: sample.credential,
  }
  await using provider = await openProvider(name, () => ({ body: answer }), connection)
  const filters = Object.entries(by).map(([field, value]) => ({ field, operator: 'eq' as const, value }))
  const { records } = await provider.connector.search({ object, fields: [], filters })
  const base = proxyBase(entry, connection).pathname.replace(/\/$/, '')
  const lines = asked(provider.seen).map((line) => line.replace(base, ''))
  return { records, requests: provider.seen.map((seen, at) => ({ line: lines[at], texts: textsOf(seen) })) }
}

/** Every part of a request, so that none of them can be mistaken for two. */
function textsOf({ method, url, body }: SeenRequest): string[] {
  const query = [...url.searchParams].flat()
  return [method, url.pathname, ...query, ...(body === '' ? [] : textsIn(JSON.parse(body)))]
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return [String(value)]
  return Object.entries(value).flatMap(([key, item]) => [key, ...textsIn(item)])
}
