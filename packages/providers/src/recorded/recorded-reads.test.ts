import { afterAll, describe, expect, it } from 'vitest'
import {
  createConnector,
  loadCatalogue,
  ProviderError,
  type ProviderErrorClass,
  type ProviderHttp,
  proxyBase,
} from '../index.ts'
import { decodePage, encodePage } from '../interpreter/page-token.ts'
import { pathNames } from '../interpreter/path.ts'
import { plainHttp, startServer } from '../testing/http-server.testkit.ts'
import { testCache } from '../testing/test-cache.testkit.ts'
import { type CaseHere, caseHere, differencesOf } from './differences.testkit.ts'
import { type RecordedCase, recordedProviders, recordingsOf } from './recorded-cases.testkit.ts'

/**
 * Recorded answers of real providers, replayed by a real server: what is asked for, and what is made of the answers.
 */

const ops = new Set(['read', 'readByIds', 'metadata', 'search'])

/** Classes of the recordings in our words. */
const ourClass: Record<string, ProviderErrorClass> = {
  unauthorized: 'auth_invalidated',
  server_error: 'provider_5xx',
  cursor_expired: 'cursor_gone',
  conflict: 'bad_request',
  client_error: 'bad_request',
  provider_error: 'bad_request',
}

/** Providers that declare associations. Those of others are fields. */
const withAssociations = new Set(['hubspot', 'salesforce'])

const catalogue = await loadCatalogue({ cacheDir: testCache })

