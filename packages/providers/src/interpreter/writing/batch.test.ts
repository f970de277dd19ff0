import { expect, it } from 'vitest'
import { type BatchWriteRequest, createConnector } from '../../index.ts'
import { type Answer, plainHttp, type SeenRequest, startServer } from '../../testing/http-server.testkit.ts'
import { thingsProvider } from '../../testing/provider.testkit.ts'

/** What a provider file can say of writing several records at once, against a real server. */

const traced = `read: { path: /things }
write:
  batch:
    create:
      path: /things/batch
      max: 3
      body:
        atomic: { $value: allOrNone }
        inputs: { $each: items, $item: { $spread: item.record, trace: '{{item.trace}}', links: { $value: item.associations } } }
      answer:
        results: results
        index: trace
        data: values
        failures: { list: errors, index: context.traces, ids: context.ids }
    update:
      method: PATCH
      path: /things
      max: 3
      body: { $each: items, $item: { $spread: item.record, id: '{{item.id}}' } }
      answer: { results: '', success: { success: true }, refusals: { list: errors } }`

async function connect(answer: (request: SeenRequest) => Answer, file = traced) {
  const server = await startServer(answer)
  const connection = { metadata: { baseUrl: server.origin }, credential: { scheme: 'apiKey', apiKey: 'k-1' } as const }
  return { server, connector: createConnector(thingsProvider(file), connection, plainHttp(fetch)) }
}

const batch = (rest: Partial<BatchWriteRequest> = {}): BatchWriteRequest => ({
  object: 'things',
  type: 'create',
  allOrNone: false,
  items: [{ record: { n: 1 } }, { record: { n: 2 }, associations: [{ to: 1 }] }, { record: { n: 3 } }],
  ...rest,
})
const updates = (rest: Partial<BatchWriteRequest> = {}) =>
  batch({ type: 'update', items: [1, 2].map((n) => ({ id: `i${n}`, record: { n } })), ...rest })

it('a record of which nothing is sent keeps its position, and so each record has its own result', async () => {
  const texts = `read: { path: /things }
write:
  batch:
    create:
      path: /things/batch
      max: 3
      body: { inputs: [{ $each: items, $item: { record: { name: '{{item.record.name}}' } } }] }
      answer: { results: results, success: { ok: true }, refusals: { list: errors } }`
  const results = [
    { ok: false, errors: ['The name is missing.'] },
    { ok: true, id: '7' },
  ]
  const server = await startServer(() => ({ body: { results } }))
  await using _ = server
  const connection = { metadata: { baseUrl: server.origin }, credential: { scheme: 'apiKey', apiKey: 'k-1' } as const }
  const connector = createConnector(thingsProvider(texts), connection, plainHttp(fetch))
  const written = await connector.writeBatch(batch({ items: [{ record: { name: null } }, { record: { name: 'b' } }] }))
  expect(JSON.parse(server.seen[0]?.body ?? '')).toEqual({ inputs: [{}, { record: { name: 'b' } }] })
  expect(written.results).toMatchObject([{ success: false }, { success: true, recordId: '7' }])
})

it('all records go in one request, each with its number where some may fail', async () => {
  const { server, connector } = await connect(() => ({ body: { results: [] } }))
  await using _ = server
  expect(connector.batchSizeMax('things', 'create')).toBe(3)
  await connector.writeBatch(batch())
  await connector.writeBatch(batch({ allOrNone: true, items: [{ record: { n: 1 } }] }))
  expect(server.seen.map(({ body }) => JSON.parse(body) as unknown)).toEqual([
    {
      atomic: false,
      inputs: [
        { n: 1, trace: '0' },
        { n: 2, trace: '1', links: [{ to: 1 }] },
        { n: 3, trace: '2' },
      ],
    },
    { atomic: true, inputs: [{ n: 1 }] },
  ])
})

it('results are told apart by the number that was sent, whatever their order', async () => {
  const results = [2, 0, 1].map((trace) => ({ id: `r${trace}`, trace: String(trace), values: { t: trace } }))
  const { server, connector } = await connect(() => ({ body: { results } }))
  await using _ = server
  const result = await connector.writeBatch(batch())
  expect(result).toMatchObject({ status: 'success', successCount: 3, failureCount: 0, errors: [] })
  expect(result.results.map(({ recordId, data }) => [recordId, data])).toEqual([
    ['r0', { t: 0 }],
    ['r1', { t: 1 }],
    ['r2', { t: 2 }],
  ])
})

it('results without a number count in order, around those that failed', async () => {
  const answer = {
    results: [{ id: 'a' }, { id: 'c' }],
    errors: [{ message: 'Exists with k-1', context: { traces: ['1', '99', 'x'] } }],
  }
  const { server, connector } = await connect(() => ({ status: 207, body: answer }))
  await using _ = server
  const result = await connector.writeBatch(batch())
  expect(result).toMatchObject({ status: 'partial', successCount: 2, failureCount: 1 })
  expect(result.results).toMatchObject([
    { success: true, recordId: 'a' },
    { success: false, errors: [{ message: expect.stringContaining('Exists with') as string }] },
    { success: true, recordId: 'c' },
  ])
  expect(result.errors).toHaveLength(1)
  expect(JSON.stringify(result)).not.toContain('k-1')
})

it('a record that the answer is silent about counts as not written', async () => {
  const { server, connector } = await connect(() => ({ body: { results: [{ id: 'a' }] } }))
  await using _ = server
  const result = await connector.writeBatch(batch())
  expect(result).toMatchObject({ status: 'failure', successCount: 0, failureCount: 3 })
  expect(result.results[0]).toEqual({
    success: false,
    errors: [{ message: 'The provider did not report the result of this record.' }],
  })
})

