import { afterAll, beforeAll, expect, it } from 'vitest'
import { loadCatalogue } from '../catalogue/load-catalogue.ts'
import { testCache } from '../testing/test-cache.testkit.ts'
import { declaredWebhooks } from './declared-webhooks.ts'
import { type StandInServer, startStandIns } from './stand-in/server.ts'
import { caseName } from './tried.ts'
import { webhookCases } from './webhook-cases.ts'

/** Sends the events of every provider as its file declares them. */
const catalogue = await loadCatalogue({ cacheDir: testCache })
const all = catalogue.list().flatMap((entry) => declaredWebhooks(entry).map((declared) => ({ entry, declared })))
let server: StandInServer

beforeAll(async () => {
  server = await startStandIns()
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
})

it.each(all.map(({ entry, declared }) => [`${entry.name} ${declared.module}`.trim(), entry, declared] as const))(
  '%s',
  async (_, entry, declared) => {
    const part = declared.module === '' ? 'webhooks' : `${declared.module}/webhooks`
    const tried = await webhookCases(entry, declared, server)
    const faults = tried.flatMap((one) =>
      [...one.faults, ...(one.because === undefined ? [] : [`not tried: ${one.because}`])].map(
        (fault) => `${entry.name} ${part} ${caseName(one)}: ${fault}`,
      ),
    )
    expect(faults.join('\n')).toBe('')
  },
)
