import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../../testkit/test-app.ts'
import { openForTest } from '../conformance.testkit.ts'
import { byGroup, type CheckedSettings, casesByKind } from './check-cases.testkit.ts'
import { type DatabaseTarget, databasesToTest } from './databases.testkit.ts'
import { recordMessages } from './record-message.testkit.ts'

/** What `:test` says of a database that does not take records: nothing is stored, and a delivery fails, too. */

const databases = (await databasesToTest()).map((one) => ({
  ...one,
  ...(casesByKind[one.kind.name] ?? { cases: [], fine: [] }),
}))

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app?.stop())
let count = 0

describe.each(databases.map((one) => [one.kind.name, one] as const))(
  'a test of %s',
  (type, { kind, start, isThere, cases, fine }) => {
    describe.skipIf(!isThere)('with a server', () => {
      let target: DatabaseTarget
      let settings: CheckedSettings
      const message = recordMessages()
      beforeEach(async () => {
        target = await start()
        settings = { url: (target.settings as CheckedSettings).url }
        await send('1', 'contacts')
      })
      afterEach(() => target.stop())

      async function send(id: string, objectName: string, entry: object = {}): Promise<unknown> {
        const opened = openForTest(kind, settings)
        const entries = [{ id, fields: { email: 'a' }, ...entry }]
        const results = await opened.send([message(entries, { objectName })]).catch(() => [])
        await opened.close()
        return results[0]?.outcome
      }
      async function test() {
        const name = `tested-${++count}`
        const metadata = settings
        const created = await app.call('POST', '/projects/default/destinations', { name, type, metadata })
        expect(created.status).toBe(201)
        const path = `/projects/default/destinations/${name}:test`
        const { body } = await app.call<{ delivered: boolean; error?: string }>('POST', path)
        return body
      }
      /** All that a user sees in the database. */
      async function stored() {
        const of = type === 'mysql' ? '= database()' : "not in ('pg_catalog', 'information_schema')"
        const tables = await target.query<{ table_name: string }>(
          `select table_schema, table_name as table_name, column_name from information_schema.columns where table_schema ${of} order by 1, 2, 3`,
        )
        const removals = tables.some(({ table_name: name }) => name === '_mortise_deleted')
          ? await target.query('select * from _mortise_deleted')
          : []
        return [tables, await target.query('select * from contacts'), removals, await target.received()]
      }

      it.each([
        ['soft', undefined],
        ['hard', undefined],
        ...(type === 'postgres' ? [['soft', byGroup] as const, ['hard', byGroup] as const] : []),
      ] as const)('passes and stores nothing (deletes: %s, schema: %s)', async (deletes, schema) => {
        settings.deletes = 'hard'
        await send('2', 'contacts', { deleted: true })
        settings.deletes = deletes
        if (schema !== undefined) settings.schema = schema
        const before = await stored()
        expect(await test()).toEqual({
          messageId: expect.any(String),
          delivered: true,
          checkedOnly: true,
          durationMs: expect.any(Number),
        })
        expect(await stored()).toEqual(before)
      })

      it.each(cases.map((one) => [one.what, one] as const))(
        'that %s says so',
        async (_, { prepare, error, object = 'contacts', entry }) => {
          await prepare(target, settings)
          const before = await stored()
          expect(await test()).toMatchObject({ delivered: false, error: expect.stringMatching(error) })
          expect(await stored()).toEqual(before)
          expect(await send('2', object, entry)).not.toBe('delivered')
        },
      )

      it.each(fine.map((one) => [one.what, one] as const))('%s: no fault', async (_, { prepare, entry }) => {
        await prepare(target, settings)
        const before = await stored()
        expect(await test()).toMatchObject({ delivered: true, checkedOnly: true })
        expect(await stored()).toEqual(before)
        expect(await send('2', 'contacts', entry)).toBe('delivered')
      })
    })
  },
)