it('updates are told apart by their ids, and each can be refused alone', async () => {
  const body = [
    { id: 'i2', success: true, errors: [] },
    { id: 'i1', success: false, errors: [{ message: 'Locked' }] },
  ]
  const { server, connector } = await connect(() => ({ body }))
  await using _ = server
  expect((await connector.writeBatch(updates())).results).toEqual([
    { success: false, recordId: 'i1', errors: [{ message: 'Locked' }] },
    { success: true, recordId: 'i2', data: body[0] },
  ])
})

it('a result that is an error itself has its texts; results that are none have nothing to say', async () => {
  const whole = traced.replace(
    'refusals: { list: errors } }',
    "refusals: { list: '', when: { success: false }, message: [code, message] } }",
  )
  const body = [
    { id: 'i1', success: false, code: 'LOCKED', message: 'is locked', details: { json_path: '$.data[0]' } },
    { id: 'i2', success: true, code: 'SUCCESS', message: 'record updated' },
  ]
  const { server, connector } = await connect(() => ({ status: 207, body }), whole)
  await using _ = server
  expect((await connector.writeBatch(updates())).results).toEqual([
    { success: false, recordId: 'i1', errors: [{ message: 'LOCKED: is locked' }] },
    { success: true, recordId: 'i2', data: body[1] },
  ])
})

const silent = 'The provider did not report the result of this record.'
/** Each result is a letter and an id: `+` written, `-` refused. */
it.each([
  ['the list is complete', ['-i2', '+i2'], ['i1: refused -i2', 'i2: written']],
  ['nothing was written', ['-i2', '-other'], ['i1: refused -i2', 'i2: refused -other']],
  ['no success has an id', ['-i2', '+'], ['i1: refused -i2', 'i2: written']],
  ['of another order', ['+i3', '-i1', '+i2'], ['i1: refused -i1', 'i2: written', 'i3: written']],
  ['of another order, with a wrong id', ['+i3', '-i3', '+i2'], ['i1: refused -i3', 'i2: written', 'i3: written']],
  ['the list is too short', ['-i2', '+i2'], [`i1: ${silent}`, 'i2: written', `i3: ${silent}`]],
])('the id in an error may be that of another record: %s', async (_, listed, expected) => {
  const body = listed.map((one) => {
    const success = one.startsWith('+')
    return { id: one.slice(1), success, errors: success ? [] : [{ message: `refused ${one}` }] }
  })
  const { server, connector } = await connect(() => ({ body }))
  await using _server = server
  const items = expected.map((text) => ({ id: text.slice(0, 2), record: {} }))
  const { results } = await connector.writeBatch(updates({ items }))
  expect(results.map((one) => `${one.recordId}: ${one.success ? 'written' : one.errors?.[0]?.message}`)).toEqual(
    expected,
  )
})

it('of a separate list of failures, only those that meet its condition are failures', async () => {
  const some = traced.replace('failures: { list: errors,', 'failures: { list: errors, when: { level: error },')
  const problem = (level: string, trace: number) => ({ level, message: level, context: { traces: [trace] } })
  const results = [0, 2].map((trace) => ({ id: `r${trace}`, trace: String(trace) }))
  const answer = { results, errors: [problem('warning', 0), problem('error', 1)] }
  const { server, connector } = await connect(() => ({ body: answer }), some)
  await using _ = server
  const result = await connector.writeBatch(batch())
  expect(result.results.map(({ success }) => success)).toEqual([true, false, true])
  expect(result.errors).toEqual([{ message: 'error' }])
})

it('a refusal of the whole batch writes nothing; one with a result for each record says more', async () => {
  let body: unknown = [{ message: 'At least 1 record is needed' }]
  const { server, connector } = await connect(() => ({ status: 400, body }))
  await using _ = server
  expect(await connector.writeBatch(updates())).toEqual({
    status: 'failure',
    successCount: 0,
    failureCount: 2,
    results: [],
    errors: [{ message: 'At least 1 record is needed' }],
  })
  body = [{ errors: [{ message: 'No name' }] }, { errors: [{ message: 'Rolled back' }] }]
  expect(await connector.writeBatch(updates())).toMatchObject({
    status: 'failure',
    failureCount: 2,
    results: [
      { success: false, recordId: 'i1', errors: [{ message: 'No name' }] },
      { success: false, recordId: 'i2', errors: [{ message: 'Rolled back' }] },
    ],
  })
})

it('what is not about the records is thrown, so that it can be tried again', async () => {
  const { server, connector } = await connect(() => ({ status: 429, headers: { 'retry-after': '3' } }))
  await using _ = server
  await expect(connector.writeBatch(batch())).rejects.toMatchObject({ class: 'rate_limited', retryAfterMs: 3000 })
})

it('an answer that says nothing of the records is an error, and too many records are refused', async () => {
  const { server, connector } = await connect(() => ({ body: { done: true } }))
  await using _ = server
  await expect(connector.writeBatch(batch())).rejects.toMatchObject({ class: 'unexpected_response' })
  const items = Array.from({ length: 4 }, () => ({ record: {} }))
  await expect(connector.writeBatch(batch({ items }))).rejects.toMatchObject({ class: 'bad_request' })
  await expect(connector.writeBatch(updates({ items: [{ record: {} }] }))).rejects.toMatchObject({
    class: 'bad_request',
  })
  expect(server.seen).toHaveLength(1)
})
