import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startWritingKit, type WritingKit } from './writing.testkit.ts'

let kit: WritingKit

beforeAll(async () => {
  kit = await startWritingKit()
})
afterAll(() => kit?.stop())

it('a write whose log cannot be stored sends no record twice', async () => {
  const { groupRef } = await kit.install()
  const owner = new pg.Client(kit.app.testDatabase.url)
  await owner.connect()
  try {
    // The first line of a request is refused, as by a database that is lost between two statements.
    await owner.query(`
      create sequence mortise.lines;
      grant usage on sequence mortise.lines to public;
      create function mortise.refuse_first_line() returns trigger language plpgsql as $$
        begin if nextval('mortise.lines') = 1 then raise 'not yet'; end if; return new; end $$;
      create trigger refuse_first_line before insert on mortise.operation_logs for each row
        when (new.severity = 'DEBUG') execute function mortise.refuse_first_line()`)
    const batch = ['a', 'b', 'c', 'd', 'e'].map((email) => ({ record: { email } }))
    const { body } = await kit.write({ type: 'create', mode: 'asynchronous', groupRef, batch })
    await expect
      .poll(
        () => {
          kit.app.clock.advance(60_000)
          return kit.operation(body.operationId)
        },
        { timeout: 60_000, interval: 50 },
      )
      .toMatchObject({ status: 'success', result: 'Batch write completed (5 succeeded, 0 failed)' })
    const { rows } = await owner.query('select nextval($1) as next', ['mortise.lines'])
    expect(Number(rows[0].next), 'a line was refused, and others were stored').toBeGreaterThan(2)
  } finally {
    await owner.end()
  }
  const sizes = kit.ledger.writes().map(({ body }) => (body?.['items'] as unknown[] | undefined)?.length)
  expect(sizes).toEqual([3, 2])
  expect(kit.ledger.records.size).toBe(5)
})
