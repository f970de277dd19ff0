import { Client, type ElicitResult, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as FirstTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestNode } from '../../../testkit/test-app.ts'
import { agentManifest, type ResultBody, startToolsKit, type ToolsKit } from '../../../testkit/tools-kit.ts'
import { createAsker, sampleProviders } from './confirmation.testkit.ts'

let kit: ToolsKit
beforeAll(async () => {
  kit = await startToolsKit()
})
afterAll(() => kit?.stop())

const rules = { confirm: { create: 'user', update: 'user', delete: 'user' } }
const id = 'con_0000003'
const newGroup = () => kit.group(rules)
const asker = (group: string, more: Parameters<typeof createAsker>[2] = {}) => createAsker(kit, group, more)
const score = () => kit.crm.contact(id)?.score

interface ApprovalBody {
  id: string
  status: string
  decider: string
  decidedBy?: string
  operationId?: string
  consumerRef?: string
}
const approvals = async (group: string, status = '') =>
  (await kit.app.call<ApprovalBody[]>('GET', `${kit.base}/approvals?groupRef=${group}${status}`)).body
const onlyApproval = async (group: string) => {
  const listed = await approvals(group)
  expect(listed).toHaveLength(1)
  return (await kit.app.call<ApprovalBody>('GET', `${kit.base}/approvals/${listed[0]!.id}`)).body
}

/** Opens the official client with a user who answers questions. */
async function openClient(group: string, answer: ElicitResult, mode: 'auto' | 'legacy' = 'auto') {
  const questions: string[] = []
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    { versionNegotiation: { mode }, capabilities: { elicitation: { form: {} } } },
  )
  client.setRequestHandler('elicitation/create', ({ params }) => {
    questions.push(params.message)
    return answer
  })
  const transport: Parameters<Client['connect']>[0] = new StreamableHTTPClientTransport(
    new URL(`${kit.app.url}/mcp/v1${kit.base}`),
    { requestInit: { headers: await kit.signer.headers(group, 'ada') } },
  ) as never
  await client.connect(transport)
  return {
    questions,
    async call(name: string, args: Record<string, unknown>) {
      const result = await client.callTool({ name, arguments: args })
      return { isError: result.isError === true, content: result.structuredContent as ResultBody['content'] }
    },
    close: () => client.close(),
  }
}