for (const provider of recordedProviders(catalogue)) {
  const recordings = recordingsOf(provider)
  const differs = await differencesOf(provider)
  const later: Record<string, number> = {}
  let replayed = 0
  let compared = 0

  const hasReads = recordings?.cases.some(({ op }) => ops.has(op)) === true
  describe.skipIf(!hasReads)(`recorded answers of ${provider}`, () => {
    for (const recorded of recordings?.cases ?? []) {
      if (!ops.has(recorded.op)) {
        later[recorded.op] = (later[recorded.op] ?? 0) + 1
        continue
      }
      const here = caseHere(recorded, differs)
      const passes = here.fails ? it.fails : it
      passes(recorded.id, async () => {
        expect.hasAssertions()
        await run(here)
        if (recorded.exchanges.length > 0) replayed++
        else compared++
      })
    }

    afterAll(() => {
      const left = Object.entries(later).map(([op, count]) => `${op} ${count}`)
      const counts = `${replayed} recorded cases replayed, ${compared} without an answer compared with the file`
      console.info(`${provider}: ${counts}; left to later: ${left.join(', ') || 'none'}`)
    })
  })

  async function run(recorded: CaseHere<RecordedCase>): Promise<void> {
    if (recordings === undefined) throw new Error('no recordings')
    const entry = catalogue.find(recordings.provider)
    if (entry === undefined) throw new Error(`no provider ${provider}`)
    await using server = await startServer((request) => recordings.answer(recorded, request))
    const connection = {
      module: recorded.module ?? recordings.context.module ?? '',
      metadata: recorded.metadata ?? recordings.context.metadata ?? {},
      credential: { scheme: 'oauth2', accessToken: 'token-of-the-test' } as const,
    }
    const { origin } = proxyBase(entry, connection, connection.module)
    // A provider may have several hosts; the recordings name none.
    const http: ProviderHttp = (request) =>
      plainHttp(fetch)({ ...request, url: request.url.replace(/^https:\/\/[^/]+/, server.origin) })
    const connector = createConnector(entry, connection, http)
    const { input, expect: wanted, unknownObject, names } = recorded
    const hasAssociations = withAssociations.has(provider)

    if (recorded.op === 'metadata') {
      for (const object of wanted.error === undefined ? [] : input.objects) {
        if (unknownObject !== undefined)
          await expect(connector.describeObject(object)).rejects.toMatchObject({ class: 'unsupported_object' })
        await expect(connector.describeObject(unknownObject ?? object)).rejects.toMatchObject({
          class: 'unexpected_response',
        })
      }
      for (const [object, { class: recordedClass }] of Object.entries(wanted.objectErrors ?? {})) {
        await expect(connector.describeObject(object)).rejects.toMatchObject({
          class:
            recordedClass === 'provider_error' ? 'unexpected_response' : (ourClass[recordedClass] ?? recordedClass),
        })
      }
      if (wanted.objects === undefined) return
      const refused = new Set(Object.keys(wanted.objectErrors ?? {}))
      const known = input.objects.filter((object) => !refused.has(object))
      const found = known.map(async (recordedName) => {
        const object = names[recordedName] ?? recordedName
        const { name, ...described } = await connector.describeObject(object)
        expect(name).toBe(object)
        return [recordedName, described] as const
      })
      const described = Object.fromEntries(await Promise.all(found))
      expect(namesWithoutCase(described)).toMatchObject(namesWithoutCase(withOurValues(wanted.objects)))
      return
    }

    if (recorded.op === 'readByIds') {
      const { ids = [], associatedObjects = [] } = input
      // A linked record is what a nested field of it is read from.
      const fields = [...(input.fields ?? []), ...associatedObjects.map((name) => `$['${name}']['id']`)]
      if (unknownObject !== undefined) {
        await expect(connector.fetchRecords(input.object, ids, fields)).rejects.toMatchObject({
          class: 'unsupported_object',
        })
      }
      const fetched = connector.fetchRecords(unknownObject ?? input.object, ids, fields)
      if (wanted.error !== undefined) {
        await expectError(fetched, wanted.error)
        return
      }
      const found = await fetched
      expect(found.size).toBe(wanted.rows ?? ids.length)
      expect(ids).toEqual(expect.arrayContaining([...found.keys()]))
      if (connector.fetchSizeMax(input.object) > 1) expect(server.seen).toHaveLength(1)
      for (const { associations = {}, ...record } of wanted.records ?? []) {
        // A recorded record may have no id where it is the only one.
        const here = found.get(record.id ?? ids[0] ?? '')
        expect(here && withoutCase(here)).toMatchObject(withoutCase(asAskedFor(record, fields)))
        for (const [name, [linked]] of Object.entries(associations))
          expect(here?.fields[`$['${name}']['id']`]).toBe(linked?.id)
      }
      return
    }

    const ask = (object: string) => connector[recorded.op === 'search' ? 'search' : 'readPage']({ ...request, object })
    const request = {
      fields: [
        ...(input.fields ?? ['id']).map(withoutWildcard),
        ...(hasAssociations ? (input.associatedObjects ?? []) : []),
      ],
      filters: Array.isArray(input.filter) ? input.filter : [],
      ...(input.pageSize !== undefined && { pageSize: input.pageSize }),
      ...(input.since !== undefined && { since: new Date(input.since) }),
      ...(input.until !== undefined && { until: new Date(input.until) }),
      ...(input.nextPage !== undefined && { page: tokenFor(input.nextPage, origin) }),
    }
    if (unknownObject !== undefined) {
      await expect(ask(input.object)).rejects.toMatchObject({ class: 'unsupported_object' })
      expect(server.seen).toEqual([])
    }
    const page = ask(unknownObject ?? names[input.object] ?? input.object)
    if (wanted.error !== undefined) {
      await expectError(page, wanted.error)
      return
    }
    const { records, nextPage } = await page
    expect(records).toHaveLength(wanted.rows ?? -1)
    expect(nextPage === undefined).toBe(wanted.done)
    if (wanted.nextPage?.kind === 'url') {
      const { url, cursor, afterKey, page: number, offset } = decodePage(nextPage ?? '')
      const wantedUrl = comparable(wanted.nextPage.value, origin)
      if (url !== undefined) expect(comparable(url, origin)).toEqual(wantedUrl)
      // A token of another form is as good: the next request carries the same cursor.
      else expect(wantedUrl.query.map(([, value]) => value)).toContain(cursor ?? afterKey ?? String(number ?? offset))
    } else if (wanted.nextPage?.kind === 'token') {
      const { cursor, offset, page: number } = decodePage(nextPage ?? '')
      expect(cursor ?? String(offset ?? number)).toBe(wanted.nextPage.value)
    }
    if (wanted.records === undefined) return
    // The recordings may tell of some records only, and some values of them.
    const places = new Map(wanted.records.map(({ id }, place) => [id, place]))
    if (wanted.match === 'subset' && !places.has(undefined))
      records.sort((a, b) => (places.get(a.id) ?? Infinity) - (places.get(b.id) ?? Infinity))
    const told = wanted.match === 'subset' ? records.slice(0, wanted.records.length) : records
    expect(told.map(nested).map(withoutCase)).toMatchObject(wanted.records.map(withoutCase))
    if (!hasAssociations) return
    if (recorded.op === 'search') expect(server.seen).toHaveLength(recorded.exchanges.length)
    expect(told.map(linksOf)).toEqual(wanted.records.map(linksOf))
  }
}

