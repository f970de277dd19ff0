import { type SampleCrm, startSampleCrm } from '@mortise-examples/sample-crm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestAnswer, type TestApp } from '../../../testkit/test-app.ts'
import { sampleCrmProviders } from './reading.testkit.ts'

/** Lists that are whole unless pages are asked for. */

let app: TestApp
let crm: SampleCrm
beforeAll(async () => {
  app = await startTestApp({ env: { MORTISE_PROVIDERS_DIR: sampleCrmProviders, MORTISE_ROLES: 'api' } })
  crm = await startSampleCrm({ contacts: 1, rateLimit: 0 })
  const integrations = ['a', 'b', 'c'].map((name) => ({
    name,
    provider: 'sampleCrm',
    read: { objects: [{ objectName: 'contacts', destination: 'hook', schedule: '0 0 29 2 *' }] },
  }))
  const sourceYaml = JSON.stringify({ specVersion: '1.0.0', integrations })
  await made('PUT', '/projects/default/integrations:batch', { sourceYaml }, 200)
  for (let n = 0; n < 5; n++) {
    const groupRef = `group-${n}`
    const { id } = await made('POST', '/projects/default/connections:generate', {
      groupRef,
      consumerRef: 'person',
      provider: 'sampleCrm',
      apiKey: crm.apiKey,
      providerMetadata: { url: crm.url },
    })
    const config = { content: { provider: 'sampleCrm', read: { objects: { contacts: { objectName: 'contacts' } } } } }
    await made('POST', '/projects/default/integrations/a/installations', { groupRef, connectionId: id, config })
  }
})
afterAll(async () => {
  await app?.stop()
  await crm?.close()
})

async function made(method: string, path: string, body: unknown, status = 201): Promise<{ id: string }> {
  const answer = await app.call<{ id: string }>(method, path, body)
  if (answer.status !== status) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
  return answer.body
}

describe.each([
  ['/projects/default/connections', 5],
  ['/projects/default/installations', 5],
  ['/projects/default/integrations/a/installations', 5],
  ['/projects/default/integrations', 3],
])('%s', (path, count) => {
  const ids = (body: unknown) => (body as { id: string }[]).map(({ id }) => id)

  it('is whole without pageSize', async () => {
    const { body, headers } = await app.call('GET', path)
    expect(ids(body)).toHaveLength(count)
    expect(headers.get('link')).toBeNull()
  })

  it('in pages holds the same in the same order', async () => {
    const whole = ids((await app.call('GET', path)).body)
    const seen: string[] = []
    let next: string | undefined = `/v1${path}?pageSize=2`
    while (next !== undefined) {
      const { body, headers }: TestAnswer = await app.call('GET', `/${next}`)
      expect(ids(body).length).toBeLessThanOrEqual(2)
      seen.push(...ids(body))
      next = /^<([^>]+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1]
    }
    expect(seen).toEqual(whole)
  })

  it('refuses the token of another list', async () => {
    const elsewhere = path.endsWith('connections') ? 'installations' : 'connections'
    const { headers } = await app.call('GET', `/projects/default/${elsewhere}?pageSize=1`)
    const token = headers.get('x-next-page-token')
    expect(token).toBeTruthy()
    expect((await app.call('GET', `${path}?pageSize=1&pageToken=${token}`)).status).toBe(400)
  })
})

it('a page of a filtered list holds what the filter lets through', async () => {
  const { body } = await app.call('GET', '/projects/default/connections?groupRef=group-3&pageSize=5')
  expect((body as unknown as { group: { groupRef: string } }[]).map(({ group }) => group.groupRef)).toEqual(['group-3'])
})
