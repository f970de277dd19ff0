import { expect, it } from 'vitest'
import { testCache } from '../testing/test-cache.testkit.ts'
import { evidenceOf } from './evidence.ts'
import { loadCatalogue } from './load-catalogue.ts'

const connected = { date: '2026-11-26', file: '0123456789ab', parts: ['baseUrl' as const] }
const documented = { date: '2026-11-27', parts: ['objects' as const] }

it.each([
  [
    { connected, documented },
    { kind: 'account', date: '2026-11-26', summary: 'Tested with an account on 2026-11-26' },
  ],
  [{ documented }, { kind: 'documentation', date: '2026-11-27', summary: 'Compared with documentation on 2026-11-27' }],
  [{ confidence: 'agreed' as const }, { kind: 'twoSources', summary: 'Two sources say how to connect' }],
  [
    { confidence: 'single' as const, documented: { date: '2026-11-27', parts: ['limits' as const] } },
    { kind: 'oneSource', summary: 'One source says how to connect' },
  ],
  [{}, { kind: 'none', summary: 'No test or comparison is recorded' }],
])('the best evidence counts: %j', (records, expected) => {
  expect(evidenceOf(records)).toEqual(expected)
})

it('an entry names another one for its objects only if that one can read or write, and it has none itself', async () => {
  const catalogue = await loadCatalogue({ cacheDir: testCache })
  const naming = catalogue.list().filter(({ seeAlso }) => seeAlso)
  expect(naming.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['gmail', 'googleCalendar', 'microsoftOutlook', 'microsoftTeams', 'zohoCrm']),
  )
  const wrong = naming.filter(({ implemented, seeAlso: { provider = '', module } = {} }) => {
    const other = catalogue.find(provider)
    const there = module === undefined ? other : other?.modules[module]
    const isNamed = module !== undefined || Object.keys(other?.modules ?? {}).length === 0
    return implemented.read || implemented.write || !there?.implemented.read || !isNamed
  })
  expect(wrong.map(({ name }) => name)).toEqual([])
})
