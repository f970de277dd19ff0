import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ReadingKit, startReadingKit } from '../packages/server/src/features/sync/reading/reading.testkit.ts'

/** Lists of a project say whose each item is, so that a page of a hundred needs no further request. */

let kit: ReadingKit
beforeAll(async () => {
  kit = await startReadingKit({ contacts: 20 })
})
afterAll(() => kit?.stop())

type Owned = { id: string; installationId: string; integrationId?: string; groupRef?: string }

const owners = async (path: string) => {
  const { body } = await kit.app.call<Owned[] | { results: Owned[] }>('GET', `/projects/default/${path}`)
  return (Array.isArray(body) ? body : body.results).map(({ integrationId, groupRef }) => ({ integrationId, groupRef }))
}

test('operations and messages say whose they are, until the installation is deleted', async () => {
  const installed = await kit.install({ config: { backfill: { defaultPeriod: { fullHistory: true } } } })
  const { installationId, integrationId, groupRef, name } = installed
  const ofInstallation = `installationId=${installationId}`
  await kit.until(async () => (await owners(`messages?${ofInstallation}`)).length > 0)
  const [operation] = await owners(`operations?${ofInstallation}`)
  const [message] = await owners(`messages?${ofInstallation}`)
  expect([operation, message]).toEqual([
    { integrationId, groupRef },
    { integrationId, groupRef },
  ])
  const { body } = await kit.app.call<Owned[]>('GET', `/projects/default/messages?${ofInstallation}`)
  const one = await kit.app.call<Owned>('GET', `/projects/default/messages/${body[0]?.id}`)
  expect(one.body).toMatchObject({ integrationId, groupRef })

  const path = `/projects/default/integrations/${name}/installations/${installationId}`
  expect((await kit.app.call('DELETE', path)).status).toBe(204)
  const ofNobody = { integrationId: undefined, groupRef: undefined }
  for (const item of await owners(`messages?${ofInstallation}`)) expect(item).toEqual(ofNobody)
  for (const item of await owners(`operations?${ofInstallation}`)) expect(item.groupRef).toBeUndefined()
})
