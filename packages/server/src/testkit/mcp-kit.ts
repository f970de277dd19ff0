import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import {
  type SampleMcp,
  type SampleMcpOptions,
  startSampleMcp,
} from '../../../../examples/sample-mcp/src/start-sample-mcp.ts'
import { readProviderTool } from '../../../providers/src/mcp/provider-tool.ts'
import { startTestApp, type TestApp } from './test-app.ts'
import type { ResultBody, ToolBody } from './tools-kit.ts'

const providers = resolve(import.meta.dirname, '../../../../examples/sample-mcp/providers')

interface ListedTool {
  name: string
  digest: string
  fault?: string
  inputSchema?: Record<string, unknown>
}

interface GroupOptions {
  /** Another server than the sample, and its definitions of tools. */
  server?: { url: string; tools: readonly unknown[] }
  agent?: object
  /** Other parts of the integration. */
  integration?: object
}

export interface McpKit {
  app: TestApp
  base: string
  mcp: SampleMcp
  /** Connects an account of the server at an address, the sample by default. Returns the id of the connection. */
  connect(groupRef: string, url?: string): Promise<{ status: number; body: { id: string } }>
  /** The tools that the server lists, by name. */
  listed(connectionId: string): Promise<Map<string, ListedTool>>
  deploy(providerTools: object[], agent?: object, integration?: object): Promise<void>
  /** Connects, deploys rules for tools by name, and installs for a new group. Returns the group. */
  group(rules: Record<string, object>, options?: GroupOptions): Promise<string>
  tools(groupRef: string): Promise<ToolBody[]>
  call(groupRef: string, name: string, args?: object, more?: object): Promise<ResultBody>
  /** The status of the group's connection. */
  status(groupRef: string): Promise<string>
  stop(): Promise<void>
}

/** A service, an MCP server, and short forms of the calls. */
export async function startMcpKit(options: SampleMcpOptions = {}): Promise<McpKit> {
  const mcp = await startSampleMcp(options)
  const app = await startTestApp({ env: { MORTISE_ROLES: 'api', MORTISE_PROVIDERS_DIR: providers } })
  const file = await readFile(`${providers}/sampleMcp.yaml`, 'utf8')
  const base = '/projects/default'
  const expectStatus = <T>({ status, body }: { status: number; body: T }, wanted: number): T => {
    if (status !== wanted) throw new Error(JSON.stringify(body))
    return body
  }
  let groups = 0
  const kit: McpKit = {
    app,
    base,
    mcp,
    connect: (groupRef, url = mcp.url) =>
      app.call('POST', `${base}/connections:generate`, {
        groupRef,
        consumerRef: 'ada',
        provider: 'sampleMcp',
        apiKey: mcp.token,
        providerMetadata: { url },
      }),
    async listed(connectionId) {
      const path = `${base}/connections/${connectionId}/provider-file:test`
      const body = { name: 'sampleMcp.yaml', text: file }
      const answer = await app.call<{ checks: { check: string; tools?: ListedTool[] }[] }>('POST', path, body)
      const { checks } = expectStatus(answer, 200)
      return new Map(checks.flatMap(({ tools = [] }) => tools.map((tool) => [tool.name, tool])))
    },
    async deploy(providerTools, agent = {}, integration = {}) {
      const source = JSON.stringify({
        specVersion: '1.0.0',
        integrations: [{ name: 'notes', provider: 'sampleMcp', ...integration, agent: { providerTools, ...agent } }],
      })
      expectStatus(await app.call('PUT', `${base}/integrations:batch`, { sourceYaml: source }), 200)
    },
    async group(rules, { server = mcp, agent, integration } = {}) {
      const groupRef = `group-${++groups}`
      expectStatus(await kit.connect(groupRef, server.url), 201)
      const listed = new Map(server.tools.map(readProviderTool).map((tool) => [tool?.name, tool]))
      const tools = Object.entries(rules).map(([toolName, rule]) => ({
        toolName,
        digest: listed.get(toolName)?.digest || `sha256:${'0'.repeat(64)}`,
        ...rule,
      }))
      await kit.deploy(tools, agent, integration)
      const config = { content: { provider: 'sampleMcp' } }
      const path = `${base}/integrations/notes/installations`
      expectStatus(await app.call('POST', path, { groupRef, config }), 201)
      return groupRef
    },
    async tools(groupRef) {
      return expectStatus(await app.call<ToolBody[]>('GET', `${base}/tools?groupRef=${groupRef}`), 200)
    },
    async call(groupRef, name, args = {}, more = {}) {
      const body = { groupRef, arguments: args, ...more }
      return expectStatus(await app.call<ResultBody>('POST', `${base}/tools/${name}:call`, body), 200)
    },
    async status(groupRef) {
      const path = `${base}/connections?groupRef=${groupRef}`
      return expectStatus(await app.call<{ status: string }[]>('GET', path), 200)[0]?.status ?? ''
    },
    async stop() {
      await app.stop()
      await mcp.close()
    },
  }
  return kit
}
