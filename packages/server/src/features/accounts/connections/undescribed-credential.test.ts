import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../../../testkit/test-app.ts'

const file = `name: undescribed
displayName: Undescribed
baseUrl: https://api.undescribed.example
authentication: [{ scheme: custom, multiStep: false }]
undescribed: [read]
`
let folder: string
let app: TestApp
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mortise-providers-'))
  await writeFile(join(folder, 'undescribed.yaml'), file)
  app = await startTestApp({ env: { MORTISE_PROVIDERS_DIR: folder, MORTISE_ROLES: 'api' } })
})
afterAll(async () => {
  await app?.stop()
  await rm(folder, { recursive: true, force: true })
})

test('a way to authenticate that nobody has described is a 501', async () => {
  const connections = `/projects/${app.projectId}/connections`
  const body = { groupRef: 'acme', consumerRef: 'ada', provider: 'undescribed', customAuth: { token: 'a-secret' } }
  const answer = await app.call('POST', `${connections}:generate`, body)
  expect(answer).toMatchObject({ status: 501, body: { context: { code: 'credential-not-implemented' } } })
  expect(JSON.stringify(answer.body)).not.toContain('a-secret')
  expect((await app.call('GET', `${connections}?groupRef=acme`)).body).toEqual([])
})
