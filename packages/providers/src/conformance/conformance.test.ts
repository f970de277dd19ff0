import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadCatalogue } from '../catalogue/load-catalogue.ts'
import { testCache } from '../testing/test-cache.testkit.ts'
import { type EchoServer, startEchoServer } from './echo-server.testkit.ts'
import { placementByFacts, readFacts } from './facts.testkit.ts'
import { leaks, requestFaults } from './request-faults.testkit.ts'
import { sampleCredentials } from './sample-credentials.ts'
import { defaultFaults, hostFaults, templateFaults, unknownUrls } from './url-faults.ts'

/**
 * What every provider holds to, whatever it authenticates with: each entry of the catalogue goes through the same
 * suite, that of an example as well.
 */
const catalogue = await loadCatalogue({
  cacheDir: testCache,
  providerDirs: [fileURLToPath(new URL('../../../../examples/sample-crm/providers', import.meta.url))],
})
const facts = readFacts()
let server: EchoServer

beforeAll(async () => {
  server = await startEchoServer()
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
})

it('only this provider has a base URL that the facts do not know, and nothing is sent there', () => {
  const unknown = catalogue.list().filter((entry) => unknownUrls(entry).length > 0)
  expect(unknown.map(({ name }) => name)).toEqual(['aws'])
  for (const entry of unknown) {
    expect(templateFaults(entry)).toHaveLength(unknownUrls(entry).length)
    expect(Object.values(entry.implemented)).not.toContain(true)
  }
})

it.skipIf(facts === undefined)('every provider of the facts is in the catalogue, and authenticates as they say', () => {
  const missing = Object.entries(facts ?? {}).filter(
    ([name, { authType }]) => !catalogue.find(name)?.authentication.some(({ scheme }) => scheme === authType),
  )
  expect(missing).toEqual([])
})

const known = catalogue.list().filter((entry) => unknownUrls(entry).length === 0)

describe.each(known.map((entry) => [entry.name, entry] as const))('%s', (name, entry) => {
  it('makes its URLs of values that fit', () => {
    expect([...templateFaults(entry), ...defaultFaults(entry)]).toEqual([])
  })

  it('lets no value move a URL to another host', () => {
    expect(hostFaults(entry)).toEqual([])
  })

  describe.each(sampleCredentials(entry).map((sample) => [sample.credential.scheme, sample] as const))(
    '%s',
    (_, sample) => {
      it('is where the file says, and nowhere else', async () => {
        expect(await requestFaults(entry, sample, sample.placement, server)).toEqual([])
      })

      const byFacts = facts?.[name] && placementByFacts(facts[name], sample)
      it.skipIf(byFacts === undefined)('is where the facts say', () => {
        expect(sample.placement).toEqual(byFacts)
      })

      it('comes out of no error and no connector, though the provider repeats it', async () => {
        expect(await leaks(entry, sample, server)).toEqual([])
      })
    },
  )
})
