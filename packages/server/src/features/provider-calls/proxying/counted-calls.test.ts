import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ProxyingKit, startProxyingKit } from './proxying.testkit.ts'

let kit: ProxyingKit
beforeAll(async () => {
  kit = await startProxyingKit()
})
afterAll(() => kit?.stop())

/** Returns how many requests of an installation were sent to the provider, and how many of these failed. */
async function countsOf(installationId: string): Promise<(number | undefined)[]> {
  const { app, base } = kit
  await app.app.services.counts.flush()
  const { body } = await app.call<{ total: Record<string, number> }>(
    'GET',
    `${base}/counts?installationId=${installationId}`,
  )
  return [body.total['providerCalls'], body.total['failedProviderCalls']]
}

test('each call that reaches the provider is counted, and failed with an error status or without a response', async () => {
  const { id } = await kit.install('keyed', 'counted')
  const call = async (answer?: Parameters<typeof kit.provider.answers>[0]) => {
    kit.provider.answers(answer)
    return (await kit.call(id, '/things')).status
  }
  expect([await call(), await call()]).toEqual([200, 200])
  expect(await countsOf(id)).toEqual([2, 0])
  expect(await call((_, response) => response.writeHead(404).end())).toBe(404)
  expect(await call((request) => request.socket.destroy())).toBe(502)
  expect(await countsOf(id)).toEqual([4, 2])
})

test('a call that Mortise refuses is not counted', async () => {
  const { id } = await kit.install('closed', 'refused')
  const refused = await kit.call(id, '/things')
  expect(refused.status).toBeGreaterThanOrEqual(400)
  expect(await countsOf(id)).toEqual([0, 0])
})