describe('the user of an MCP client', () => {
  test('is asked about a call with its values, and confirms it', async () => {
    const group = await newGroup()
    const client = await openClient(group, { action: 'accept', content: { confirm: true } })
    const called = await client.call('update_people', { id, fields: { score: 41 } })
    expect(called, JSON.stringify(called)).toMatchObject({ isError: false, content: { done: 'update', id } })
    expect(score()).toBe(41)
    expect(client.questions).toEqual([
      `Call the tool update_people in CRM (sampleCrm)? It changes a record of people.\nid: ${id}\nfields.score: 41`,
    ])
    await client.close()
    const approval = await onlyApproval(group)
    expect(approval).toMatchObject({ status: 'done', decider: 'user', decidedBy: 'user', consumerRef: 'ada' })
    const logs = await kit.app.call<{ message: { details: Record<string, string> } }[]>(
      'GET',
      `${kit.base}/operations/${approval.operationId}/logs`,
    )
    expect(logs.body[0]?.message.details).toMatchObject({ approval: approval.id, decider: 'user' })
  })

  test.each<[string, ElicitResult]>([
    ['declines', { action: 'decline' }],
    ['cancels', { action: 'cancel' }],
    ['says no', { action: 'accept', content: { confirm: false } }],
  ])('%s, and nothing changes', async (_, answer) => {
    const group = await newGroup()
    const before = score()
    const client = await openClient(group, answer)
    const called = await client.call('update_people', { id, fields: { score: 1_000 } })
    expect(called).toMatchObject({
      isError: true,
      content: { error: { code: 'approval_refused', message: expect.stringContaining('The user refused') } },
    })
    expect(score()).toBe(before)
    await client.close()
    expect(await onlyApproval(group)).toMatchObject({ status: 'refused', decider: 'user', decidedBy: 'user' })
  })

  test('confirms calls of custom tools, and is not asked about dry runs and wrong arguments', async () => {
    const tool = {
      name: 'set_score',
      description: 'Sets the score.',
      inputSchema: {
        type: 'object',
        properties: { id: { type: 'string' }, score: { type: 'integer' } },
        required: ['id'],
      },
      request: { method: 'PATCH', path: '/contacts/{{arguments.id}}', body: { score: { $value: 'arguments.score' } } },
      confirm: 'user',
    }
    const group = await kit.group(rules, { agent: { tools: [tool, { ...tool, name: 'try_score', dryRun: true }] } })
    const client = await openClient(group, { action: 'accept', content: { confirm: true } })
    expect((await client.call('set_score', { id, score: 52 })).isError).toBe(false)
    expect(score()).toBe(52)
    expect(client.questions).toHaveLength(1)
    expect((await client.call('try_score', { id, score: 53 })).content.dryRun).toBe(true)
    expect((await client.call('set_score', { id, score: 'x' })).content.error?.code).toBe('arguments_refused')
    expect(client.questions).toHaveLength(1)
    await client.close()
  })

  test('is not asked by a client of an older revision: a person approves the call', async () => {
    const group = await newGroup()
    const client = await openClient(group, { action: 'accept', content: { confirm: true } }, 'legacy')
    const called = await client.call('update_people', { id, fields: { score: 61 } })
    expect(called.content).toMatchObject({ status: 'waiting_for_approval', approvalId: expect.any(String) })
    await client.close()
    const first = new FirstClient({ name: 'test', version: '1.0.0' }, { capabilities: { elicitation: {} } })
    let questions = 0
    first.setRequestHandler(ElicitRequestSchema, () => {
      questions++
      return { action: 'accept' as const, content: { confirm: true } }
    })
    const transport: Parameters<FirstClient['connect']>[0] = new FirstTransport(
      new URL(`${kit.app.url}/mcp/v1${kit.base}`),
      { requestInit: { headers: await kit.signer.headers(group, 'ada') } },
    ) as never
    await first.connect(transport)
    const asked = await first.callTool({ name: 'update_people', arguments: { id, fields: { score: 62 } } })
    expect(asked.structuredContent).toMatchObject({ status: 'waiting_for_approval' })
    await first.close()
    expect([client.questions.length, questions]).toEqual([0, 0])
    const { approvalId } = called.content
    expect((await kit.app.call('POST', `${kit.base}/approvals/${approvalId}:approve`, {})).status).toBe(200)
    expect(score()).toBe(61)
  })

  test('is not asked without the capability, by HTTP, by call_tool, and about more values than a person reads', async () => {
    const group = await newGroup()
    const args = { id, fields: { score: 71 } }
    const waiting = { status: 'waiting_for_approval' }
    for (const capabilities of [{}, { elicitation: { url: {} } }, { sampling: {} }]) {
      const { call } = await asker(group, { capabilities })
      expect((await call('update_people', args)).result).toMatchObject({ structuredContent: waiting })
    }
    expect((await kit.call(group, 'update_people', args)).content).toMatchObject(waiting)
    const { call } = await asker(group)
    const inner = await call('call_tool', { name: 'update_people', arguments: args })
    expect(inner.result).toMatchObject({ structuredContent: waiting })
    const fields = { tags: Array.from({ length: 60 }, (_, number) => `t${number}`) }
    const tool = { name: 'many', description: 'x', request: { method: 'POST', path: '/x', body: '{{arguments.tags}}' } }
    const inputSchema = { type: 'object', properties: { tags: { type: 'array', items: { type: 'string' } } } }
    await kit.deploy(agentManifest(rules, { agent: { tools: [{ ...tool, inputSchema, confirm: 'user' }] } }))
    expect((await call('many', fields)).result).toMatchObject({ structuredContent: waiting })
    expect((await call('many', { tags: fields.tags.slice(0, 3) })).result).toMatchObject({
      resultType: 'input_required',
    })
  })
})

