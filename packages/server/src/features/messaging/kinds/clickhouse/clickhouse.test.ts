import { afterEach, expect, it } from 'vitest'
import { openForTest, type TestTarget, testMessages } from '../conformance.testkit.ts'
import { startHttpTarget } from '../http-target.testkit.ts'
import { harness } from './conformance.testkit.ts'
import { clickhouse } from './index.ts'
import { tablesMetadata, tablesSecret } from './tables-target.testkit.ts'

let target: TestTarget | undefined
let close: (() => Promise<void>) | undefined
afterEach(async () => {
  await close?.()
  await target?.stop()
})

it('inserts the keys of a message as columns, and its result as JSON in a text', async () => {
  target = await harness.start()
  const opened = openForTest(clickhouse, target.settings)
  close = opened.close
  const message = { action: 'read', resultInfo: { type: 'inline', numRecords: 1 }, result: [{ fields: { a: 1 } }] }
  const [first] = testMessages('x')
  const batch = first ? [{ ...first, body: Buffer.from(JSON.stringify(message)) }] : []
  expect(await opened.send(batch)).toMatchObject([{ outcome: 'delivered', status: 200 }])
  expect((await target.received()).map(({ body }) => JSON.parse(body))).toEqual([
    { ...message, result: '[{"fields":{"a":1}}]' },
  ])
})

it('names the error of the server, in words that people look up', async () => {
  target = await harness.start()
  target.behave('has no such table')
  const opened = openForTest(clickhouse, target.settings)
  close = opened.close
  const [result] = await opened.send(testMessages('x'))
  expect(result?.error).toBe(`127.0.0.1:${target.port} answered 404 (UNKNOWN_TABLE).`)
})

it('does not take the code of an error for a success, whatever the status is', async () => {
  const password = 'pass word-7Äx'
  target = await startHttpTarget({
    settings: (port) => ({ username: 'mortise', tableName: 'events', url: `http://127.0.0.1:${port}/`, password }),
    secret: password,
    answer: ({ path }) => ({
      status: 200,
      headers: {
        'x-clickhouse-query-id': new URL(path, 'http://localhost').searchParams.get('query_id') ?? '',
        'x-clickhouse-exception-code': '241',
      },
    }),
  })
  const opened = openForTest(clickhouse, target.settings)
  close = opened.close
  expect(await opened.send(testMessages('x'))).toMatchObject([
    { outcome: 'retry', error: expect.stringContaining('did not confirm the insertion') },
  ])
  const tables = openForTest(clickhouse, { ...target.settings, layout: 'tables', database: 'crm' })
  expect(await tables.send(testMessages('x'))).toMatchObject([{ outcome: 'retry' }])
  await tables.close()
})

/** What a check says of a server that confirms each statement, and answers it with a text. */
async function checkAnswering(body: string, headers: Record<string, string> = {}) {
  target = await startHttpTarget({
    settings: (port) => ({ ...tablesMetadata, url: `http://127.0.0.1:${port}/`, password: tablesSecret }),
    secret: tablesSecret,
    answer: ({ path }) => ({
      status: 200,
      headers: {
        ...headers,
        'x-clickhouse-query-id': new URL(path, 'http://localhost').searchParams.get('query_id') ?? '',
      },
      body,
    }),
  })
  const opened = openForTest(clickhouse, target.settings)
  close = opened.close
  return opened.sender.check?.({ time: new Date(), timeoutMs: 10_000, signal: new AbortController().signal })
}

it.each([
  ['half a row after a whole one', '["1"]\n["1'],
  ['a row without its end', '["1"]'],
  ['numbers', '[1]\n'],
  ['objects', '{"count()":"1"}\n'],
  ['an error after a row', '["1"]\nCode: 241. DB::Exception: Memory limit exceeded. (MEMORY_LIMIT_EXCEEDED)\n'],
])('does not take %s for the answer of a query', async (_, body) => {
  expect(await checkAnswering(body)).toMatchObject({
    outcome: 'retry',
    error: expect.stringContaining('did not confirm the statement'),
    response: Buffer.from(body),
  })
})

it('does not take the beginning of an answer for all of it, whatever row it ends with', async () => {
  const rowOf8Bytes = '["1"]  \n'
  expect(await checkAnswering(rowOf8Bytes.repeat(2 ** 17 + 1))).toMatchObject({
    outcome: 'retry',
    error: expect.stringContaining('did not confirm the statement'),
  })
})

it('is not kept busy by the text of an error', async () => {
  const error = 'Code: 1Exception: '.repeat(4_000)
  const tag = 'tagoftheanswer00'
  const body = `\r\n__exception__\r\n${tag}\n${error}\n${error.length + 1} ${tag}\r\n__exception__\r\n`
  expect(await checkAnswering(body, { 'x-clickhouse-exception-tag': tag })).toMatchObject({ outcome: 'retry' })
})
