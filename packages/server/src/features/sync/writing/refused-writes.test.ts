import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { json, secretKey, startWritingKit, type WritingKit } from './writing.testkit.ts'

let kit: WritingKit
let groupRef: string
const patience = { timeout: 60_000, interval: 50 }

beforeAll(async () => {
  kit = await startWritingKit()
  groupRef = (await kit.install()).groupRef
})
afterAll(() => kit?.stop())
beforeEach(() => kit.ledger.reset())

const invalid = "Case 7: Status 'banana' isn't a valid status"
const changed = "Case 7: Status changed from 'open' to 'new'"
const update = { type: 'update', record: { id: '7', status: 'banana' } }
const batch = { type: 'create', batch: [{ record: { status: 'banana' } }, { record: { status: 'new' } }] }
const answersWith = (body: unknown) => kit.ledger.once((_, response) => json(response, 200, body))

/** The end of an asynchronous write. */
async function ended(object: string) {
  const { body } = await kit.write({ groupRef, mode: 'asynchronous', ...update }, object)
  await expect.poll(() => kit.operation(body.operationId), patience).not.toMatchObject({ status: 'in_progress' })
  return { operation: await kit.operation(body.operationId), logs: await kit.logs(body.operationId) }
}

describe('an answer 200 that the provider file calls a refusal', () => {
  it('is not a success for the caller who waits, and only what is wrong is an error', async () => {
    answersWith([changed, invalid])
    const { status, body } = await kit.write({ groupRef, ...update }, 'cases')
    expect(status).toBe(422)
    expect(body).toMatchObject({ result: { success: false }, errors: [{ message: invalid }] })
    expect(JSON.parse(body.rawResponse ?? '')).toEqual([changed, invalid])
  })

  it('is not a success of an operation in the background', async () => {
    answersWith([invalid])
    expect((await ended('cases')).operation).toMatchObject({
      status: 'failure',
      result: `[cases] Error writing to provider: ${invalid}`,
    })
  })

  it('is not a success of its record in a batch', async () => {
    answersWith({ results: [invalid, changed] })
    const { status, body } = await kit.write({ groupRef, ...batch }, 'cases')
    expect(status).toBe(200)
    expect(body).toMatchObject({ successCount: 1, failureCount: 1 })
    expect(body.results).toEqual([{ success: false, errors: [{ message: invalid }] }, { success: true }])
    const [line] = JSON.parse(await kit.logs(body.operationId))
    expect(line).toMatchObject({
      severity: 'DEBUG',
      message: {
        msg: 'Records 1 to 2: 1 written',
        details: { request: expect.stringMatching(/^POST \//), status: '200', records: '2', written: '1' },
      },
    })
  })

  it('is a success where nothing of it fits, and then the answer is not shown', async () => {
    answersWith([changed])
    const { status, body } = await kit.write({ groupRef, ...update }, 'cases')
    expect(status).toBe(200)
    expect(Object.keys(body)).toEqual(['operationId', 'result'])
  })
})

describe('where the provider file does not say what a refusal looks like, the answer is shown', () => {
  it('to the caller who waits, without the credential', async () => {
    answersWith([`${invalid} for ${secretKey}`])
    const { status, body } = await kit.write({ groupRef, ...update }, 'memos')
    expect(status).toBe(200)
    expect(body.rawResponse).toBe(JSON.stringify([`${invalid} for [secret]`]))
  })

  it('to the caller of a batch', async () => {
    answersWith({ results: [invalid, changed] })
    const { status, body } = await kit.write({ groupRef, ...batch }, 'memos')
    expect(status).toBe(200)
    expect(JSON.parse(body.rawResponse ?? '')).toEqual({ results: [invalid, changed] })
  })

  it('in the log of an operation in the background, and cut', async () => {
    answersWith([invalid, 'x'.repeat(20_000)])
    const { logs } = await ended('memos')
    expect(logs).toContain("Status 'banana' isn't a valid status")
    expect(logs).toContain('x'.repeat(1_000))
    expect(logs).not.toContain('x'.repeat(2_001))
  })

  it('but not where the answer holds the id of the record', async () => {
    for (const type of ['create', 'update']) {
      answersWith({ id: '7', status: 'new' })
      const { body } = await kit.write({ groupRef, type, record: { id: '7', status: 'new' } }, 'memos')
      expect(body).not.toHaveProperty('rawResponse')
      expect(body.result).toMatchObject({ success: true, recordId: '7' })
    }
  })
})

it('a page in place of an answer is no success: it says what came', async () => {
  const page = '<!DOCTYPE html><html><head><title>Sign in</title></head></html>'
  const answersWithPage = () =>
    kit.ledger.once((_, response) => {
      response.writeHead(200, { 'content-type': 'text/html' })
      response.end(page)
    })
  const message = 'The provider answered with status 200 and a page (text/html) titled "Sign in" instead of JSON.'
  answersWithPage()
  const { status, body } = await kit.write({ groupRef, ...update }, 'memos')
  expect({ status, body }).toMatchObject({
    status: 422,
    body: { result: { success: false }, errors: [{ message }], rawResponse: page },
  })
  answersWithPage()
  expect((await ended('memos')).operation).toMatchObject({
    status: 'failure',
    result: expect.stringContaining(message),
  })
})
