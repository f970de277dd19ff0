import { describe, expect, it } from 'vitest'
import { createConnector, loadCatalogue, ProviderError, type ProviderErrorClass, type ProviderHttp } from '../index.ts'
import { plainHttp, startServer } from '../testing/http-server.testkit.ts'
import { testCache } from '../testing/test-cache.testkit.ts'
import { type CaseHere, caseHere, differencesOf } from './differences.testkit.ts'
import { type RecordedCase, recordedProviders, recordingsOf } from './recorded-cases.testkit.ts'

/** Recorded answers to writes, replayed by a real server: what is sent, and what is made of the answers. */

/** What recorded cases of writes hold. */
interface RecordedWrite extends Omit<RecordedCase, 'input' | 'expect'> {
  input: {
    object: string
    recordId?: string
    type?: 'create' | 'update'
    data?: Record<string, unknown>
    items?: { data: Record<string, unknown> & { id?: string } }[]
    headers?: Record<string, string>
  }
  expect: {
    error?: { class: string; status?: number; messageContains?: string[] }
    success?: boolean
    recordId?: string
    data?: Record<string, unknown>
    recordErrors?: { message: string }[]
    status?: string
    successCount?: number
    failureCount?: number
    results?: { success: boolean; recordId?: string; data?: object; recordErrors?: { message: string }[] }[]
    batchErrors?: (string | { message: string })[]
  }
}

/** Classes of the recordings in our words. */
const ourClass: Record<string, ProviderErrorClass> = {
  unauthorized: 'auth_invalidated',
  server_error: 'provider_5xx',
  conflict: 'bad_request',
  client_error: 'bad_request',
}

const writes = new Set(['create', 'update', 'delete', 'batchWrite'])
const catalogue = await loadCatalogue({ cacheDir: testCache })

for (const provider of recordedProviders(catalogue)) {
  const recordings = recordingsOf<RecordedWrite>(provider)
  const differs = await differencesOf(provider)
  const cases = (recordings?.cases ?? []).filter(({ op }) => writes.has(op))
  describe.skipIf(cases.length === 0)(`recorded writes of ${provider}`, () => {
    for (const recorded of cases) {
      const here = caseHere(recorded, differs)
      const passes = here.fails ? it.fails : it
      passes(here.id, () => replay(here))
    }

    async function replay(recorded: CaseHere<RecordedWrite>) {
      if (recordings === undefined) throw new Error('no recordings')
      const entry = catalogue.find(recordings.provider)
      if (entry === undefined) throw new Error(`no provider ${provider}`)
      await using server = await startServer((request) => recordings.answer(recorded, request))
      const http: ProviderHttp = (request) =>
        plainHttp(fetch)({ ...request, url: request.url.replace(/^https:\/\/[^/]+/, server.origin) })
      const connection = {
        module: recorded.module ?? recordings.context.module ?? '',
        metadata: recorded.metadata ?? recordings.context.metadata ?? {},
        credential: { scheme: 'oauth2', accessToken: 'token-of-the-test' } as const,
      }
      const connector = createConnector(entry, connection, http)
      if (recorded.op === 'batchWrite') await batch(recorded)
      else await single(recorded)

      async function single({ op, input, expect: wanted, unknownObject, names }: CaseHere<RecordedWrite>) {
        const { recordId, data = {}, headers } = input
        const request = {
          object: input.object,
          type: op as 'create' | 'update' | 'delete',
          ...(recordId !== undefined && { id: recordId }),
          record: data,
          ...(headers && { headers }),
        }
        if (unknownObject !== undefined) {
          await expect(connector.write(request)).rejects.toMatchObject({ class: 'unsupported_object' })
          expect(server.seen).toEqual([])
        }
        const written = connector.write({
          ...request,
          object: unknownObject ?? names[input.object] ?? input.object,
        })
        if (wanted.error === undefined && wanted.success === true) {
          const { success, recordId: id, data: answered } = wanted
          expect(await written).toMatchObject({
            success,
            ...(id && { recordId: id }),
            ...(answered && { data: answered }),
          })
          return
        }
        const error: unknown = await written.catch((thrown: unknown) => thrown)
        expect(error).toBeInstanceOf(ProviderError)
        const { class: errorClass, providerMessage = '', errors = [] } = error as ProviderError
        const recordedClass = wanted.error?.class ?? 'bad_request'
        expect(errorClass).toBe(ourClass[recordedClass] ?? recordedClass)
        const told = [providerMessage, ...errors.map(({ message }) => message)].join('\n')
        for (const text of wanted.error?.messageContains ?? []) expect(told).toContain(text)
        for (const { message } of wanted.recordErrors ?? []) expect(told).toContain(message)
      }

      async function batch({ input, expect: wanted }: RecordedWrite) {
        const items = (input.items ?? []).map(({ data: { id, ...record } }) => ({ ...(id && { id }), record }))
        const { object, type = 'create' } = input
        const result = await connector.writeBatch({ object, type, items, allOrNone: false })
        const { status, successCount, failureCount } = wanted
        expect(result).toMatchObject({ status, successCount, failureCount })
        const results = wanted.results?.map(({ recordErrors, ...rest }) => ({
          ...rest,
          ...(recordErrors && { errors: recordErrors.map(({ message }) => ({ message })) }),
        }))
        if (results) expect(result.results).toMatchObject(results)
        const errors = (wanted.batchErrors ?? []).map((error) => (typeof error === 'string' ? error : error.message))
        expect(result.errors.map(({ message }) => message)).toEqual(expect.arrayContaining(errors))
      }
    }
  })
}
