import { Client, type ClientOptions, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../../../testkit/test-app.ts'
import { signInBuilder } from '../../../testkit/test-builder.ts'

/** The server for builders, with the access token of a person. */

let app: TestApp
let headers: { authorization: string }
beforeAll(async () => {
  app = await startTestApp({ env: { MORTISE_ROLES: 'api' } })
  ;({ headers } = await signInBuilder(app, { email: 'ada@example.com', role: 'developer' }))
})
afterAll(() => app?.stop())

const address = () => `${app.url}/mcp/v1/manage`
const listing = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }

async function open(options: ClientOptions = {}): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' }, ...options })
  const transport = new StreamableHTTPClientTransport(new URL(address()), { requestInit: { headers } })
  await client.connect(transport as never)
  return client
}

const textOf = (result: object) =>
  (result as { content: { text: string }[] }).content.map(({ text }) => text).join('\n')

async function send(message: unknown, more: Record<string, string> = {}) {
  const answer = await fetch(address(), {
    method: 'POST',
    headers: {
      ...headers,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...more,
    },
    body: typeof message === 'string' ? message : JSON.stringify(message),
  })
  return { status: answer.status, headers: answer.headers, body: await answer.text() }
}

describe.each([
  ['2026-07-28', { mode: 'auto' }],
  ['2025-11-25', { mode: 'legacy' }],
] as const)('an MCP client of revision %s', (revision, versionNegotiation) => {
  test('lists tools that only read, and calls them in a project', async () => {
    const client = await open({ versionNegotiation })
    expect(client.getNegotiatedProtocolVersion()).toBe(revision)
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual([
      'list_projects',
      'validate_manifest',
      'plan_deploy',
      'check_provider_file',
      'get_provider',
      'list_integrations',
      'get_integration',
      'list_installations',
      'get_installation',
      'list_connections',
      'get_connection',
      'list_operations',
      'get_operation',
      'list_operation_logs',
      'list_messages',
      'get_message',
      'list_message_attempts',
      'list_destinations',
      'get_destination',
      'list_dead_letters',
      'get_dead_letter',
      'read_docs',
    ])
    expect(tools.every(({ annotations }) => annotations?.readOnlyHint)).toBe(true)
    const [, validate] = tools
    expect(validate?.inputSchema).toMatchObject({ additionalProperties: false, required: ['project', 'text'] })
    expect(Object.keys(validate?.inputSchema.properties ?? {})).not.toContain('path')
    const projects = await client.callTool({ name: 'list_projects', arguments: {} })
    expect(textOf(projects)).toContain(app.projectId)
    expect(textOf(projects)).not.toContain(app.otherProject.id)
    const listed = await client.callTool({ name: 'list_installations', arguments: { project: app.projectId } })
    expect(listed.isError).toBeUndefined()
    const refused = await client.callTool({ name: 'deploy_manifest', arguments: {} })
    expect([refused.isError, textOf(refused)]).toEqual([true, expect.stringContaining('read only')])
    await client.close()
  })
})

test('validates, plans, and checks a provider file from text', async () => {
  const client = await open()
  const invalid = await client.callTool({
    name: 'validate_manifest',
    arguments: { project: app.projectId, text: 'specVersion: 9' },
  })
  expect(textOf(invalid)).toMatch(/"valid": false[\s\S]*"line": 1/)
  const plan = await client.callTool({ name: 'plan_deploy', arguments: { project: app.projectId, text: 'a: [' } })
  expect(textOf(plan)).toContain('"valid": false')
  const checked = await client.callTool({ name: 'check_provider_file', arguments: { text: 'name: x\n' } })
  expect(textOf(checked)).toMatch(/"valid": false[\s\S]*"faults"/)
  const docs = await client.callTool({ name: 'read_docs', arguments: { page: 'manifest' } })
  expect(textOf(docs)).toContain('specVersion')
  const missing = await client.callTool({ name: 'plan_deploy', arguments: { project: app.projectId } })
  expect([missing.isError, textOf(missing)]).toEqual([true, expect.stringContaining('- text: ')])
  const path = await client.callTool({
    name: 'plan_deploy',
    arguments: { project: app.projectId, path: '/etc/passwd' },
  })
  expect([path.isError, textOf(path)]).toEqual([true, expect.stringMatching(/arguments of plan_deploy/)])
  const none = await client.callTool({ name: 'list_operations', arguments: { group: 7 } })
  expect(textOf(none)).toMatch(/- project: [\s\S]*- group: /)
  await client.close()
})

test('a project of others looks like none', async () => {
  const client = await open()
  const [other, missing] = await Promise.all(
    [app.otherProject.id, 'nope'].map((project) =>
      client.callTool({ name: 'list_installations', arguments: { project } }),
    ),
  )
  const hidden = (result: object) => textOf(result).replace(/request \S+/, '')
  expect(hidden(other!)).toBe(hidden(missing!))
  expect(other!.isError).toBe(true)
  await client.close()
})

describe('refuses', () => {
  test('callers who are no people', async () => {
    const anonymous = await send(listing, { authorization: '' })
    expect(anonymous.status).toBe(401)
    expect(anonymous.headers.get('www-authenticate')).toContain(`resource_metadata="http://localhost:`)
    const byKey = await send(listing, { authorization: `Bearer ${app.apiKey}` })
    expect([byKey.status, byKey.body]).toEqual([403, expect.stringContaining('Only people may call this endpoint.')])
    expect((await send(listing, { authorization: `Bearer ${app.frontendKey}` })).status).toBe(403)
  })

  test('requests of web pages', async () => {
    for (const origin of ['https://evil.example', 'null', app.url.replace('127.0.0.1', 'rebound.example')])
      expect((await send(listing, { origin })).body).toContain('origin-refused')
  })

  test('bodies that are no message', async () => {
    const hostile = ['', '[]', '7', '"text"', 'null', '{', '{}', '[{"jsonrpc":"2.0"}]', '{"jsonrpc":"2.0","id":{}}']
    for (const body of [
      ...hostile,
      JSON.stringify([listing, listing]),
      '{"jsonrpc":"2.0","jsonrpc":"2.0","id":1,"method":"tools/list"}',
      `{"a":${'['.repeat(5_000)}${']'.repeat(5_000)}}`,
    ]) {
      const { status } = await send(body)
      expect([body.slice(0, 60), status]).toEqual([body.slice(0, 60), 400])
    }
    expect((await send(`"${'x'.repeat(4 * 1024 * 1024)}"`)).status).toBe(413)
  })

  test('unknown revisions', async () => {
    const { status, body } = await send(listing, { 'mcp-protocol-version': '1999-01-01' })
    expect([status, body]).toEqual([400, expect.stringContaining('error')])
  })

  test('streams, because its tools never change', async () => {
    const stream = await fetch(address(), { headers: { ...headers, accept: 'text/event-stream' } })
    expect(stream.status).toBe(405)
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    const listen = {
      jsonrpc: '2.0',
      id: 1,
      method: 'subscriptions/listen',
      params: { _meta: meta, notifications: { toolsListChanged: true } },
    }
    const { headers: sent, body } = await send(listen, {
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'subscriptions/listen',
    })
    expect(sent.get('content-type')).toContain('application/json')
    expect(body).toContain('"error"')
  })
})
