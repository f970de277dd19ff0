import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../testkit/test-database.ts'
import { byteaArray, intArray, textArray } from './binary-array.ts'

let database: TestDatabase
let client: pg.Client
beforeAll(async () => {
  database = await createTestDatabase()
  client = new pg.Client({ connectionString: database.url })
  await client.connect()
})
afterAll(async () => {
  await client?.end()
  await database?.drop()
})

const returned = async (type: string, array: Buffer) =>
  (await client.query<{ values: unknown[] }>(`select $1::${type}[] as values`, [array])).rows[0]?.values

test('texts arrive as they are, and nulls as nulls', async () => {
  const texts = ['', 'plain', '"{},\\', 'NULL', null, 'grüße, 世界 🎉', ' \n\t', 'x'.repeat(100_000)]
  expect(await returned('text', textArray(texts))).toEqual(texts)
  expect(await returned('text', textArray([]))).toEqual([])
})

test('bytes arrive from hex digits', async () => {
  const digits = ['', '00ff10', null, 'ab'.repeat(32)]
  expect(await returned('bytea', byteaArray(digits))).toEqual(
    digits.map((text) => (text === null ? null : Buffer.from(text, 'hex'))),
  )
})

test('whole numbers arrive, also negative ones', async () => {
  const numbers = [0, 1, -1, 2 ** 31 - 1, -(2 ** 31)]
  expect(await returned('int', intArray(numbers))).toEqual(numbers)
})

test('the database refuses a text with a NUL, as it does without an array', async () => {
  await expect(returned('text', textArray(['a\0b']))).rejects.toMatchObject({ code: '22021' })
})
