import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startTestApp, type TestApp } from '../../../testkit/test-app.ts'

const good =
  "name: ownCrm\nbaseUrl: '{{url}}'\ninputs: [{ name: url, kind: url }]\nauthentication: [{ scheme: none }]\n"

let dir: string
let app: TestApp
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'mortise-faults-'))
  await writeFile(join(dir, 'ownCrm.yaml'), `${good}colour: red\n`)
  app = await startTestApp({ env: { MORTISE_PROVIDERS_DIR: dir, MORTISE_ROLES: 'api' } })
})
afterAll(async () => {
  await app?.stop()
  await rm(dir, { recursive: true })
})

interface Faults {
  results: { file: string; inUse: string; line: number }[]
}
const faults = async () => (await app.call<Faults>('GET', '/projects/default/provider-file-faults')).body.results

test('a broken file is named with its errors, nobody is told to add it, and a correction needs no restart', async () => {
  expect(await faults()).toEqual([
    {
      file: 'ownCrm.yaml',
      provider: 'ownCrm',
      line: 5,
      column: 1,
      path: 'colour',
      message: 'colour is an unknown key.',
      inUse: 'none',
    },
  ])
  const missing = await app.call('GET', '/providers/ownCrm')
  expect(missing).toMatchObject({
    status: 404,
    body: {
      detail: 'The provider file of "ownCrm" has errors, so it is not in use.',
      remedy: expect.stringContaining('mortise doctor'),
    },
  })
  const connection = {
    provider: 'ownCrm',
    groupRef: 'g',
    consumerRef: 'c',
    providerMetadata: { url: 'http://127.0.0.1:9' },
  }
  const refused = await app.call('POST', '/projects/default/connections:generate', connection)
  expect(JSON.stringify(refused.body)).toContain('has errors, so it is not in use')
  const sourceYaml = 'specVersion: 1.0.0\nintegrations: [{ name: own, provider: ownCrm, proxy: { enabled: true } }]'
  const deployed = await app.call('PUT', '/projects/default/integrations:batch', { sourceYaml })
  expect(JSON.stringify(deployed.body)).toMatch(/has errors, so it is not in use.*mortise doctor/)
  expect(JSON.stringify(deployed.body)).not.toContain('add a provider file')

  await writeFile(join(dir, 'ownCrm.yaml'), good)
  await vi.waitFor(async () => expect(await faults()).toEqual([]), { timeout: 60_000, interval: 50 })
  expect(await app.call('GET', '/providers/ownCrm')).toMatchObject({ status: 200 })

  await writeFile(join(dir, 'ownCrm.yaml'), 'name: [')
  await vi.waitFor(
    async () => expect(await faults()).toMatchObject([{ file: 'ownCrm.yaml', line: 1, inUse: 'user' }]),
    {
      timeout: 60_000,
      interval: 50,
    },
  )
  expect(await app.call('GET', '/providers/ownCrm')).toMatchObject({ status: 200 })
})
