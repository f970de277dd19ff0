import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { publishDue } from '../../../../kernel/work/index.ts'
import { type CheckAnswer, type Installed, type LibraryKit, startLibraryKit } from './library-kit.testkit.ts'

/** Reads whose window begins before what the provider reports of deletions: one day here. */

let kit: LibraryKit
beforeAll(async () => {
  kit = await startLibraryKit()
})
afterAll(() => kit?.stop())

const schedule = '0 3 * * *'
const threeDaysAgo = () => new Date(Date.now() - 3 * 86_400_000)

/** A triggered read since three days ago, and the warnings in its log. */
async function readSinceLong(installed: Installed) {
  const body = { sinceTimestamp: threeDaysAgo().toISOString() }
  const { operationId } = (await kit.trigger(installed, 'maps', body)).body as { operationId: string }
  const { status, result } = await kit.ended(operationId)
  const path = `/projects/default/operations/${operationId}/logs`
  const { body: logs } = await kit.app.call<{ severity: string; message: { msg: string } }[]>('GET', path)
  const warnings = logs.filter(({ severity }) => severity === 'WARNING').map(({ message }) => message.msg)
  return { status, result, warnings }
}

it('the check of all ids finds what the provider does not report any more, at once', async () => {
  kit.library.papers = ['a', 'b']
  const installed = await kit.install('maps', { object: { deletions: { enabled: 'always', schedule } } })
  await kit.check(installed, 'maps')
  kit.library.papers = ['a']
  expect(await readSinceLong(installed)).toEqual({
    status: 'success',
    result: '[maps] 1 record read. Deletions may be missing',
    warnings: [
      'Deletions in the window of this read may be missing. Library reports deletions of the last day only. Mortise checks the ids of all records instead.',
    ],
  })
  await kit.until(async () => kit.deletedIds(installed).length > 0)
  expect(kit.deletedIds(installed)).toEqual(['b'])
})

it('without stored ids, the read and its log say that deletions may be missing', async () => {
  kit.library.papers = ['a']
  const installed = await kit.install('maps', { object: { deletions: { enabled: 'always' } } })
  expect(await readSinceLong(installed)).toMatchObject({
    result: '[maps] 1 record read. Deletions may be missing',
    warnings: [expect.stringContaining('Set `deletions.schedule` of the object')],
  })
})

it('a scheduled read that finds nothing says so, too, and the next one is whole', async () => {
  kit.library.papers = []
  const installed = await kit.install('maps', { object: { deletions: { enabled: 'always' } } })
  const read = async (since: Date) => {
    await sql`update read_states set next_run_at = now() - interval '1 minute', high_water_mark = ${since}, last_run_time = null
               where installation_id = ${installed.id}`.execute(kit.app.db.sql)
    await publishDue({ sql: kit.app.testDatabase.database.system }, 'reading.schedule')
    await kit.until(async () => {
      const { rows } = await sql<{ status: string | null }>`
        select last_run_status as status from read_states
         where installation_id = ${installed.id} and last_run_time is not null`.execute(kit.app.db.sql)
      return rows[0]?.status === 'success'
    })
    const path = `/projects/default/integrations/${installed.name}/installations/${installed.id}/operations`
    return (await kit.app.call<{ results: CheckAnswer[] }>('GET', path)).body.results[0]?.result
  }
  expect(await read(threeDaysAgo())).toBe('[maps] No new data found. Deletions may be missing')
  expect(await read(new Date(Date.now() - 3_600_000))).toBe('[maps] No new data found')
})

it('a backfill of more days misses nothing: nothing that was deleted before was delivered', async () => {
  kit.library.papers = ['a']
  const installed = await kit.install('maps', {
    object: { deletions: { enabled: 'always' }, backfill: { defaultPeriod: { days: 9 } } },
  })
  const path = `/projects/default/integrations/${installed.name}/installations/${installed.id}/operations`
  const { results } = (await kit.app.call<{ results: CheckAnswer[] }>('GET', path)).body
  expect(results.map(({ result }) => result)).toEqual(['[maps] 1 record read'])
})