/** The outcome is the recorded error, in our words. */
async function expectError(outcome: Promise<unknown>, wanted: { class: string; status?: number }): Promise<void> {
  const error = await outcome.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(ProviderError)
  const { class: recordedClass, status } = wanted
  expect(error).toMatchObject({ class: ourClass[recordedClass] ?? recordedClass, ...(status && { status }) })
}

/** Names of objects and of fields compare without regard to case, too. */
function namesWithoutCase(objects: Record<string, { displayName?: string; fields: object }>) {
  const lower = (map: object) => Object.fromEntries(Object.entries(map).map(([name, one]) => [name.toLowerCase(), one]))
  return lower(
    Object.fromEntries(
      Object.entries(objects).map(([name, { fields, ...object }]) => {
        // A name within is the same name.
        const named = Object.entries(fields).map(([field, { fieldName: _, ...rest }]) => [field, rest])
        return [name, { ...object, fields: lower(Object.fromEntries(named) as object) }]
      }),
    ),
  )
}

/** One token for all kinds of paging: each takes what it knows. */
function tokenFor({ kind, value }: { kind: string; value: string }, origin: string): string {
  if (kind === 'token') {
    return encodePage({ cursor: value, ...(/^\d+$/.test(value) && { offset: Number(value), page: Number(value) }) })
  }
  const url = value.replaceAll('{{server}}', origin)
  const { searchParams } = new URL(url, origin)
  const afterKey = searchParams.get('starting_after')
  const page = Number(searchParams.get('page') ?? searchParams.get('pageNumber'))
  return encodePage({ url, ...(afterKey !== null && { afterKey }), ...(page > 0 && { page }) })
}

/** Parameter order and escaping do not count. */
function comparable(url: string, server: string) {
  const { origin, pathname, searchParams } = new URL(url.replaceAll('{{server}}', server), server)
  return { origin, pathname, query: [...searchParams].sort() }
}

/** The recordings always have the id among the fields; here it stands beside them. */
function asAskedFor<T extends { fields?: Record<string, unknown> }>(record: T, fields: readonly string[]): T {
  const { id: _, ...rest } = record.fields ?? {}
  return fields.includes('id') ? record : { ...record, fields: { ...rest } }
}

/** Names of fields compare without regard to case. */
function withoutCase({ fields = {}, raw = {}, ...rest }: { id?: string; fields?: object; raw?: object }) {
  const { id } = rest
  const lower = Object.fromEntries(Object.entries(fields ?? {}).map(([name, value]) => [name.toLowerCase(), value]))
  return { ...(id !== undefined && { id }), fields: lower, raw }
}

/** The recordings name items of a list by `[*]`; here the list is asked for as it is. */
function withoutWildcard(field: string): string {
  return field.replace(/\[\*\].*$/, '')
}

/** Nested fields come under their whole names; the recordings nest them. */
function nested<T extends { fields: Record<string, unknown> }>(record: T): T {
  const fields: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(record.fields)) {
    const names = name.startsWith('$[') ? (pathNames(name) ?? []) : [name]
    let at = fields
    for (const part of names.slice(0, -1)) {
      at[part] ??= {}
      at = at[part] as Record<string, unknown>
    }
    at[names.at(-1) ?? ''] = value
  }
  return { ...record, fields }
}

/**
 * The recordings call the text of a choice `label`, the contract `displayValue`; ids of fields are no part of the
 * contract.
 */
function withOurValues<T extends object>(value: T): T {
  return JSON.parse(JSON.stringify(value), (key, item: unknown) => {
    if (key === 'fieldId') return undefined
    if (key !== 'values' || !Array.isArray(item)) return item
    return item.map(({ value: choice, label }: { value: string; label: string }) => ({
      value: choice,
      displayValue: label,
    }))
  }) as T
}

/** Links that there are, by their ids; the recordings write no list where there is none. */
function linksOf({ associations = {} }: { associations?: Record<string, { id: string }[]> }) {
  const some = Object.entries(associations).filter(([, links]) => links.length > 0)
  return Object.fromEntries(some.map(([field, links]) => [field, links.map(({ id }) => ({ id }))]))
}
