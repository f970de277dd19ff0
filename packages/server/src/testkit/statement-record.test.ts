import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { newId } from '../kernel/db/index.ts'
import { Work, type WorkTable } from '../kernel/work/index.ts'
import { faultsOf, takeStatementFaults } from './statement-record.ts'
import { createTestDatabase, type TestDatabase } from './test-database.ts'

let testDatabase: TestDatabase
beforeAll(async () => {
  testDatabase = await createTestDatabase()
})
afterAll(() => testDatabase?.drop())

const erasures: WorkTable<{ project_id: string; id: string; due_time: Date; failure_count: number }> = {
  table: 'erasures',
  key: ['project_id', 'id'],
  due: 'due_time',
  failures: 'failure_count',
}
const crossing = sql`exists (select from groups where groups.group_ref = work.ref)`

it('finds the statement of the service that joins across projects, and what sent it', async () => {
  takeStatementFaults()
  const db = testDatabase.database.forProject(newId())
  const work = new Work({ newId })
  await work.claimOne(db, erasures, { where: sql`work.ref = ${newId()}` })
  expect(takeStatementFaults()).toEqual([])
  await work.claimOne(db, erasures, { where: crossing })
  const [fault, ...others] = takeStatementFaults()
  expect(others).toEqual([])
  expect(fault).toMatch(/kernel\/work\/work\.ts.*: no condition says that .*\bgroups\b.* are of the same project\n/)
  expect(fault).toContain('exists (select from groups')
})

it('leaves out statements that only a test sends', async () => {
  takeStatementFaults()
  await sql`select from erasures work where ${crossing}`.execute(testDatabase.database.system)
  expect(takeStatementFaults()).toEqual([])
})

it('finds a statement that is given two projects', () => {
  const text = 'select from groups, consumers where groups.project_id = $1 and consumers.project_id = $2'
  expect(faultsOf({ text, values: ['a', 'a'], from: 'store.ts' })).toEqual([])
  expect(faultsOf({ text, values: ['a', 'b'], from: 'store.ts' })).toEqual([
    `store.ts: the statement is given several projects: a, b\n${text}`,
  ])
})
