import { execFileSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import pg from 'pg'
import packageJson from '../package.json' with { type: 'json' }
import { startEmbedded } from '../packages/server/src/kernel/db/embedded/start-embedded.ts'
import { knownMigrations, openDatabase, provision } from '../packages/server/src/kernel/db/index.ts'
import { unused } from '../packages/server/src/kernel/db/schema-changes.ts'
import { schemaOf } from '../packages/server/src/testkit/released-schema.ts'

/**
 * Records what a release leaves to the next one. Run it right after a release is made, from its commit:
 *
 *   node scripts/run.mjs scripts/write-last-release.ts
 *
 * It writes the schema, what the release has stopped using, and its commit. The tests of the next release compare with
 * them, and run a node of this commit.
 */
const root = path.resolve(import.meta.dirname, '..')
const fixtures = path.join(root, 'e2e/fixtures/last-release')
const home = await mkdtemp(path.join(tmpdir(), 'mortise-last-release-'))
const server = await startEmbedded({ homeDir: home, fsync: false, systemDir: path.join(home, 'system') })
try {
  const address = await provision(server)
  await (await openDatabase({ address, poolSize: 2, applicationName: 'release', onError: console.error })).close()
  const client = new pg.Client({ ...server, user: 'postgres', database: 'mortise' })
  await client.connect()
  const schema = await schemaOf(client)
  await client.end()
  const commit = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim()
  const { version } = packageJson
  const migration = (await knownMigrations()).at(-1) ?? ''
  await writeFile(path.join(fixtures, 'schema.txt'), `${schema.join('\n')}\n`)
  await writeFile(path.join(fixtures, 'release.json'), `${JSON.stringify({ version, commit, unused }, null, 2)}\n`)
  await writeFile(
    path.join(root, 'packages/server/src/kernel/db/last-release.ts'),
    `/**
 * The release whose nodes may run at the same time as those of this one, by the last migration that it knows.
 * \`scripts/write-last-release.ts\` writes it when a release is made.
 */
export const lastRelease = { version: '${version}', migration: '${migration}' }
`,
  )
  console.log(`recorded ${version}, ${commit}, ${migration}`)
} finally {
  await server.stop()
  await rm(home, { recursive: true, force: true })
}
