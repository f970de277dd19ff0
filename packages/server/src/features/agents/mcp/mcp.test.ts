import { resolve } from 'node:path'
import { Client, type ClientOptions, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as FirstTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { startTestNode } from '../../../testkit/test-app.ts'
import { type ResultBody, startToolsKit, type ToolsKit } from '../../../testkit/tools-kit.ts'
import { changesTopic } from '../../platform/changes/index.ts'

let kit: ToolsKit
beforeAll(async () => {
  kit = await startToolsKit()
})
afterAll(() => kit?.stop())

const providers = resolve(import.meta.dirname, '../../../../../../examples/sample-crm/providers')
const address = (query = '') => `${kit.app.url}/mcp/v1${kit.base}${query}`
const accept = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' }
const listing = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }

async function open(headers: Record<string, string>, query = '', options: ClientOptions = {}): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' }, ...options })
  const errors: Error[] = []
  client.onerror = (error) => errors.push(error)
  // Its types do not know `exactOptionalPropertyTypes`.
  const transport: Parameters<Client['connect']>[0] = new StreamableHTTPClientTransport(new URL(address(query)), {
    requestInit: { headers },
  }) as never
  await client.connect(transport)
  expect(errors).toEqual([])
  return client
}
const asConsumer = async (group: string, options?: ClientOptions) =>
  open({ ...(await kit.signer.headers(group, 'ada')) }, '', options)
const call = async (client: Client, name: string, args: Record<string, unknown> = {}) => {
  const result = await client.callTool({ name, arguments: args })
  return { isError: result.isError === true, content: result.structuredContent as ResultBody['content'] }
}

describe.each([
  ['2026-07-28', { mode: 'auto' }],
  ['2025-11-25', { mode: 'legacy' }],
] as const)('an MCP client of revision %s', (revision, versionNegotiation) => {
  test('lists, searches, reads, writes and asks for approval with the token of a consumer', async () => {
    const group = await kit.group({ confirm: { update: 'approval' } })
    const client = await asConsumer(group, { versionNegotiation })
    expect(client.getNegotiatedProtocolVersion()).toBe(revision)
    expect(client.getServerVersion()?.name).toBe('mortise')
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual([
      'search_people',
      'get_people',
      'list_people',
      'create_people',
      'update_people',
      'delete_people',
      'get_approval_result',
    ])
    expect(tools[5]).toMatchObject({ annotations: { destructiveHint: true, readOnlyHint: false } })
    const found = await call(client, 'search_people', { where: { lifecycle: 'lead' }, limit: 1 })
    expect(found.content.providerData?.records).toHaveLength(1)
    const id = revision === '2026-07-28' ? 'con_0000009' : 'con_0000010'
    const asked = await call(client, 'update_people', { id, fields: { score: 77 } })
    expect(asked.content.status).toBe('waiting_for_approval')
    const { approvalId } = asked.content
    await kit.app.call('POST', `${kit.base}/approvals/${approvalId}:approve`, {})
    expect((await call(client, 'get_approval_result', { id: approvalId })).content.done).toBe('update')
    expect(kit.crm.contact(id)?.score).toBe(77)
    const wrong = await call(client, 'get_people', {})
    expect(wrong).toMatchObject({ isError: true, content: { error: { code: 'arguments_refused' } } })
    await expect(client.callTool({ name: 'nope', arguments: {} })).rejects.toThrow('no tool of this name')
    await client.close()
  })

  test('is notified when the tools of its group change, and only then', async () => {
    const group = await kit.group()
    let changes = 0
    const onChanged = () => void changes++
    const listChanged = { tools: { autoRefresh: false, debounceMs: 0, onChanged } }
    const client = await asConsumer(group, { versionNegotiation, listChanged })
    const { pubsub } = kit.app.app.services
    const topic = changesTopic(kit.app.projectId)
    await vi.waitFor(() => expect(pubsub.subscriptions(topic)).toBe(1), 20_000)
    pubsub.notifyLocal(topic, { kind: 'installation', groupRef: 'another' })
    pubsub.notifyLocal(topic, { kind: 'operation' })
    const [{ id }] = (await kit.app.call<{ id: string }[]>('GET', `${kit.path()}?groupRef=${group}`)).body as [
      { id: string },
    ]
    expect(changes).toBe(0)
    await kit.app.call('DELETE', `${kit.path()}/${id}`)
    await vi.waitFor(() => expect(changes).toBeGreaterThan(0), 20_000)
    expect((await client.listTools()).tools).toEqual([])
    await client.close()
    await vi.waitFor(() => expect(pubsub.subscriptions(topic)).toBe(0), 20_000)
  })
})

