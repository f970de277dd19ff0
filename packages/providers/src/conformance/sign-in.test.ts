import { afterAll, beforeAll, expect, it } from 'vitest'
import type { ProviderEntry } from '../catalogue/entry.ts'
import { loadCatalogue } from '../catalogue/load-catalogue.ts'
import { testCache } from '../testing/test-cache.testkit.ts'
import { signInCases } from './sign-in-cases.ts'
import { type StandInServer, startStandIns } from './stand-in/server.ts'

/** Signs in at the stand-in of every provider with a custom token. */
const catalogue = await loadCatalogue({ cacheDir: testCache })
let server: StandInServer

beforeAll(async () => {
  server = await startStandIns()
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
})

async function faultsOf(entry: ProviderEntry, declared = entry): Promise<string[]> {
  const cases = await signInCases(entry, declared, server)
  return cases.flatMap(({ name, faults, because }) =>
    [...faults, ...(because === undefined ? [] : [`not tried: ${because}`])].map((fault) => `${name}: ${fault}`),
  )
}

const signing = catalogue
  .list()
  .filter(({ authentication }) =>
    authentication.some((one) => one.scheme === 'custom' && (one.token ?? one.steps) !== undefined),
  )

it('the catalog has files of each kind', () => {
  expect(signing.map(({ name }) => name)).toEqual(expect.arrayContaining(['mediaWiki', 'microsoftAdminConsent']))
})

it.each(signing.map((entry) => [entry.name, entry] as const))('%s', async (_, entry) => {
  expect((await faultsOf(entry)).join('\n')).toBe('')
})
