import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { run } from '../packages/cli/src/run.ts'
import { testTerminal } from '../packages/cli/src/testkit/test-terminal.ts'
import { type McpKit, startMcpKit } from '../packages/server/src/testkit/mcp-kit.ts'

/** The journey of docs/tools.md: an MCP server of somebody else, from its provider file to an approved call. */

let kit: McpKit
beforeAll(async () => {
  kit = await startMcpKit({ sessions: true })
})
afterAll(async () => {
  kit?.app.app.http.server.closeAllConnections()
  await kit?.stop()
})

const example = (path: string) => new URL(`../examples/${path}`, import.meta.url).pathname

async function mortise(...argv: string[]) {
  const env = { MORTISE_URL: kit.app.url, MORTISE_API_KEY: kit.app.apiKey }
  const terminal = testTerminal({ env })
  const code = await run(argv, terminal)
  const { stdout, stderr } = terminal.output()
  expect([code, stderr, stdout]).toEqual([0, expect.any(String), stdout])
  return stdout
}

test('a server is connected, reviewed, allowed, installed and called', async () => {
  const { body } = await kit.connect('acme')
  const tested = await mortise(
    'provider',
    'test',
    example('sample-mcp/providers/sampleMcp.yaml'),
    '--connection',
    body.id,
  )
  expect(tested).toMatch(/✓ MCP server/)
  expect(tested).toMatch(/ {4}search_notes Finds notes by a word\.\n {6}digest: sha256:[0-9a-f]{64}\n/)

  await mortise('validate', example('manifests/mcp-server.yaml'), '--own-provider', 'sampleMcp')
  await mortise('deploy', example('manifests/mcp-server.yaml'), '--yes')
  await mortise('install', 'notes', '--group', 'acme')
  const listed = await mortise('list', 'tools', '--group', 'acme')
  expect(listed).toMatch(/^notes__search_notes +notes +search_notes$/m)
  expect(listed).toMatch(/^notes__add_note +notes +add_note +yes +yes$/m)

  const url = new URL(`${kit.app.url}/mcp/v1/projects/default?groupRef=acme`)
  const headers = { 'x-api-key': kit.app.apiKey }
  const client = new Client({ name: 'agent', version: '1' })
  await client.connect(
    new StreamableHTTPClientTransport(url, { requestInit: { headers } }) as Parameters<Client['connect']>[0],
  )
  const { tools } = await client.listTools()
  expect(tools.map(({ name }) => name)).toEqual(['notes__search_notes', 'notes__add_note', 'get_approval_result'])
  expect(tools[0]?.annotations).toMatchObject({ readOnlyHint: true })
  const found = await client.callTool({ name: 'notes__search_notes', arguments: { word: 'call' } })
  expect(JSON.stringify(found)).toContain('Call Ada')
  expect(JSON.stringify(found)).not.toMatch(/combination|Call Grace/)
  const refused = await client.callTool({ name: 'notes__add_note', arguments: { title: 'a', color: 'red' } })
  expect(refused).toMatchObject({ isError: true, structuredContent: { error: { code: 'arguments_refused' } } })
  await client.close()

  const asked = await mortise(
    'tool',
    'call',
    'notes__add_note',
    '--group',
    'acme',
    '--arguments',
    '{"title":"Buy gears"}',
    '--format',
    'json',
  )
  const { approvalId } = JSON.parse(asked).content
  expect(await mortise('get', 'approval', approvalId)).toContain('Buy gears')
  await mortise('approval', 'approve', approvalId)
  expect(kit.mcp.notes.at(-1)).toMatchObject({ title: 'Buy gears' })
  expect(kit.mcp.sessions.size).toBe(0)
})
