import { afterAll, beforeAll, expect, it } from 'vitest'
import { type DeployRig, type ProblemBody, startDeployRig } from '../../../testkit/deploy-rig.ts'
import { insertApiKey } from '../../../testkit/test-project.ts'

let rig: DeployRig
beforeAll(async () => {
  rig = await startDeployRig()
})
afterAll(() => rig?.stop())

it('an API key lists its one project', async () => {
  const { status, body } = await rig.call<Record<string, unknown>[]>('GET', '/projects')
  expect(status).toBe(200)
  expect(body).toEqual([
    {
      id: rig.projectId,
      name: 'default',
      appName: 'default',
      orgId: expect.any(String),
      createTime: expect.any(String),
    },
  ])
})

it('a project is found by its id and by its name in any case', async () => {
  for (const ref of [rig.projectId, rig.projectId.toUpperCase(), 'default', 'DEFAULT'])
    expect((await rig.call('GET', `/projects/${ref}`)).body['id']).toBe(rig.projectId)
})

it('entitlements are told only when asked for', async () => {
  expect((await rig.call('GET', '/projects/default')).body).not.toHaveProperty('entitlements')
  const { body } = await rig.call('GET', '/projects/default?includeEntitlements=true')
  expect(body['entitlements']).toEqual({ brandingRemoval: { value: true } })
  const odd = await rig.call<ProblemBody>('GET', '/projects/default?includeEntitlements=yes')
  expect([odd.status, odd.body.issues[0]?.name]).toEqual([400, 'includeEntitlements'])
})

it("another project's id and name look like a missing one", async () => {
  const bare = ({ body }: { body: ProblemBody }) => ({ status: body.status, detail: body.detail, title: body.title })
  const missing = bare(await rig.call<ProblemBody>('GET', '/projects/nobody'))
  expect(missing.status).toBe(404)
  for (const ref of [rig.other.id, 'other'])
    expect(bare(await rig.call<ProblemBody>('GET', `/projects/${ref}`))).toEqual(missing)
})

it('a frontend key sees its project and its integrations, and neither lists projects nor deploys', async () => {
  const apiKey = await insertApiKey(
    { database: rig.testDatabase.database, keyring: rig.keyring },
    rig.projectId,
    'frontend',
  )
  const status = async (method: string, path: string, body?: unknown) =>
    (await rig.call(method, path, body, { apiKey })).status
  expect(await status('GET', '/projects/default')).toBe(200)
  expect(await status('GET', '/projects/default/integrations')).toBe(200)
  expect(await status('GET', '/projects')).toBe(403)
  expect(await status('PUT', '/projects/default/integrations:batch', { sourceYaml: 'a' })).toBe(403)
  expect(await status('GET', '/generate-upload-url')).toBe(403)
})