describe('an answer', () => {
  const args = { id, fields: { score: 81 } }
  const yes = { confirm: { action: 'accept', content: { confirm: true } } }

  async function asked(more: Parameters<typeof createAsker>[2] = {}) {
    const group = await newGroup()
    const user = await asker(group, more)
    const { result } = await user.call('update_people', args)
    expect(result).toMatchObject({ resultType: 'input_required', requestState: expect.any(String) })
    return { group, ...user, state: result?.requestState ?? '' }
  }

  test('that is sent again gets the same result, and runs nothing', async () => {
    const { call, state } = await asked()
    const retry = { inputResponses: yes, requestState: state }
    const first = await call('update_people', args, retry)
    expect(first.result).toMatchObject({ structuredContent: { done: 'update' } })
    await fetch(`${kit.crm.url}/contacts/${id}`, {
      method: 'PATCH',
      headers: { 'x-api-key': kit.crm.apiKey, 'content-type': 'application/json' },
      body: JSON.stringify({ score: 5 }),
    })
    const no = { confirm: { action: 'decline' } }
    for (const inputResponses of [yes, no, undefined])
      expect((await call('update_people', args, { inputResponses, requestState: state })).result).toMatchObject({
        structuredContent: first.result?.structuredContent,
      })
    expect(score()).toBe(5)
  })

  test('that is sent twice at once runs the call once', async () => {
    const group = await newGroup()
    const { call } = await asker(group)
    const create = { fields: { email: 'once@x.example' } }
    const { result } = await call('create_people', create)
    const retry = { inputResponses: yes, requestState: result?.requestState }
    await Promise.all([1, 2, 3].map(() => call('create_people', create, retry)))
    const found = await fetch(`${kit.crm.url}/contacts?email=once@x.example`, {
      headers: { 'x-api-key': kit.crm.apiKey },
    })
    expect(((await found.json()) as { data: unknown[] }).data).toHaveLength(1)
  })

  test('is taken by each node', async () => {
    const { call, state } = await asked()
    const node = await startTestNode(kit.app, { MORTISE_ROLES: 'api', MORTISE_PROVIDERS_DIR: sampleProviders })
    const retry = { inputResponses: yes, requestState: state }
    const answered = await call('update_people', args, retry, node.url)
    expect(answered.result).toMatchObject({ structuredContent: { done: 'update' } })
    await node.stop()
    expect(score()).toBe(81)
  })

  test.each<[string, object]>([
    ['other arguments', { id, fields: { score: 82 } }],
    ['more arguments', { ...args, more: 1 }],
    ['no arguments', {}],
  ])('with %s is refused, and the question stays open', async (_, changed) => {
    const before = score()
    const { group, call, state } = await asked()
    const answered = await call('update_people', changed, { inputResponses: yes, requestState: state })
    expect(answered.result).toMatchObject({
      isError: true,
      structuredContent: { error: { code: 'arguments_refused' } },
    })
    expect(score()).toBe(before)
    expect(await onlyApproval(group)).toMatchObject({ status: 'asking' })
  })

  test('of another group, consumer, agent or tool is not one', async () => {
    const before = score()
    const { group, state } = await asked({ agent: 'one' })
    const other = await newGroup()
    const retry = { inputResponses: yes, requestState: state }
    const unknown = { isError: true, structuredContent: { error: { code: 'not_found' } } }
    for (const stranger of [
      await asker(other, { agent: 'one' }),
      await asker(group, { agent: 'one', consumer: 'bob' }),
      await asker(group, { agent: 'two' }),
    ])
      expect((await stranger.call('update_people', args, retry)).result).toMatchObject(unknown)
    const own = await asker(group, { agent: 'one' })
    for (const name of ['delete_people', 'search_people', 'get_approval_result'])
      expect((await own.call(name, args, retry)).result).toMatchObject(unknown)
    expect(score()).toBe(before)
    expect(await onlyApproval(group)).toMatchObject({ status: 'asking' })
    expect((await own.call('update_people', args, retry)).result).toMatchObject({ isError: false })
  })

  test('after the request has expired, or the rules have changed, runs nothing', async () => {
    const before = score()
    const late = await asked()
    const changed = await asked()
    await kit.deploy(agentManifest({ ...rules, hiddenFields: ['phone'] }))
    const outdated = await changed.call('update_people', args, { inputResponses: yes, requestState: changed.state })
    expect(outdated.result).toMatchObject({
      structuredContent: { error: { code: 'approval_refused', message: expect.stringContaining('changed since') } },
    })
    kit.app.clock.advance(24 * 3_600_000)
    const { call } = await asker(late.group)
    const expired = await call('update_people', args, { inputResponses: yes, requestState: late.state })
    expect(expired.result).toMatchObject({ structuredContent: { error: { code: 'approval_expired' } } })
    expect(score()).toBe(before)
  })

  test('that is no clear answer asks again', async () => {
    const before = score()
    const { group, call, state } = await asked()
    for (const inputResponses of [
      undefined,
      {},
      { other: yes.confirm },
      { confirm: { action: 'accept' } },
      { confirm: { action: 'accept', content: { confirm: 'yes' } } },
      { confirm: { roots: [] } },
    ]) {
      const again = await call('update_people', args, { inputResponses, requestState: state })
      expect(again.result, JSON.stringify(inputResponses)).toMatchObject({
        resultType: 'input_required',
        requestState: state,
      })
    }
    expect(score()).toBe(before)
    expect(await approvals(group)).toHaveLength(1)
  })

  test('to a hostile requestState is an error, and never a call', async () => {
    const before = score()
    const { group, call, state } = await asked()
    const changed = `${state.slice(0, -1)}${state.endsWith('A') ? 'B' : 'A'}`
    for (const requestState of ['', ' ', 'null', changed, state.split('.')[0], `${state}x`, 'x'.repeat(90_000)]) {
      const answered = await call('update_people', args, { inputResponses: yes, requestState })
      expect(answered.result, JSON.stringify(answered)).toMatchObject({
        isError: true,
        structuredContent: { error: { code: 'not_found' } },
      })
    }
    expect((await call('update_people', args, { requestState: '\u0000' })).status).toBe(400)
    for (const requestState of [7, null, {}, [state], true])
      expect((await call('update_people', args, { inputResponses: yes, requestState })).error).toMatchObject({
        code: -32602,
      })
    const large = await call('update_people', args, { inputResponses: yes, requestState: 'x'.repeat(200_000) })
    expect(large.status).toBe(413)
    for (const inputResponses of [7, 'x', [], { confirm: 7 }, { confirm: null }, { confirm: [] }]) {
      const answered = await call('update_people', args, { inputResponses, requestState: state })
      expect(answered.error ?? answered.result, JSON.stringify(inputResponses)).toBeDefined()
      expect(answered.status).toBe(200)
    }
    expect(score()).toBe(before)
    expect(await onlyApproval(group)).toMatchObject({ status: 'asking' })
  })
})

