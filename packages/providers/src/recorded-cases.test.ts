import { afterAll, describe, expect, it } from 'vitest'
import { createConnector, loadCatalogue, ProviderError, type ProviderErrorClass, proxyBase } from './index.ts'
import { decodePage, encodePage } from './interpreter/page-token.ts'
import { plainHttp, startServer } from './testing/http-server.testkit.ts'
import { type RecordedCase, recordingsOf } from './testing/recorded-cases.testkit.ts'
import { testCache } from './testing/test-cache.testkit.ts'

/** Recorded answers of real providers, replayed by a real server: what is asked for, and what is made of the answers. */

const providers = [
  'asana',
  'attio',
  'capsule',
  'closecrm',
  'copper',
  'hubspot',
  'intercom',
  'klaviyo',
  'outreach',
  'pipedrive',
  'slack',
  'stripe',
  'teamwork',
  'zendesksupport',
]
const ops = new Set(['read', 'metadata', 'search'])

/** Cases that end otherwise here, and why. */
const otherwise: Record<string, string> = {
  'closecrm read-united-error': 'an object of no file is not asked for',
  'closecrm read-opportunity-stages-last-page': 'the documentation knows no such object',
  'hubspot search-butterflies-error': 'an object of no file is not asked for',
  'attio metadata-lists-workspace-members-notes-tasks-companies-us':
    'choices of attributes, each a request of its own, are not asked for; labels of objects are written down',
  'intercom read-conversations-incremental-has-next':
    'asks from one second earlier, because `>` leaves that second out',
  'klaviyo read-campaigns-incremental-last-page': 'asks with greater-or-equal, which leaves nothing out',
  'stripe read-checkout-sessions-last-page': 'records that a record links to are not expanded',
  'stripe read-balance-transactions-last-page': 'records that a record links to are not expanded',
  'stripe read-balance-transactions-last-page-2': 'records that a record links to are not expanded',
}

/** Reads that end here at a page shorter than was asked for; the recordings ask once more. */
const endsAtShortPage = new Set(['copper read-projects-incremental-has-next', 'copper read-companies-has-next'])

/** Classes of the recordings in our words. */
const ourClass: Record<string, ProviderErrorClass> = {
  unauthorized: 'auth_invalidated',
  server_error: 'provider_5xx',
  cursor_expired: 'cursor_gone',
  conflict: 'bad_request',
  client_error: 'bad_request',
  provider_error: 'bad_request',
}

const catalogue = await loadCatalogue({ cacheDir: testCache })

