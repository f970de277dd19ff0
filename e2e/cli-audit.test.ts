import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { run } from '../packages/cli/src/run.ts'
import { testTerminal } from '../packages/cli/src/testkit/test-terminal.ts'
import { auditTicks } from '../packages/server/src/features/platform/audit/index.ts'
import { startTestApp, type TestApp } from '../packages/server/src/testkit/test-app.ts'
import { temporaryFolder } from './cli.testkit.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ env: { MORTISE_ROLES: 'api' } })
  for (const name of ['one', 'two']) await app.call('POST', '/projects/default/topics', { name })
  const seal = auditTicks(app.app.services).find(({ name }) => name === 'audit.seal')
  await seal?.run(new AbortController().signal)
})
afterAll(() => app?.stop())

const here = async (...argv: string[]) => {
  const env = { MORTISE_CONFIG_DIR: await temporaryFolder(), MORTISE_URL: app.url, MORTISE_API_KEY: app.apiKey }
  const terminal = testTerminal({ env })
  return { code: await run(argv, terminal), ...terminal.output() }
}

test('lists entries, and filters them', async () => {
  const { code, stdout } = await here('audit', 'list', '--action', 'createTopic', '--limit', '1', '--format', 'json')
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject([{ action: 'createTopic', after: { name: 'two' } }])
  expect((await here('audit', 'list', '--from', '1h')).stdout).toMatch(/First key +createTopic +topic/)
  expect((await here('audit', 'list', '--limit', 'all')).code).toBe(2)
})

test('exports each entry as a line of JSON', async () => {
  const { code, stdout } = await here('audit', 'export', '--kind', 'topic')
  expect(code).toBe(0)
  const entries = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(entries.map(({ after }) => after.name)).toEqual(['two', 'one'])
})

test('refuses the log of the organization to an API key', async () => {
  expect((await here('audit', 'list', '--org')).code).toBe(4)
})

test('verifies the log, and fails at the first broken place', async () => {
  const intact = await here('audit', 'verify')
  expect([intact.code, intact.stdout]).toEqual([
    0,
    expect.stringMatching(/^intact: 2 entries in 1 seal\nseal 1: [0-9a-f]{64}\n$/),
  ])
  const database = new pg.Client({ connectionString: app.testDatabase.url })
  await database.connect()
  const { rows } = await database.query<{ id: string }>('select min(id::text) as id from mortise.audit_entries')
  await database.query('delete from mortise.audit_entries where id = $1', [rows[0]?.id])
  await database.end()
  const broken = await here('audit', 'verify')
  expect([broken.code, broken.stdout]).toEqual([
    1,
    `broken: entry is missing (entry ${rows[0]?.id}, number 1, seal 1)\n`,
  ])
})
