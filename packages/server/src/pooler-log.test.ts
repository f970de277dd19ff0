import { randomBytes } from 'node:crypto'
import { expect, inject, onTestFinished, test } from 'vitest'
import { readConfig } from './config.ts'
import { createLogger } from './kernel/telemetry/index.ts'
import { openStorage } from './storage.ts'
import { startOptionsFilter } from './testkit/options-filter.ts'
import { createTestDatabase } from './testkit/test-database.ts'

/** Opens a database, behind a pooler or not. Returns the messages of the log. */
async function logged(where: { isPooled: boolean; isDirect: boolean }): Promise<string[]> {
  const testDatabase = await createTestDatabase()
  onTestFinished(() => testDatabase.drop())
  const pooler = await startOptionsFilter(inject('postgres'), 'drops')
  onTestFinished(() => pooler.close())
  const pooled = new URL(testDatabase.url)
  pooled.searchParams.set('host', pooler.host)
  const lines: string[] = []
  const config = readConfig({
    DATABASE_URL: where.isPooled ? pooled.href : testDatabase.url,
    ...(where.isDirect && { DATABASE_DIRECT_URL: testDatabase.url }),
    MORTISE_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
  })
  const log = createLogger({ level: 'info', destination: { write: (line) => lines.push(line) } })
  await (await openStorage(config, log)).close()
  return lines.map((line) => JSON.parse(line).msg)
}

const pooler = expect.stringContaining('DATABASE_URL leads to a connection pooler that does not keep sessions.')
const missing = expect.stringContaining('DATABASE_DIRECT_URL is not set')

test.each([
  ['a pooler alone', { isPooled: true, isDirect: false }, [pooler, missing]],
  ['a pooler and a direct address', { isPooled: true, isDirect: true }, [pooler]],
  ['no pooler', { isPooled: false, isDirect: false }, []],
])('the start says what is missing with %s', async (_, where, messages) => {
  expect(await logged(where)).toEqual(messages)
})
