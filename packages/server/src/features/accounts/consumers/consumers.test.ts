import { resolve } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, type TestAnswer, type TestApp } from '../../../testkit/test-app.ts'

const providers = resolve(import.meta.dirname, '../../../../../../examples/sample-crm/providers')
const strange = ['a/b', '50%', 'x:y', '..', '%2F', '🦆', ' ', 'a"b\\c', 'UP', 'up', '?a=b#c', `${'é'.repeat(200)}`]

interface Body {
  groupRef?: string
  groupName?: string
  consumerRef?: string
  consumerName?: string
  id: string
}

let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ env: { MORTISE_PROVIDERS_DIR: providers, MORTISE_ROLES: 'api' } })
  for (const ref of strange) await connect(ref, ref)
})
afterAll(async () => {
  await app?.stop()
})

async function connect(groupRef: string, consumerRef: string, more = {}): Promise<string> {
  const answer = await app.call<Body>('POST', '/projects/default/connections:generate', {
    groupRef,
    consumerRef,
    provider: 'sampleCrm',
    apiKey: 'k',
    ...more,
  })
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  return answer.body.id
}
const call = <T = Body>(method: string, path: string, options = {}) =>
  app.call<T>(method, `/projects/default${path}`, undefined, options)
const status = async (path: string) => (await call('GET', path)).status

describe.each([
  ['groups', 'groupRef', 'groupName'],
  ['consumers', 'consumerRef', 'consumerName'],
] as const)('%s', (things, ref, name) => {
  test('are listed in the order of their refs, in pages for whoever asks', async () => {
    const all = (await call<Body[]>('GET', `/${things}`)).body
    expect(all.map((one) => one[ref])).toEqual(expect.arrayContaining(strange))
    expect(new Set(all.map((one) => one[ref])).size).toBe(all.length)
    expect(all[0]).toEqual({
      [ref]: all[0]?.[ref],
      [name]: all[0]?.[ref],
      projectId: app.projectId,
      createTime: expect.any(String),
    })
    const paged: Body[] = []
    let token = ''
    do {
      const page: TestAnswer<Body[]> = await call('GET', `/${things}?pageSize=5${token && `&pageToken=${token}`}`)
      expect(page.status).toBe(200)
      paged.push(...page.body)
      token = page.headers.get('x-next-page-token') ?? ''
    } while (token !== '')
    expect(paged).toEqual(all)
  })

  test('are found by refs of any characters', async () => {
    for (const value of strange.filter((value) => value !== '..')) {
      const answer = await call('GET', `/${things}/${encodeURIComponent(value)}`)
      expect(answer, value).toMatchObject({ status: 200, body: { [ref]: value } })
    }
  })

  test('what is unknown, and what is another project’s, looks the same', async () => {
    const theirs = { apiKey: app.otherProject.apiKey }
    const answers = [
      await call('GET', `/${things}/nobody`),
      await call('DELETE', `/${things}/nobody`),
      await app.call('GET', `/projects/other/${things}/x%3Ay`, undefined, theirs),
      await app.call('DELETE', `/projects/other/${things}/x%3Ay`, undefined, theirs),
    ]
    for (const answer of answers)
      expect(answer).toMatchObject({ status: 404, body: { context: { code: `${things.slice(0, -1)}-not-found` } } })
    expect((await app.call('GET', `/projects/other/${things}`, undefined, theirs)).body).toEqual([])
    expect(await status(`/${things}/x%3Ay`)).toBe(200)
  })

  test('a deletion and a new connection at once: either it is gone whole, or there whole', async () => {
    for (let round = 0; round < 6; round++) {
      const value = `racer-${things}-${round}`
      await connect(value, value)
      const [removed, id] = await Promise.all([
        call('DELETE', `/${things}/${value}`),
        connect(value, value, { providerWorkspaceRef: 'w' }),
      ])
      expect(removed.status).toBe(204)
      expect(await status(`/connections/${id}`)).toBe(await status(`/${things}/${value}`))
    }
    const { rows } = await sql`
      select from connection_credentials k where not exists (select from connections c where c.id = k.connection_id)`.execute(
      app.db.sql,
    )
    expect(rows).toHaveLength(0)
  })
})

test('a deleted group takes its connections along, and leaves those of others', async () => {
  const gone = await connect('gone', 'shared')
  const stays = await connect('stays', 'shared')
  expect((await call('DELETE', '/groups/gone')).status).toBe(204)
  expect(await status(`/connections/${gone}`)).toBe(404)
  expect(await status('/groups/gone')).toBe(404)
  expect(await status(`/connections/${stays}`)).toBe(200)
  expect(await status('/consumers/shared')).toBe(200)
  expect((await call('DELETE', '/groups/gone')).status).toBe(404)
})

test('a deleted consumer takes its connections along in every group', async () => {
  const one = await connect('g1', 'leaver')
  const two = await connect('g2', 'leaver')
  const other = await connect('g1', 'stayer')
  expect((await call('DELETE', '/consumers/leaver')).status).toBe(204)
  expect(await Promise.all([one, two, other].map((id) => status(`/connections/${id}`)))).toEqual([404, 404, 200])
  expect(await status('/groups/g2')).toBe(200)
})
