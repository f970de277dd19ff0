import { resolve } from 'node:path'
import {
  type SampleMcp,
  type SampleMcpOptions,
  startSampleMcp,
} from '../../../../../../examples/sample-mcp/src/start-sample-mcp.ts'
import { readProviderTool } from '../../../../../providers/src/mcp/provider-tool.ts'
import { openBrowser, type Shown } from '../../../testkit/browser.ts'
import { startTestApp, type TestApp } from '../../../testkit/test-app.ts'
import type { ResultBody } from '../../../testkit/tools-kit.ts'

const providers = resolve(import.meta.dirname, '../../../../../../examples/sample-mcp/providers')
export const base = '/projects/default'
const provider = 'sampleMcpOAuth'

interface Started {
  status: number
  body: { outcome?: string; url: string; detail?: string; context?: { code: string } }
}

export interface StoredConnection {
  id: string
  status: string
  lastCheck?: { outcome: string; reason?: string }
  providerApp?: { id: string }
}

export interface DiscoveryKit {
  app: TestApp
  mcp: SampleMcp & { authorization: NonNullable<SampleMcp['authorization']> }
  /** Starts to connect an account of a server, as the components do. */
  start(groupRef: string, url?: string): Promise<Started>
  /** The URL of the authorization server that an address of ours leads to, and the browser that opened it. */
  open(url: string): Promise<{ browser: ReturnType<typeof openBrowser>; authorizationUrl: string }>
  /** Goes through the address that `start` or an update returned, as a person who allows everything. */
  finish(url: string): Promise<Shown>
  /** Connects an account, and returns its connection. */
  connect(groupRef: string): Promise<StoredConnection>
  connection(groupRef: string): Promise<StoredConnection>
  /** Allows all tools of the server in a group that is connected. */
  install(groupRef: string): Promise<void>
  call(groupRef: string, tool: string, args: object): Promise<ResultBody>
  stop(): Promise<void>
}

/** A service, and an MCP server that is its own authorization server. */
export async function startDiscoveryKit(
  options: SampleMcpOptions['authorization'] = {},
  publicUrl = 'http://connect.localhost:4100',
): Promise<DiscoveryKit> {
  const started: { app?: TestApp } = {}
  // An authorization server reads the document of a client at its public address, which leads to this service.
  const readDocument = async (url: string) => {
    const { pathname } = new URL(url)
    return (await started.app?.call('GET', `/${pathname}`, undefined, { apiKey: null }))?.body
  }
  const mcp = await startSampleMcp({ authorization: { readDocument, ...options } })
  const env = { MORTISE_ROLES: 'api', MORTISE_PROVIDERS_DIR: providers, MORTISE_PUBLIC_URL: publicUrl }
  const app = await startTestApp({ env })
  started.app = app
  if (!mcp.authorization) throw new Error('the sample has no authorization server')
  const expectStatus = <T>({ status, body }: { status: number; body: T }, wanted: number): T => {
    if (status !== wanted) throw new Error(`${status}: ${JSON.stringify(body)}`)
    return body
  }
  const kit: DiscoveryKit = {
    app,
    mcp: Object.assign(mcp, { authorization: mcp.authorization }),
    start: (groupRef, url = mcp.url) =>
      app.call('POST', `${base}/connect-info/providers/${provider}:connect`, {
        groupRef,
        consumerRef: 'ada',
        scheme: 'oauth2',
        values: { 'providerMetadata.url': url },
      }),
    async open(url) {
      const browser = openBrowser(app.url)
      const { pathname, search } = new URL(url)
      const { location, text } = await browser.get(pathname + search)
      if (location === null) throw new Error(text)
      return { browser, authorizationUrl: location }
    },
    async finish(url) {
      const { browser, authorizationUrl } = await kit.open(url)
      const { pathname, search } = new URL(await kit.mcp.authorization.allow(authorizationUrl))
      return await browser.get(pathname + search)
    },
    async connect(groupRef) {
      const { url } = expectStatus(await kit.start(groupRef), 200)
      const { status, text } = await kit.finish(url)
      expectStatus({ status, body: text }, 200)
      return await kit.connection(groupRef)
    },
    async connection(groupRef) {
      const path = `${base}/connections?groupRef=${groupRef}`
      const [found] = expectStatus(await app.call<StoredConnection[]>('GET', path), 200)
      if (!found) throw new Error('no connection')
      return found
    },
    async install(groupRef) {
      const providerTools = mcp.tools.map((tool) => ({ toolName: tool.name, digest: readProviderTool(tool)?.digest }))
      const integrations = [{ name: 'notes', provider, agent: { providerTools } }]
      const sourceYaml = JSON.stringify({ specVersion: '1.0.0', integrations })
      expectStatus(await app.call('PUT', `${base}/integrations:batch`, { sourceYaml }), 200)
      const body = { groupRef, config: { content: { provider } } }
      expectStatus(await app.call('POST', `${base}/integrations/notes/installations`, body), 201)
    },
    async call(groupRef, tool, args) {
      const path = `${base}/tools/notes__${tool}:call`
      return expectStatus(await app.call<ResultBody>('POST', path, { groupRef, arguments: args }), 200)
    },
    async stop() {
      await app.stop()
      await mcp.close()
    },
  }
  return kit
}