describe('a request that a user is asked about', () => {
  test('is listed as asking, and no person of the builder can decide it', async () => {
    const group = await newGroup()
    const { call } = await asker(group)
    await call('update_people', { id, fields: { score: 91 } })
    const [asking] = await approvals(group, '&status=asking')
    expect(asking).toMatchObject({ status: 'asking', decider: 'user' })
    expect(await approvals(group, '&status=waiting')).toEqual([])
    expect(await approvals(group, '&status=ended')).toEqual([])
    for (const verb of ['approve', 'refuse'])
      expect((await kit.app.call('POST', `${kit.base}/approvals/${asking?.id}:${verb}`, {})).status).toBe(409)
    expect(await onlyApproval(group)).toMatchObject({ status: 'asking' })
  })

  test('is stored without arguments and secrets that somebody could read', async () => {
    const group = await newGroup()
    const { call } = await asker(group)
    const { result } = await call('update_people', { id, fields: { first_name: 'Secret Name' } })
    const rows = await kit.app.db.sql.selectFrom('approvals').selectAll().execute()
    expect(JSON.stringify(rows)).not.toContain('Secret Name')
    const requestState = result?.requestState ?? ''
    expect(JSON.stringify(rows)).not.toContain(requestState.split('.')[1])
    expect(requestState).not.toContain('Secret')
  })
})
