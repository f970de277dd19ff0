import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { run } from '../packages/cli/src/run.ts'
import { testTerminal } from '../packages/cli/src/testkit/test-terminal.ts'
import { type ResultBody, startToolsKit, type ToolsKit } from '../packages/server/src/testkit/tools-kit.ts'

/** The example manifest of tools of the builder, at the sample CRM, by the command line and MCP. */

const group = 'acme'
let kit: ToolsKit
beforeAll(async () => {
  kit = await startToolsKit()
  await kit.deploy(await readFile(new URL('../examples/manifests/agent-tools.yaml', import.meta.url), 'utf8'))
  await kit.connect(group)
  const config = { content: { provider: 'sampleCrm' } }
  const made = await kit.app.call('POST', kit.path('agentTools'), { groupRef: group, config })
  expect(made.status, JSON.stringify(made.body)).toBe(201)
})
afterAll(async () => {
  kit?.app.app.http.server.closeAllConnections()
  await kit?.stop()
})

async function mortise(...argv: string[]) {
  const terminal = testTerminal({ env: { MORTISE_URL: kit.app.url, MORTISE_API_KEY: kit.app.apiKey } })
  return { code: await run(argv, terminal), ...terminal.output() }
}

async function call(name: string, args: object) {
  const more = ['--arguments', JSON.stringify(args), '--format', 'json']
  const { stdout } = await mortise('tool', 'call', name, '--group', group, ...more)
  return JSON.parse(stdout) as ResultBody
}

test('the tools are listed', async () => {
  const { stdout } = await mortise('list', 'tools', '--group', group)
  expect(stdout).toMatch(/^set_contact_stage +agentTools +yes +yes$/m)
  expect(stdout).toMatch(/^list_companies +agentTools/m)
})

test('lists are read as the arguments say', async () => {
  const { content } = await call('list_companies', { offset: 1, limit: 2 })
  const result = content.providerData?.result as unknown[]
  expect(result).toEqual([expect.objectContaining({ id: expect.any(String) }), expect.anything()])
  const first = await call('list_companies', {})
  expect(first.content.providerData?.result).toHaveLength(25)
  expect(first.content.providerData?.result).toEqual(expect.arrayContaining(result))
  expect(await call('list_deleted_contacts', { since: 'yesterday' })).toMatchObject({
    isError: true,
    content: { error: { code: 'provider_refused', providerMessage: expect.stringContaining('RFC 3339') } },
  })
  expect((await call('list_deleted_contacts', { since: '2020-01-01T00:00:00Z' })).isError).toBe(false)
})

test('a change waits for a person', async () => {
  const { content } = await call('set_contact_stage', { id: 'con_0000003', stage: 'lost' })
  const approved = await mortise('approval', 'approve', content.approvalId ?? '', '--format', 'json')
  expect([approved.code, approved.stderr]).toEqual([0, expect.anything()])
  const { content: outcome } = await call('get_approval_result', { id: content.approvalId })
  expect(outcome.providerData?.result).toEqual({ id: 'con_0000003', email: '[masked]', stage: 'lost' })
})

test('clients of MCP get the tools, and no write by reading a resource', async () => {
  const request = async (method: string, params: object = {}) => {
    const response = await fetch(`${kit.app.url}/mcp/v1/projects/default?groupRef=${group}`, {
      method: 'POST',
      headers: {
        'x-api-key': kit.app.apiKey,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    })
    return (await response.json()) as { result?: { tools: object[] }; error?: object }
  }
  const { result } = await request('tools/list')
  expect(result?.tools).toContainEqual(
    expect.objectContaining({
      name: 'set_contact_stage',
      annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
    }),
  )
  const name = 'list_companies'
  expect(await request('tools/call', { name, arguments: { limit: 1 } })).toMatchObject({
    result: { isError: false, structuredContent: { providerData: { result: [expect.anything()] } } },
  })
  expect(await request('resources/read', { uri: `mortise://records/${name}/1` })).toMatchObject({
    error: { code: -32_602 },
  })
})