for (const provider of providers) {
  const recordings = recordingsOf(provider)
  const later: Record<string, number> = {}
  let ran = 0

  describe.skipIf(recordings === undefined)(`recorded answers of ${provider}`, () => {
    for (const recorded of recordings?.cases ?? []) {
      if (!ops.has(recorded.op)) {
        later[recorded.op] = (later[recorded.op] ?? 0) + 1
        continue
      }
      const why = otherwise[`${provider} ${recorded.id}`]
      it.skipIf(why !== undefined)(why === undefined ? recorded.id : `${recorded.id} (${why})`, async () => {
        ran++
        await run(recorded)
      })
    }

    afterAll(() => {
      const left = Object.entries(later).map(([op, count]) => `${op} ${count}`)
      console.info(`${provider}: ${ran} recorded cases ran; left to later: ${left.join(', ') || 'none'}`)
    })
  })

  async function run(recorded: RecordedCase): Promise<void> {
    if (recordings === undefined) throw new Error('no recordings')
    const entry = catalogue.find(recordings.provider)
    if (entry === undefined) throw new Error(`no provider ${provider}`)
    await using server = await startServer((request) => recordings.answer(recorded, request))
    const connection = {
      module: recorded.module ?? recordings.context.module ?? '',
      metadata: recorded.metadata ?? recordings.context.metadata ?? {},
      credential: { scheme: 'oauth2', accessToken: 'token-of-the-test' } as const,
    }
    const { origin } = proxyBase(entry, connection)
    const connector = createConnector(entry, connection, plainHttp(fetch, { from: origin, to: server.origin }))
    const { input, expect: wanted } = recorded

    if (recorded.op === 'metadata') {
      for (const [object, { class: recordedClass }] of Object.entries(wanted.objectErrors ?? {})) {
        await expect(connector.describeObject(object)).rejects.toMatchObject({
          class: ourClass[recordedClass] ?? recordedClass,
        })
      }
      if (wanted.objects === undefined) return
      const known = Object.keys(wanted.objects)
      const found = await Promise.all(known.map((object) => connector.describeObject(object)))
      const byName = Object.fromEntries(found.map((object) => [object.name, object]))
      expect(byName).toMatchObject(withOurValues(wanted.objects ?? {}))
      return
    }

    const page = connector[recorded.op === 'search' ? 'search' : 'readPage']({
      object: input.object,
      fields: input.fields ?? ['id'],
      filters: Array.isArray(input.filter) ? input.filter : [],
      ...(input.pageSize !== undefined && { pageSize: input.pageSize }),
      ...(input.since !== undefined && { since: new Date(input.since) }),
      ...(input.until !== undefined && { until: new Date(input.until) }),
      ...(input.nextPage !== undefined && { page: tokenFor(input.nextPage, origin) }),
    })
    if (wanted.error !== undefined) {
      const error = await page.then(
        () => undefined,
        (thrown: unknown) => thrown,
      )
      expect(error).toBeInstanceOf(ProviderError)
      const { class: recordedClass, status } = wanted.error
      expect(error).toMatchObject({ class: ourClass[recordedClass] ?? recordedClass, ...(status && { status }) })
      return
    }
    const { records, nextPage } = await page
    expect(records).toHaveLength(wanted.rows ?? -1)
    const atShortPage = endsAtShortPage.has(`${provider} ${recorded.id}`)
    expect(nextPage === undefined).toBe(atShortPage || wanted.done)
    if (atShortPage) wanted.nextPage = null
    if (wanted.nextPage?.kind === 'url') {
      const { url, cursor, afterKey, page: number } = decodePage(nextPage ?? '')
      const wantedUrl = comparable(wanted.nextPage.value, origin)
      if (url !== undefined) expect(comparable(url, origin)).toEqual(wantedUrl)
      // A token of another form is as good: the next request carries the same cursor.
      else expect(wantedUrl.query.map(([, value]) => value)).toContain(cursor ?? afterKey ?? String(number))
    } else if (wanted.nextPage?.kind === 'token') {
      const { cursor, offset, page: number } = decodePage(nextPage ?? '')
      expect(cursor ?? String(offset ?? number)).toBe(wanted.nextPage.value)
    }
    if (wanted.records !== undefined) expect(records.map(withoutCase)).toMatchObject(wanted.records.map(withoutCase))
  }
}

/** One token for all kinds of paging: each takes what it knows. */
function tokenFor({ kind, value }: { kind: string; value: string }, origin: string): string {
  if (kind === 'token') {
    return encodePage({ cursor: value, ...(/^\d+$/.test(value) && { offset: Number(value), page: Number(value) }) })
  }
  const url = value.replaceAll('{{server}}', origin)
  const afterKey = new URL(url, origin).searchParams.get('starting_after')
  return encodePage(afterKey === null ? { url } : { afterKey })
}

/** Parameter order and escaping do not count. */
function comparable(url: string, server: string) {
  const { origin, pathname, searchParams } = new URL(url.replaceAll('{{server}}', server), server)
  return { origin, pathname, query: [...searchParams].sort() }
}

/** Names of fields compare without regard to case; associations are no part of a record here. */
function withoutCase({ fields = {}, raw = {}, ...rest }: { id?: string; fields?: object; raw?: object }) {
  const { id } = rest
  const lower = Object.fromEntries(Object.entries(fields ?? {}).map(([name, value]) => [name.toLowerCase(), value]))
  return { ...(id !== undefined && { id }), fields: lower, raw }
}

/** The recordings call the text of a choice `label`, the contract `displayValue`. */
function withOurValues(value: unknown): object {
  const text = JSON.stringify(value, (key, item: unknown) =>
    key === 'values' && Array.isArray(item)
      ? item.map(({ value: choice, label }: { value: string; label: string }) => ({
          value: choice,
          displayValue: label,
        }))
      : item,
  )
  return JSON.parse(text) as object
}
