import { readFile } from 'node:fs/promises'
import pg from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import { breaksOf, schemaOf } from '../../testkit/released-schema.ts'
import { createEmptyDatabase, createTestDatabase } from '../../testkit/test-database.ts'
import { knownMigrations, openOwnerSession, prepareRoles } from './index.ts'
import { lastRelease } from './last-release.ts'
import { migrate } from './migrate.ts'
import { compatible, unused } from './schema-changes.ts'

/** Nodes of the last release run on the schema of this one while they are replaced. CONTRIBUTING.md has the rule. */

const recorded = new URL('../../../../../e2e/fixtures/last-release/', import.meta.url)
const schemaOfRelease = (await readFile(new URL('schema.txt', recorded), 'utf8')).trimEnd().split('\n')
const release = JSON.parse(await readFile(new URL('release.json', recorded), 'utf8')) as {
  version: string
  unused: string[]
}

it('a node of the last release finds all that it uses in this schema', async () => {
  const { url, drop } = await createTestDatabase()
  onTestFinished(drop)
  const client = new pg.Client(url)
  await client.connect()
  onTestFinished(() => client.end())
  const schema = await schemaOf(client)
  const allowed = { unused: release.unused, compatible: Object.keys(compatible) }
  expect(breaksOf(schemaOfRelease, schema, allowed), 'see "Changing a table" in CONTRIBUTING.md').toEqual([])
  const names = schema.map((line) => line.split(' ')[1])
  expect(
    unused.filter((entry) => !names.includes(entry) && !schema.includes(entry)),
    'schema-changes.ts lists what does not exist',
  ).toEqual([])
  const isNew = (line: string) => schema.includes(line) && !schemaOfRelease.includes(line)
  expect(
    allowed.compatible.filter((line) => !isNew(line)),
    'schema-changes.ts lists what is not new',
  ).toEqual([])
})

it('the migrations of the last release still make its schema', async () => {
  const old = await createEmptyDatabase()
  onTestFinished(() => old.drop())
  const session = await openOwnerSession({ url: old.url }, 'old')
  onTestFinished(() => session.close())
  await session.db.connection().execute(prepareRoles)
  const names = await knownMigrations()
  expect(names).toContain(lastRelease.migration)
  await migrate(session.db, names.slice(0, names.indexOf(lastRelease.migration) + 1))
  // The release itself defines functions after its migrations.
  const made = (await schemaOf(session.client)).filter((line) => !line.startsWith('function '))
  expect(made).toEqual(schemaOfRelease.filter((line) => !line.startsWith('function ')))
  expect(release.version).toBe(lastRelease.version)
})
