import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestNode, type TestApp } from '../../../testkit/test-app.ts'
import { type ReadingKit, startReadingKit } from './reading.testkit.ts'

let kit: ReadingKit
const workers: TestApp[] = []
beforeAll(async () => {
  kit = await startReadingKit({ contacts: 1_000 }, { MORTISE_ROLES: 'api' })
  for (const _ of [1, 2]) {
    workers.push(await startTestNode(kit.app, { MORTISE_ROLES: 'worker', MORTISE_PROVIDERS_DIR: kit.providersDir }))
  }
})
afterAll(async () => {
  await Promise.all(workers.map((worker) => worker.stop()))
  await kit.stop()
})

it('an API and two workers on one database share the work, and each record comes once', async () => {
  const fullHistory = { backfill: { defaultPeriod: { fullHistory: true } } }
  const installed = [
    await kit.install({ object: fullHistory }),
    await kit.install({ object: fullHistory }),
    await kit.install({ object: fullHistory }),
  ]
  const { records, refused } = await kit.receiver.waitFor((counters) => counters.records >= 3_000, 30_000)
  expect({ records, refused }).toEqual({ records: 3_000, refused: 0 })
  for (const one of installed) {
    const done = await kit.until(async () => (await kit.operations(one)).find(({ status }) => status === 'success'))
    expect(done.result).toBe('[contacts] 1000 records read')
  }
  const counted = await Promise.all(workers.map((worker) => worker.app.services.metrics.recordsRead.get()))
  expect(counted.flatMap(({ values }) => values).reduce((sum, { value }) => sum + value, 0)).toBe(3_000)
  expect((await kit.app.app.services.metrics.recordsRead.get()).values).toEqual([])
})
