import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../../testkit/test-app.ts'
import { openForTest } from '../conformance.testkit.ts'
import type { DestinationKind } from '../kind.ts'
import { type MysqlTarget, startMysqlTarget } from '../mysql/conformance.testkit.ts'
import { mysql } from '../mysql/index.ts'
import { hasMysqlServer } from '../mysql/mysql-server.testkit.ts'
import { type PostgresTarget, startPostgresTarget } from '../postgres/conformance.testkit.ts'
import { postgres } from '../postgres/index.ts'
import { recordMessages } from './record-message.testkit.ts'

/** What `:test` says of a database that does not take records: nothing is stored, and a delivery fails, too. */

type Target = PostgresTarget | MysqlTarget

interface Settings {
  url: string
  schema?: string
}

interface Case {
  what: string
  /** Makes the target, or the settings, such as the case says. */
  prepare(target: Target, settings: Settings): unknown
  error: RegExp
  /** An object whose records are not delivered: `contacts` by default, whose table is there before. */
  object?: string
}

const unreachable = {
  what: 'cannot be reached',
  // No port that the system gives to a server of another test.
  prepare(_: Target, settings: Settings) {
    settings.url = settings.url.replace(/127\.0\.0\.1:\d+/, '127.0.0.99:1100')
  },
  error: /127\.0\.0\.99:1100 refused the connection/,
}
const refusesPassword = {
  what: 'refuses the password',
  prepare: (target: Target) => target.behave('refuses the password'),
}
const noDatabase = {
  what: 'has no such database',
  prepare(_: Target, settings: Settings) {
    settings.url = settings.url.replace(/\/[a-z0-9_]+\?/, '/missing?')
  },
}
const droppedColumn = {
  what: 'has a table without a column of Mortise',
  prepare: (target: Target) => target.query('alter table contacts drop column _mortise_raw'),
}

const byGroup = 'crm_{{groupRef}}'

const ofPostgres: Case[] = [
  unreachable,
  { ...refusesPassword, error: /refused the password \(28P01\)/ },
  { ...noDatabase, error: /has no database of this name \(3D000\)/ },
  {
    what: 'has no such schema',
    prepare: (_, settings) => {
      settings.schema = 'missing'
    },
    error: /has no schema of this name: create it \(3F000\)/,
  },
  {
    what: 'does not permit to create a table',
    prepare(target, settings) {
      settings.schema = 'crm'
      return target.query('create schema crm; revoke create on schema crm from mortise_owner')
    },
    error: /does not permit this user to create a table in the schema crm \(42501\)/,
  },
  {
    what: 'does not permit to create a schema for a group',
    async prepare(target, settings) {
      const [found] = await target.query<{ name: string }>('select current_database() as name')
      await target.query(`revoke create on database ${found?.name} from mortise_owner`)
      settings.schema = byGroup
    },
    error: /does not permit this user to create a schema \(42501\)/,
  },
  ...['insert', 'update'].map((permission) => ({
    what: `does not permit to ${permission} records of an object`,
    prepare: (target: Target) => target.query(`revoke ${permission} on contacts from mortise_owner`),
    error: /does not permit this user to write the table public\.contacts \(42501\)/,
  })),
  {
    what: 'does not permit to write the table of a group',
    prepare(target, settings) {
      settings.schema = byGroup
      return target.query(`create schema crm_acme; create table crm_acme.contacts (like contacts including all);
        revoke insert on crm_acme.contacts from mortise_owner`)
    },
    error: /does not permit this user to write the table crm_acme\.contacts \(42501\)/,
  },
  { ...droppedColumn, error: /42703\. Table: public\.contacts\./ },
]

const ofMysql: Case[] = [
  unreachable,
  { ...refusesPassword, error: /refused the user name or the password \(1045\)/ },
  { ...noDatabase, error: /does not permit this user to use the database, or has none of this name \(1044\)/ },
  {
    what: 'does not permit to create a table',
    prepare: async (target) => target.query(`revoke create on ${await nameOf(target)}.* from ${await nameOf(target)}`),
    error: /does not permit this user to create a table \(1142\)/,
    object: 'deals',
  },
  ...['insert', 'update'].map((permission) => ({
    what: `does not permit to ${permission} records of an object`,
    async prepare(target: Target) {
      const name = await nameOf(target)
      await target.query(`revoke ${permission} on ${name}.* from ${name}`)
      await target.query(`grant ${permission} on ${name}._mortise_messages to ${name}`)
    },
    error: /does not permit this user to write the table contacts \(114[23]\)/,
  })),
  { ...droppedColumn, error: /1054\. Table: contacts\./ },
]

/** The name of the database, and of its user. */
async function nameOf(target: Target): Promise<string> {
  const [found] = await target.query<{ name: string }>('select database() as name')
  return found?.name ?? ''
}

const databases = [
  { kind: postgres as DestinationKind, start: startPostgresTarget, isThere: true, cases: ofPostgres },
  { kind: mysql as DestinationKind, start: startMysqlTarget, isThere: await hasMysqlServer(), cases: ofMysql },
]

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app?.stop())
let count = 0

describe.each(databases.map((one) => [one.kind.name, one] as const))(
  'a test of %s',
  (type, { kind, start, isThere, cases }) => {
    describe.skipIf(!isThere)('with a server', () => {
      let target: Target
      let settings: Settings
      const message = recordMessages()
      beforeEach(async () => {
        target = await start()
        settings = { url: (target.settings as Settings).url }
        await send('1', 'contacts')
      })
      afterEach(() => target.stop())

      async function send(id: string, objectName: string): Promise<unknown> {
        const opened = openForTest(kind, settings)
        const results = await opened.send([message([{ id, fields: { email: 'a' } }], { objectName })]).catch(() => [])
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
        const tables = await target.query(
          `select table_schema, table_name, column_name from information_schema.columns where table_schema ${of} order by 1, 2, 3`,
        )
        return [tables, await target.query('select * from contacts'), await target.received()]
      }

      it.each(type === 'postgres' ? ['public', byGroup] : [undefined])(
        'passes and stores nothing (schema: %s)',
        async (schema) => {
          if (schema !== undefined) settings.schema = schema
          const before = await stored()
          expect(await test()).toEqual({
            messageId: expect.any(String),
            delivered: true,
            checkedOnly: true,
            durationMs: expect.any(Number),
          })
          expect(await stored()).toEqual(before)
        },
      )

      it.each(cases.map((one) => [one.what, one] as const))(
        'that %s says so',
        async (_, { prepare, error, object = 'contacts' }) => {
          await prepare(target, settings)
          const before = await stored()
          expect(await test()).toMatchObject({ delivered: false, error: expect.stringMatching(error) })
          expect(await stored()).toEqual(before)
          expect(await send('2', object)).not.toBe('delivered')
        },
      )
    })
  },
)