test('a client of the first library of the protocol lists and calls tools', async () => {
  const group = await kit.group()
  const client = new FirstClient({ name: 'test', version: '1.0.0' })
  // Its types do not know `exactOptionalPropertyTypes`.
  const transport: Parameters<FirstClient['connect']>[0] = new FirstTransport(new URL(address()), {
    requestInit: { headers: await kit.signer.headers(group, 'ada') },
  }) as never
  await client.connect(transport)
  expect((await client.listTools()).tools).toHaveLength(6)
  const listed = await client.callTool({ name: 'list_people', arguments: { limit: 1 } })
  expect(listed.isError).toBe(false)
  await client.close()
})

describe('an MCP client', () => {
  test('reads definitions and records as resources', async () => {
    const client = await asConsumer(await kit.group({ hiddenFields: ['email'] }))
    const { resources } = await client.listResources()
    expect(resources.map(({ uri }) => uri)).toContain('mortise://tools/search_people')
    const { resourceTemplates } = await client.listResourceTemplates()
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual(['mortise://records/get_people/{id}'])
    const read = await client.readResource({ uri: 'mortise://records/get_people/con_0000001' })
    const [content] = read.contents as { text: string }[]
    expect(JSON.parse(content!.text)).toMatchObject({ providerData: { record: { id: 'con_0000001' } } })
    expect(content!.text).not.toContain('@')
    for (const uri of ['mortise://records/get_people/%', 'mortise://records/delete_people/con_0000001', 'file:///etc'])
      await expect(client.readResource({ uri }), uri).rejects.toThrow('no such resource')
    expect(kit.crm.contact('con_0000001')).toBeDefined()
    await client.close()
  })

  test('uses an API key with a group', async () => {
    const group = await kit.group()
    const client = await open({ 'x-api-key': kit.app.apiKey }, `?groupRef=${group}&agent=desktop`)
    const listed = await call(client, 'list_people', { limit: 1 })
    expect(listed.content.providerData?.records).toHaveLength(1)
    await client.close()
  })

  test('of a group with many tools finds them', async () => {
    const names = Array.from({ length: 14 }, (_, number) => `custom${number}`)
    const object = (objectName: string) => ({ objectName, destination: 'hook', optionalFieldsAuto: 'all' })
    const provider = 'sampleCrm'
    const agentOf = (actions: string[]) => ({ objects: [{ objectName: 'contacts', actions }] })
    const integration = (name: string) => ({
      name,
      provider,
      read: { objects: [object('contacts')] },
      agent: agentOf(['search', 'get', 'list']),
    })
    await kit.deploy(JSON.stringify({ specVersion: '1.0.0', integrations: names.map(integration) }))
    await kit.connect('many')
    for (const name of names) {
      const config = { content: { provider, read: { objects: { contacts: { selectedFieldsAuto: 'all' } } } } }
      const made = await kit.app.call('POST', kit.path(name), { groupRef: 'many', config })
      expect(made.status, JSON.stringify(made.body)).toBe(201)
    }
    const client = await asConsumer('many')
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['find_tools', 'call_tool'])
    const found = await client.callTool({ name: 'find_tools', arguments: { query: 'Find contact in custom7' } })
    const { tools } = found.structuredContent as { tools: { name: string; inputSchema: object }[] }
    expect(tools[0]?.name).toBe('search_contacts_custom7')
    expect(JSON.stringify(tools[0]?.inputSchema)).toContain('first_name')
    const args = { where: { first_name: kit.crm.contact('con_0000001')?.first_name }, limit: 1 }
    const called = await call(client, 'call_tool', { name: tools[0]?.name, arguments: args })
    expect(called.content.providerData?.records).toHaveLength(1)
    await expect(client.callTool({ name: 'call_tool', arguments: { name: 'x', arguments: {} } })).rejects.toThrow()
    await client.close()
    for (const name of names) await kit.app.call('DELETE', `${kit.base}/integrations/${name}`)
  })
})

