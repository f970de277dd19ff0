import '../packages/server/src/testkit/trust-test-certificate.ts'
import { install } from 'undici'
import { afterAll, expect, vi } from 'vitest'
import { recordStatements, takeStatementFaults } from '../packages/server/src/testkit/statement-record.ts'

// Node's own ends the process, and with it the files that follow, where a server goes whose answer nobody has read to
// its end (https://github.com/nodejs/undici/issues/5360).
install()
recordStatements()

/**
 * Test files share their workers: what one of them changed for the whole process is put back before the next one
 * begins.
 */
const env = { ...process.env }
const folder = process.cwd()

afterAll(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name]
  Object.assign(process.env, env)
  if (process.cwd() !== folder) process.chdir(folder)
})

// The file that runs a statement across projects fails, whatever its tests say.
afterAll(() => {
  expect(takeStatementFaults()).toEqual([])
})
