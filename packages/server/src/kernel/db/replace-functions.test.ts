import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { createTestDatabase } from '../../testkit/test-database.ts'
import { openOwnerSession } from './index.ts'
import { replaceFunctions } from './replace-functions.ts'

const answer = (value: number) =>
  `create or replace function answer() returns integer language sql as $$ select ${value} $$`

it('replaces a function when its definition changes, and leaves it alone otherwise', async () => {
  const database = await createTestDatabase()
  const session = await openOwnerSession({ url: database.url }, 'functions')
  const call = async () => (await sql<{ answer: number }>`select answer()`.execute(session.db)).rows[0]?.answer
  expect(await replaceFunctions(session.db, { answer: answer(1) })).toEqual(['answer'])
  expect(await replaceFunctions(session.db, { answer: answer(1) })).toEqual([])
  expect(await call()).toBe(1)
  expect(await replaceFunctions(session.db, { answer: answer(2) })).toEqual(['answer'])
  expect(await call()).toBe(2)
  expect(await replaceFunctions(session.db)).toEqual([])
  await session.close()
  await database.drop()
})
