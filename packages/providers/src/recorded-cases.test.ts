import { afterAll, describe, expect, it } from 'vitest'
import { createConnector, loadCatalogue, ProviderError, type ProviderErrorClass } from './index.ts'
import { decodePage, encodePage } from './interpreter/page-token.ts'
import { plainHttp, startServer } from './testing/http-server.testkit.ts'
import { type RecordedCase, recordingsOf } from './testing/recorded-cases.testkit.ts'
import { testCache } from './testing/test-cache.testkit.ts'

/** Recorded answers of real providers, replayed by a real server: what is asked for, and what is made of the answers. */

const providers = ['hubspot', 'pipedrive']
const ops = new Set(['read', 'metadata'])

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
      it(recorded.id, async () => {
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
    const entry = catalogue.find(provider)
    if (entry === undefined) throw new Error(`no provider ${provider}`)
    await using server = await startServer((request) => recordings.answer(recorded, request))
    const { origin } = new URL(entry.baseUrl)
    const connection = {
      module: recorded.module ?? recordings.context.module ?? '',
      metadata: recorded.metadata ?? recordings.context.metadata ?? {},
      credential: { scheme: 'oauth2', accessToken: 'token-of-the-test' } as const,
    }
    const connector = createConnector(entry, connection, plainHttp(fetch, { from: origin, to: server.origin }))
    const { input, expect: wanted } = recorded

    if (recorded.op === 'metadata') {
      const found = await Promise.all(input.objects.map((object) => connector.describeObject(object)))
      const byName = Object.fromEntries(found.map((object) => [object.name, object]))
      expect(byName).toMatchObject(withOurValues(wanted.objects ?? {}))
      return
    }

    const page = connector.readPage({
      object: input.object,
      fields: input.fields,
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
    expect(nextPage === undefined).toBe(wanted.done)
    if (wanted.nextPage?.kind === 'url') {
      expect(comparable(decodePage(nextPage ?? '').url)).toEqual(comparable(wanted.nextPage.value))
    } else if (wanted.nextPage?.kind === 'token') {
      const { cursor, offset } = decodePage(nextPage ?? '')
      expect(cursor ?? String(offset)).toBe(wanted.nextPage.value)
    }
    if (wanted.records !== undefined) expect(records).toMatchObject(wanted.records)
  }
}

function tokenFor({ kind, value }: { kind: string; value: string }, origin: string): string {
  if (kind === 'url') return encodePage({ url: value.replaceAll('{{server}}', origin) })
  return encodePage({ cursor: value, ...(/^\d+$/.test(value) && { offset: Number(value) }) })
}

/** Parameter order and escaping do not count. */
function comparable(url = ''): unknown {
  const { origin, pathname, searchParams } = new URL(url)
  return { origin, pathname, query: [...searchParams].sort() }
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
