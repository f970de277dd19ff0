import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { newId } from '../../../../kernel/db/index.ts'
import { chunkSize } from './id-chunk.ts'
import { addToRuns, deleteParts, type ObjectKey, runSize, sortedIds } from './id-store.ts'
import { type LibraryKit, startLibraryKit } from './library-kit.testkit.ts'

/** How lists of ids are stored: as sorted runs, which a comparison merges. */

let kit: LibraryKit
let key: ObjectKey
beforeAll(async () => {
  kit = await startLibraryKit()
  key = { installationId: (await kit.install('books')).id, objectName: 'books' }
})
afterAll(() => kit?.stop())

/** Stores lists one after the other. Returns the ids as a comparison reads them, and the number of runs. */
async function stored(lists: string[][]): Promise<{ ids: string[]; runs: number }> {
  const { app } = kit
  const db = app.testDatabase.database.forProject(app.projectId)
  await db.transaction((tx) => deleteParts(tx, key, ['listed']))
  for (const ids of lists) await db.transaction((tx) => addToRuns(tx, { newId }, key, 'listed', ids))
  return db.transaction(async (tx) => {
    const sorted = await sortedIds(tx, key, 'listed')
    const ids: string[] = []
    for (let chunk = await sorted.next(); chunk; chunk = await sorted.next()) ids.push(...chunk)
    const { rows } = await sql`
      select distinct run from delivered_ids where installation_id = ${key.installationId} and part = 'listed'`.execute(
      tx.sql,
    )
    return { ids, runs: rows.length }
  })
}

const numbers = (from: number, count: number) => Array.from({ length: count }, (_, at) => `${10_000_000 + from + at}`)

it('ids that follow those before are one run, whatever the size of the lists', async () => {
  const sizes = [runSize + 17, 1, chunkSize, 5 * chunkSize - 18, chunkSize, runSize]
  const starts = sizes.map((_, at) => sizes.slice(0, at).reduce((sum, size) => sum + size, 0))
  const lists = sizes.map((size, at) => numbers(starts[at] ?? 0, size))
  expect(await stored(lists)).toEqual({ ids: lists.flat(), runs: 1 })
})

it('ids that are listed twice across lists are read once', async () => {
  // The first id of each list repeats the last one of the list before.
  const lists = [numbers(0, runSize + 5), numbers(runSize + 4, runSize), numbers(2 * runSize + 3, 10)]
  expect(await stored(lists)).toEqual({ ids: numbers(0, 2 * runSize + 13), runs: 3 })
})

it('ids in any other order are runs that are merged when they are read', async () => {
  const all = numbers(0, 3 * runSize + 100)
  const lists = [all.slice(2 * runSize), all.slice(0, runSize), all.slice(runSize, 2 * runSize).reverse()]
  expect(await stored(lists)).toEqual({ ids: all, runs: 2 })
})

it('short lists in any order are one run', async () => {
  const all = numbers(0, 500)
  const lists = [all.slice(400), all.slice(100, 300), all.slice(0, 100), all.slice(300, 400)]
  expect(await stored(lists)).toEqual({ ids: all, runs: 1 })
})
