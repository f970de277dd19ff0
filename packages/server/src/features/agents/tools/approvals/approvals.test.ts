import { afterAll, beforeAll, expect, test } from 'vitest'
import { agentManifest, type ResultBody, startToolsKit, type ToolsKit } from '../../../../testkit/tools-kit.ts'
import { toolsTicks } from '../index.ts'

let kit: ToolsKit
beforeAll(async () => {
  kit = await startToolsKit()
})
afterAll(() => kit?.stop())

const rules = { confirm: { create: 'approval', update: 'approval' } }
const args = { fields: { email: 'approved@x.example', first_name: 'Secret Name' } }

interface ApprovalBody {
  id: string
  status: string
  arguments: unknown
  comment?: string
  result?: ResultBody['content']
  context?: { code: string }
}

const path = (id: string, verb = '') => `${kit.base}/approvals/${id}${verb}`
const get = async (id: string) => (await kit.app.call<ApprovalBody>('GET', path(id))).body
const decide = (id: string, verb: 'approve' | 'refuse', body: object = {}) =>
  kit.app.call<ApprovalBody>('POST', path(id, `:${verb}`), body)
const result = (group: string, id: string, more = {}) => kit.call(group, 'get_approval_result', { id }, more)
const countOf = async (email: string) => {
  const answer = await fetch(`${kit.crm.url}/contacts?email=${email}`, { headers: { 'x-api-key': kit.crm.apiKey } })
  return ((await answer.json()) as { data: unknown[] }).data.length
}

async function request(more: { group?: string; email?: string; consumerRef?: string } = {}) {
  const group = more.group ?? (await kit.group(rules))
  const fields = { ...args.fields, email: more.email ?? `${group}@x.example` }
  const consumer = more.consumerRef === undefined ? {} : { consumerRef: more.consumerRef }
  const called = await kit.call(group, 'create_people', { fields }, consumer)
  expect(called, JSON.stringify(called)).toMatchObject({
    isError: false,
    content: { status: 'waiting_for_approval', approvalId: expect.any(String) },
  })
  return { group, email: fields.email, id: called.content.approvalId! }
}

test('an action with approval waits, and runs once with the stored arguments when it is approved', async () => {
  const { group, email, id } = await request()
  expect(await countOf(email)).toBe(0)
  expect((await result(group, id)).content.status).toBe('waiting')
  expect(await get(id)).toMatchObject({
    status: 'waiting',
    toolName: 'create_people',
    groupRef: group,
    arguments: { fields: { email, first_name: 'Secret Name' } },
  })
  const approved = await decide(id, 'approve', { comment: 'Fine.' })
  expect(approved, JSON.stringify(approved.body)).toMatchObject({
    status: 200,
    body: { status: 'done', comment: 'Fine.', result: { done: 'create' } },
  })
  expect(await countOf(email)).toBe(1)
  expect((await result(group, id)).content).toMatchObject({ done: 'create', id: expect.any(String) })
  expect(await decide(id, 'approve')).toMatchObject({ status: 409, body: { context: { code: 'approval-decided' } } })
  expect(await countOf(email)).toBe(1)
})

test('two concurrent approvals run the call once', async () => {
  const { email, id } = await request()
  const answers = await Promise.all([decide(id, 'approve'), decide(id, 'approve'), decide(id, 'refuse')])
  expect(answers.map(({ status }) => status).filter((status) => status === 200)).toHaveLength(1)
  expect(await countOf(email)).toBe(answers[2].status === 200 ? 0 : 1)
})

test('a refused call changes nothing, and the agent gets the comment', async () => {
  const { group, email, id } = await request()
  expect((await decide(id, 'refuse', { comment: 'Ask sales first.' })).body).toMatchObject({ status: 'refused' })
  expect((await result(group, id)).content.error).toMatchObject({
    code: 'approval_refused',
    message: expect.stringContaining('Ask sales first.'),
  })
  expect((await decide(id, 'approve')).status).toBe(409)
  expect(await countOf(email)).toBe(0)
})

test('a request expires', async () => {
  const { group, email, id } = await request()
  kit.app.clock.advance(24 * 3_600_000)
  expect((await get(id)).status).toBe('expired')
  expect((await decide(id, 'approve')).status).toBe(409)
  expect((await result(group, id)).content.error?.code).toBe('approval_expired')
  expect(await countOf(email)).toBe(0)
})

