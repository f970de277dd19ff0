import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { apiEndpoints, commonEndpoints } from '../features/index.ts'
import type { Endpoint } from '../kernel/http/index.ts'
import { loadCases } from './load-cases.ts'
import type { Ids } from './tenant.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'mortise-cases-'))
  await mkdir(path.join(folder, 'things/endpoints'), { recursive: true })
  await write('list-json-things.ts', "export const x = { id: 'listJSONThings' }\n")
  await write('get-thing.ts', "export const x = { id: 'getThing' }\n")
  await write('get-thing.cases.ts', "export const cases = { id: 'getThing', status: 200 }\n")
})
afterAll(() => rm(folder, { recursive: true }))

const write = (name: string, text: string) => writeFile(path.join(folder, 'things/endpoints', name), text)
const listed = (...ids: string[]) => ids.map((id) => ({ declaration: { id } })) as Endpoint[]

test('each endpoint of the service has cases', async () => {
  const cases = await loadCases()
  for (const { declaration } of [...commonEndpoints, ...apiEndpoints]) {
    expect(cases.of(declaration.id).id).toBe(declaration.id)
  }
})

test('an endpoint without cases is reported with the file to create beside it', async () => {
  await expect(loadCases(listed('getThing', 'listJSONThings'), folder)).rejects.toThrow(
    /^listJSONThings has no cases\. Create \S+\/things\/endpoints\/list-json-things\.cases\.ts\.$/,
  )
})

test('cases of an endpoint that no feature lists are reported', async () => {
  await expect(loadCases([], folder)).rejects.toThrow('getThing has cases, but no feature lists it.')
})

test('two files with cases of one endpoint are reported', async () => {
  await write('twice.cases.ts', "export const cases = { id: 'getThing', status: 404 }\n")
  await expect(loadCases(listed('getThing'), folder)).rejects.toThrow('Two files have cases of the same endpoint.')
  await rm(path.join(folder, 'things/endpoints/twice.cases.ts'))
})

test('the request of an endpoint is computed from the ids of the tenant', async () => {
  const ids = { orgId: 'an-org' } as Ids
  const { body } = (await loadCases()).request('createProject', ids)
  expect(body).toMatchObject({ orgId: 'an-org' })
})
