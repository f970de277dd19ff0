import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../testkit/test-database.ts'
import { newId } from './ids.ts'

let testDatabase: TestDatabase
beforeAll(async () => {
  testDatabase = await createTestDatabase()
})
afterAll(() => testDatabase?.drop())

test('what a transaction does after its commit runs before its caller continues', async () => {
  const db = testDatabase.database.forProject(newId())
  const seen: string[] = []
  await db.transaction(async (tx) => {
    tx.afterCommit(() => seen.push('committed'))
    await tx.transaction(async (inner) => inner.afterCommit(() => seen.push('inner')))
    await tx.savepoint(async (part) => part.afterCommit(() => seen.push('part')))
    await sql`select 1`.execute(tx.sql)
    expect(seen).toEqual([])
  })
  expect(seen).toEqual(['committed', 'inner', 'part'])
  expect(() => db.afterCommit(() => undefined)).toThrow('no transaction')
})

test('it does not run after a rollback, of the whole or of its part', async () => {
  const db = testDatabase.database.forProject(newId())
  const seen: string[] = []
  await db.transaction(async (tx) => {
    const undone = tx.savepoint(async (part) => {
      part.afterCommit(() => seen.push('part'))
      throw new Error('no')
    })
    await expect(undone).rejects.toThrow('no')
  })
  const failed = db.transaction(async (tx) => {
    tx.afterCommit(() => seen.push('whole'))
    throw new Error('no')
  })
  await expect(failed).rejects.toThrow('no')
  expect(seen).toEqual([])
})