test.each([
  ['the rules', (_: string) => kit.deploy(agentManifest({ ...rules, hiddenFields: ['first_name'] }))],
  [
    'the config',
    async (installation: string) => {
      const content = { read: { objects: { contacts: { selectedFieldMappings: { lifecycle: 'plan' } } } } }
      const updated = await kit.update(installation, ['config.content.read.objects.contacts'], { config: { content } })
      expect(updated.status, JSON.stringify(updated.body)).toBe(200)
    },
  ],
])('an approval after a change of %s is refused', async (_, change) => {
  const { group, email, id } = await request()
  const { body } = await kit.app.call<{ id: string }[]>('GET', `${kit.path()}?groupRef=${group}`)
  await change(body[0]!.id)
  expect((await decide(id, 'approve')).status).toBe(409)
  expect(await get(id)).toMatchObject({ status: 'refused', comment: expect.stringContaining('changed since') })
  expect(await countOf(email)).toBe(0)
})

test('an approval is deleted with its installation', async () => {
  const { group, email, id } = await request()
  const { body } = await kit.app.call<{ id: string }[]>('GET', `${kit.path()}?groupRef=${group}`)
  await kit.app.call('DELETE', `${kit.path()}/${body[0]!.id}`)
  expect((await decide(id, 'approve')).status).toBe(404)
  expect((await result(group, id)).content.error?.code).toBe('not_found')
  expect(await countOf(email)).toBe(0)
})

test('an approval of another group, and of another consumer, looks missing to an agent', async () => {
  const { group, id } = await request({ consumerRef: 'ada' })
  const other = await kit.group(rules)
  expect((await result(other, id)).content.error?.code).toBe('not_found')
  expect((await result(group, id, { consumerRef: 'bob' })).content.error?.code).toBe('not_found')
  expect((await result(group, id, { consumerRef: 'ada' })).content.status).toBe('waiting')
})

test('an agent with the token of a consumer can neither see nor decide a request', async () => {
  const { group, id } = await request()
  const options = { apiKey: null, headers: await kit.signer.headers(group, 'ada') }
  for (const [method, verb] of [
    ['GET', ''],
    ['POST', ':approve'],
    ['POST', ':refuse'],
  ] as const)
    expect((await kit.app.call(method, path(id, verb), method === 'GET' ? undefined : {}, options)).status).toBe(403)
})

test('arguments are stored encrypted, and a person’s requests are erased with the person', async () => {
  const { id } = await request({ consumerRef: 'erased' })
  const rows = await kit.app.db.sql.selectFrom('approvals').selectAll().where('id', '=', id).execute()
  expect(rows).toHaveLength(1)
  expect(JSON.stringify(rows)).not.toMatch(/Secret Name|erased/)
  const account = { provider: 'sampleCrm', apiKey: 'demo-key', providerMetadata: { url: kit.crm.url } }
  const body = { groupRef: 'elsewhere', consumerRef: 'erased', ...account }
  expect((await kit.app.call('POST', `${kit.base}/connections:generate`, body)).status).toBe(201)
  expect((await kit.app.call('DELETE', `${kit.base}/consumers/erased`)).status).toBe(204)
  expect((await kit.app.call('GET', path(id))).status).toBe(404)
})

test('requests are listed, newest first, without arguments, by group and by whether they wait', async () => {
  const first = await request()
  const second = await request({ group: first.group, email: 'second@x.example' })
  await decide(first.id, 'refuse')
  const list = async (query: string) =>
    (await kit.app.call<ApprovalBody[]>('GET', `${kit.base}/approvals?groupRef=${first.group}${query}`)).body
  expect((await list('')).map(({ id }) => id)).toEqual([second.id, first.id])
  expect((await list('&status=waiting')).map(({ id }) => id)).toEqual([second.id])
  expect((await list('&status=ended')).map(({ id }) => id)).toEqual([first.id])
  expect(JSON.stringify(await list(''))).not.toContain('Secret Name')
})

test('requests past retention are deleted', async () => {
  const { id } = await request()
  const [tick] = toolsTicks({ ...kit.app.app.services, now: kit.app.clock.now })
  kit.app.clock.advance(32 * 24 * 3_600_000)
  await tick?.run(new AbortController().signal)
  expect((await kit.app.call('GET', path(id))).status).toBe(404)
})
