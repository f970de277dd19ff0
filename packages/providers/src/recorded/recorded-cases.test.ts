import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { loadCatalogue } from '../index.ts'
import { testCache } from '../testing/test-cache.testkit.ts'
import { differencesOf } from './differences.testkit.ts'
import {
  casesOf,
  pinsSomething,
  recordedFolders,
  recordedProviders,
  recordingsOf,
  skippedFolders,
} from './recorded-cases.testkit.ts'
import { recordedCasesPage } from './recorded-cases-page.testkit.ts'

/** What of the recordings is replayed: nothing is left out without a reason, and nothing counts that cannot fail. */

const catalogue = await loadCatalogue({ cacheDir: testCache })
const run = recordedProviders(catalogue)
const recordings = await Promise.all(
  run.map(async (folder) => {
    const cases = recordingsOf(folder)?.cases ?? []
    const { notRun = {} } = await differencesOf(folder)
    return { folder, cases, notRun, ran: cases.filter(({ id }) => notRun[id] === undefined) }
  }),
)

it.skipIf(run.length === 0)('each folder of recordings is run, or has a reason', () => {
  const left = recordedFolders().filter((folder) => !run.includes(folder))
  expect(left).toEqual(Object.keys(skippedFolders))
})

it('each reason not to run a case names a case of its folder', () => {
  const unknown = recordings.flatMap(({ folder, notRun }) => {
    const { ofObjects, extras } = casesOf(folder)
    const ids = new Set([...ofObjects, ...extras].map(({ id }) => id))
    return Object.keys(notRun).flatMap((id) => (ids.has(id) ? [] : [`${folder} ${id}`]))
  })
  expect(unknown).toEqual([])
})

it('each case that is run can fail, and without an answer only if it describes objects', () => {
  const idle = recordings.flatMap(({ folder, ran }) =>
    ran
      .filter((one) => !pinsSomething(one) || (one.exchanges.length === 0 && one.op !== 'metadata'))
      .map(({ id }) => `${folder} ${id}`),
  )
  expect(idle).toEqual([])
})

it('a case without an answer, errors and fields pins nothing', () => {
  const empty = { id: 'a', op: 'metadata', input: { object: '', objects: ['a'] }, exchanges: [] }
  const objects = { a: { displayName: 'A', fields: {} } }
  expect([{}, { objectErrors: {} }, { objects }].map((wanted) => pinsSomething({ ...empty, expect: wanted }))).toEqual([
    false,
    false,
    false,
  ])
})

it.skipIf(run.length === 0)('docs/providers.md counts the providers whose recorded answers are replayed', () => {
  const page = readFileSync(new URL('../../../../docs/providers.md', import.meta.url), 'utf8')
  const [, count] = /For (\d+) of them, tests replay recorded responses/.exec(page) ?? []
  const replayed = recordings.filter(({ ran }) => ran.some(({ exchanges }) => exchanges.length > 0))
  expect(Number(count)).toBe(replayed.length)
})

it.skipIf(run.length === 0)('docs/recorded-cases.md lists what differs (scripts/write-recorded-cases.ts)', async () => {
  const page = readFileSync(new URL('../../../../docs/recorded-cases.md', import.meta.url), 'utf8')
  const written = page.split('<!-- cases -->')[1]?.split('<!-- /cases -->')[0]
  expect(written?.trim()).toBe((await recordedCasesPage()).trim())
})
