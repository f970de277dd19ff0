import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { loadCatalogue } from '../index.ts'
import { testCache } from '../testing/test-cache.testkit.ts'
import { caseHere, differencesOf } from './differences.testkit.ts'
import { casesOf, pinsSomething, recordedFolders, recordedProviders, recordingsOf } from './recorded-cases.testkit.ts'
import { recordedCasesPage } from './recorded-cases-page.testkit.ts'

/** What of the recordings is replayed: nothing is left out without a reason, and nothing counts that cannot fail. */

const catalogue = await loadCatalogue({ cacheDir: testCache })
const run = recordedProviders(catalogue)
const recordings = await Promise.all(
  run.map(async (folder) => {
    const cases = recordingsOf(folder)?.cases ?? []
    const differences = await differencesOf(folder)
    return { folder, passing: cases.map((one) => caseHere(one, differences)).filter(({ fails }) => !fails) }
  }),
)

const folders = await Promise.all(
  recordedFolders().map(async (folder) => ({ folder, ...casesOf(folder), differences: await differencesOf(folder) })),
)

it('each case of an object is replayed, or stands in the list', () => {
  const left = folders.flatMap(({ folder, ofObjects, differences }) =>
    run.includes(folder)
      ? []
      : ofObjects.filter((one) => !caseHere(one, differences).fails).map(({ id }) => `${folder} ${id}`),
  )
  expect(left).toEqual([])
})

it('each difference names cases of its folder and says why', () => {
  const wrong = folders.flatMap(({ folder, ofObjects, extras, differences }) => {
    const ids = new Set([...ofObjects, ...extras].map(({ id }) => id))
    return differences.flatMap(({ cases, why }) => {
      const known = cases.length > 0 && cases.every((id) => ids.has(id))
      return known && /^[A-Z`].*\.$/.test(why) ? [] : [`${folder} ${cases.join(' ')}: ${why}`]
    })
  })
  expect(wrong).toEqual([])
})

it('each case that is run can fail, and without an answer only if it describes objects', () => {
  const idle = recordings.flatMap(({ folder, passing }) =>
    passing
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
  const replayed = recordings.filter(({ passing }) => passing.some(({ exchanges }) => exchanges.length > 0))
  expect(Number(count)).toBe(replayed.length)
})

it.skipIf(run.length === 0)('docs/recorded-cases.md lists what differs (scripts/write-recorded-cases.ts)', async () => {
  const page = readFileSync(new URL('../../../../docs/recorded-cases.md', import.meta.url), 'utf8')
  const written = page.split('<!-- cases -->')[1]?.split('<!-- /cases -->')[0]
  expect(written?.trim()).toBe((await recordedCasesPage()).trim())
})