describe('the MCP endpoint', () => {
  const post = (headers: Record<string, string>, body: string, query = '') =>
    fetch(address(query), { method: 'POST', headers: { ...accept, ...headers }, body })

  test('answers 401 with WWW-Authenticate without a credential, and with a token of another audience', async () => {
    const group = await kit.group()
    const without = await post({}, JSON.stringify(listing))
    expect(without.status).toBe(401)
    expect(without.headers.get('www-authenticate')).toBe('Bearer')
    const sign = (claims: object) => kit.signer.sign({ groupRef: group, consumerRef: 'ada', ...claims })
    for (const aud of ['https://other.example', ['https://other.example', 'x']]) {
      const other = await post({ authorization: `Bearer ${await sign({ aud })}` }, JSON.stringify(listing))
      expect(other.status).toBe(401)
      expect(other.headers.get('www-authenticate')).toBe('Bearer error="invalid_token"')
    }
    const path = `${kit.base}/tools/list_people:call`
    const headers = { authorization: `Bearer ${await sign({ aud: 'https://other.example' })}` }
    expect((await kit.app.call('POST', path, {}, { apiKey: null, headers })).status).toBe(401)
    const ours = await post(
      { authorization: `Bearer ${await sign({ aud: 'http://localhost:0' })}` },
      JSON.stringify(listing),
    )
    expect(ours.status).toBe(200)
  })

  test('rejects pages of other origins, also under the name of the host', async () => {
    const group = await kit.group()
    const headers = await kit.signer.headers(group, 'ada')
    for (const origin of ['https://evil.example', kit.app.url, 'null'])
      expect((await post({ ...headers, origin }, JSON.stringify(listing))).status).toBe(403)
  })

  test('answers on each node, without a session', async () => {
    const group = await kit.group()
    const node = await startTestNode(kit.app, { MORTISE_ROLES: 'api', MORTISE_PROVIDERS_DIR: providers })
    const headers = { ...accept, ...(await kit.signer.headers(group, 'ada')) }
    const ids: unknown[] = []
    let cursor: string | undefined
    for (const url of [kit.app.url, node.url, kit.app.url]) {
      const params = { name: 'list_people', arguments: { limit: 2, ...(cursor && { cursor }) } }
      const body = JSON.stringify({ ...listing, method: 'tools/call', params })
      const answer = await fetch(`${url}/mcp/v1${kit.base}`, { method: 'POST', headers, body })
      const { result } = (await answer.json()) as { result: { structuredContent: ResultBody['content'] } }
      ids.push(...(result.structuredContent.providerData?.records ?? []).map(({ id }) => id))
      cursor = result.structuredContent.nextCursor
    }
    await node.stop()
    expect(new Set(ids).size).toBe(6)
  })

  test('opens a bounded number of streams for a group', async () => {
    const headers = { ...(await kit.signer.headers(await kit.group(), 'ada')), accept: 'text/event-stream' }
    const ended = new AbortController()
    const statuses: number[] = []
    for (let number = 0; number < 21; number++)
      statuses.push((await fetch(address(), { headers, signal: ended.signal })).status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(20)
    expect(statuses.at(-1)).toBe(429)
    const client = await open(headers)
    await expect(client.listen({ toolsListChanged: true })).rejects.toThrow('limit')
    await client.close()
    ended.abort()
    expect((await fetch(address(), { headers: { ...headers, origin: 'https://evil.example' } })).status).toBe(403)
  })

  test.each([
    ['no JSON', '{', 400],
    ['a batch', JSON.stringify([listing]), 400],
    ['10,000 levels', `{"jsonrpc":"2.0","id":1,"method":"x","params":${'['.repeat(10_000)}${']'.repeat(10_000)}}`, 400],
    ['a prototype key', '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"__proto__":{"name":"x"}}}', 400],
    ['no message', '{}', 400],
    ['too much', JSON.stringify({ ...listing, params: { x: 'x'.repeat(200_000) } }), 413],
  ])('answers %s with a clear error', async (_, body, status) => {
    const headers = await kit.signer.headers(await kit.group(), 'ada')
    expect((await post(headers, body)).status).toBe(status)
  })

  test('answers an unknown method, wrong parameters and an unknown version of the protocol with an error', async () => {
    const headers = await kit.signer.headers(await kit.group(), 'ada')
    for (const message of [
      { ...listing, method: 'nope' },
      { ...listing, method: 'tools/call', params: { name: 7 } },
    ]) {
      const answer = await post(headers, JSON.stringify(message))
      expect(answer.status).toBe(200)
      expect(await answer.json()).toMatchObject({ error: { code: expect.any(Number) } })
    }
    const old = await post({ ...headers, 'mcp-protocol-version': '1999-01-01' }, JSON.stringify(listing))
    expect(old.status).toBe(400)
  })

  test('keeps a token to its group', async () => {
    const group = await kit.group()
    const headers = await kit.signer.headers(group, 'ada')
    expect((await post(headers, JSON.stringify(listing), '?groupRef=another')).status).toBe(403)
    const none = await kit.signer.headers('another', 'ada')
    expect(await (await post(none, JSON.stringify(listing))).json()).toMatchObject({ result: { tools: [] } })
  })
})
