import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type JobStep, startJobKit } from './job-site.testkit.ts'

let kit: Awaited<ReturnType<typeof startJobKit>>
const patience = { timeout: 60_000, interval: 50 }

beforeAll(async () => {
  kit = await startJobKit()
})
afterAll(() => kit?.stop())
beforeEach(() => kit.provider.reset())

const names = (count: number) => Array.from({ length: count }, (_, at) => `n${at + 1}`)

async function accepted(batch: readonly unknown[], more: object = {}): Promise<string> {
  const answer = await kit.write(batch, more)
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
  return answer.body.operationId
}

interface Ended {
  status: string
  result: string
  metadata: { successfulRecordIds?: string[] }
}

async function ended(operationId: string): Promise<Ended> {
  const load = async () => {
    // The delays between two requests for the state of a job pass.
    kit.app.clock.advance(250)
    return (await kit.app.call<Ended>('GET', `${kit.project}/operations/${operationId}`)).body
  }
  await expect.poll(load, patience).not.toMatchObject({ status: 'in_progress' })
  return load()
}

async function logOf(operationId: string): Promise<string> {
  const path = `${kit.project}/operations/${operationId}/logs?severity=DEBUG`
  return JSON.stringify((await kit.app.call('GET', path)).body)
}

async function rowsLeft(): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from write_runs`.execute(kit.app.db.sql)
  return rows[0]!.count
}

describe('an asynchronous write of many records', () => {
  it('is one job, whose results arrive in the order of the records', async () => {
    const operation = await ended(await accepted(['a', 'bad', 'b', 'c']))
    expect(operation).toMatchObject({ status: 'success', result: 'Batch write completed (3 succeeded, 1 failed)' })
    expect(operation.metadata.successfulRecordIds).toEqual(['id-a', 'id-b', 'id-c'])
    expect(kit.provider.created).toEqual(['a', 'b', 'c'])
    expect(kit.provider.steps.slice(0, 4)).toEqual(['submit', 'upload', 'state', 'start'])
    expect(kit.provider.steps.slice(-3)).toEqual(['written', 'refused', 'unprocessed'])
    expect(await rowsLeft()).toBe(0)
  })

  it('may have more than 100 records, in several jobs', async () => {
    const operationId = await accepted(names(200))
    expect(await ended(operationId)).toMatchObject({ result: 'Batch write completed (200 succeeded, 0 failed)' })
    expect(kit.provider.created).toEqual(names(200))
    expect([...kit.provider.jobs.values()].map(({ rows }) => rows.length)).toEqual([150, 50])
  })

  it('says in the log which record was refused, and why', async () => {
    const operationId = await accepted(['a', 'b', 'c', 'bad'])
    await ended(operationId)
    expect(await logOf(operationId)).toContain('Record 4: The name is bad.')
  })

  it('of a job that fails says of each record what became of it', async () => {
    kit.provider.failAfter(2)
    const operationId = await accepted(['a', 'b', 'c', 'd'])
    expect(await ended(operationId)).toMatchObject({
      result: 'Batch write completed (2 succeeded, 2 failed)',
      metadata: { successfulRecordIds: ['id-a', 'id-b'] },
    })
    const log = await logOf(operationId)
    for (const at of [3, 4])
      expect(log).toContain(`Record ${at}: This record was not processed. The provider’s job ended as aborted.`)
    expect(log).toContain('The quota is used up.')
    expect(kit.provider.created).toEqual(['a', 'b'])
  })

  it('that no job can write goes in batches', async () => {
    const operationId = await accepted(['a', 'b', 'c', { first: 'd' }])
    expect(await ended(operationId)).toMatchObject({ result: 'Batch write completed (4 succeeded, 0 failed)' })
    expect(kit.provider.steps).toEqual(['batch'])
    expect(await logOf(operationId)).toContain('No job of the provider can write these records.')
  })

  it.each<JobStep>(['submit', 'upload'])('goes in batches if the provider refuses the %s', async (step) => {
    kit.provider.next(step, (response) => response.writeHead(400).end('{"error":"No jobs here."}'))
    await ended(await accepted(['a', 'b', 'c', 'd']))
    expect(kit.provider.created).toEqual(['a', 'b', 'c', 'd'])
    expect(kit.provider.steps.at(-1)).toBe('batch')
  })

  it.each([
    ['few records', ['a', 'b', 'c'], {}],
    ['headers', ['a', 'b', 'c', 'd'], { headers: [{ key: 'X-Rule', value: '1' }] }],
  ])('with %s goes in batches', async (_, batch, more) => {
    await ended(await accepted(batch, more))
    expect(kit.provider.steps).toEqual(['batch'])
  })

  it('has at most 100 records while the caller waits, and 10,000 otherwise', async () => {
    const waiting = await kit.write(names(101), { mode: 'synchronous' })
    expect(waiting.status).toBe(400)
    expect(JSON.stringify(waiting.body)).toContain('at most 100 records')
    expect((await kit.write(names(10_001))).status).toBe(400)
    expect(kit.provider.steps).toEqual([])
  })
})

describe('a job whose outcome is not known', () => {
  const steps: JobStep[] = ['submit', 'upload', 'state', 'start', 'written', 'refused']

  it.each(steps)('is continued after a lost response to %s, and writes no record twice', async (step) => {
    kit.provider.next(step, (response, handle) => {
      response.end = () => response.destroy()
      handle()
    })
    const operation = await ended(await accepted(['a', 'b', 'c', 'd']))
    expect(operation.result).toBe('Batch write completed (4 succeeded, 0 failed)')
    expect(kit.provider.created).toEqual(['a', 'b', 'c', 'd'])
  })

  it.each(steps)('is continued by another worker if its worker stops at %s', async (step) => {
    let release = () => undefined as unknown
    const reached = new Promise<void>((resolve) => {
      kit.provider.next(step, (_, handle) => {
        release = handle
        resolve()
      })
    })
    const operationId = await accepted(['a', 'b', 'c', 'd'])
    await reached
    // The lease expires: its worker no longer answers for the run.
    await sql`update write_runs set lease_until = now() - interval '1 minute', fence = gen_random_uuid(),
                     next_attempt_at = now()
               where operation_id = ${operationId}`.execute(kit.app.db.sql)
    release()
    expect((await ended(operationId)).result).toBe('Batch write completed (4 succeeded, 0 failed)')
    expect(kit.provider.created).toEqual(['a', 'b', 'c', 'd'])
  })

  it.each([
    ['HTML', (end: (body: string) => unknown) => end('<!doctype html><html></html>')],
    ['half a line', (end: (body: string) => unknown) => end('id,error,name\n"id-a')],
    ['nothing', (end: (body: string) => unknown) => end('')],
  ])('is asked again for a result of %s', async (_, answer) => {
    kit.provider.next('written', (response) => answer((body) => response.writeHead(200).end(body)))
    expect((await ended(await accepted(['a', 'b', 'c', 'd']))).result).toContain('(4 succeeded, 0 failed)')
    expect(kit.provider.created).toEqual(['a', 'b', 'c', 'd'])
  })

  it('is aborted if it takes too long, and its records are not said to be written', async () => {
    kit.provider.neverEnd()
    const operationId = await accepted(['a', 'b', 'c', 'd'])
    await expect.poll(() => kit.provider.steps.includes('start'), patience).toBe(true)
    await expect
      .poll(
        () =>
          sql`update write_runs set job = jsonb_set(job, '{at}', '0'), next_attempt_at = now()
               where operation_id = ${operationId} and fence is null and job->>'phase' = 'started'`
            .execute(kit.app.db.sql)
            .then(({ numAffectedRows }) => Number(numAffectedRows)),
        patience,
      )
      .toBe(1)
    expect(await ended(operationId)).toMatchObject({
      status: 'failure',
      result: 'Batch write completed (0 succeeded, 4 failed)',
    })
    expect([...kit.provider.jobs.values()].map(({ state }) => state)).toEqual(['aborted'])
    expect(kit.provider.created).toEqual([])
  })
})
