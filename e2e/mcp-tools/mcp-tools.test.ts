import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startToolsKit, type ToolsKit } from '../../packages/server/src/testkit/tools-kit.ts'

const run = promisify(execFile)
const folder = fileURLToPath(new URL('.', import.meta.url))
const publicUrl = 'http://mortise.test'
const enabled = existsSync(`${folder}node_modules/.installed`)
if (!enabled) {
  if (process.env['MORTISE_REQUIRE_MCP_TOOLS'] === '1') throw new Error('the tools of the protocol are not installed')
  console.log('The tests with tools of the Model Context Protocol are skipped: run e2e/mcp-tools/install.sh.')
}

/** The protocol's own tools, run as commands against the service. */
describe.skipIf(!enabled)('tools of the Model Context Protocol', { timeout: 240_000 }, () => {
  const started = new AsyncDisposableStack()
  let kit: ToolsKit
  let url: string
  beforeAll(async () => {
    kit = await startToolsKit({ env: { MORTISE_PUBLIC_URL: publicUrl } })
    started.defer(() => kit.stop())
    url = `${kit.app.url}/mcp/v1${kit.base}?groupRef=${await kit.group()}`
  })
  afterAll(() => started.disposeAsync())

  const inspect = async (...more: string[]) => {
    const script = `${folder}node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js`
    const to = ['--transport', 'http', '--server-url', url, '--header', `x-api-key: ${kit.app.apiKey}`]
    const { stdout } = await run(process.execPath, [script, '--cli', ...to, '--method', ...more])
    return JSON.parse(stdout) as Record<string, unknown>
  }

  test('the inspector finds no fault with the tools, and calls one', async () => {
    const { tools } = await inspect('tools/list', '--strict')
    expect(tools).toContainEqual(expect.objectContaining({ name: 'search_people' }))
    const got = await inspect('tools/call', '--tool-name', 'get_people', '--tool-arg', 'id=con_0000009')
    expect(got).toMatchObject({
      isError: false,
      structuredContent: { providerData: { record: { id: 'con_0000009' } } },
    })
    expect(await inspect('resources/list')).toMatchObject({ resources: expect.any(Array) })
  })

  test('the conformance tool passes what needs no tools of its own', async () => {
    const script = `${folder}node_modules/@modelcontextprotocol/conformance/dist/index.js`
    await using relay = await startRelay(url, kit.app.apiKey)
    const suite = ['--suite', 'all', '--expected-failures', `${folder}expected-failures.yaml`]
    const { stdout } = await run(process.execPath, [script, 'server', '--url', relay.url, ...suite]).catch(
      (error: { stdout: string }) => error,
    )
    expect(stdout).toContain('Baseline check passed')
    for (const scenario of ['server-initialize', 'ping', 'tools-list', 'resources-list', 'dns-rebinding-protection'])
      expect(stdout).toMatch(new RegExp(`✓ ${scenario}: [1-9][0-9]* passed, 0 failed`))
  })
})

/**
 * Passes requests on with a credential, which the conformance tool cannot send. Its own address stands for that of the
 * service.
 */
async function startRelay(to: string, apiKey: string) {
  const relay = createServer((asked: IncomingMessage, answer: ServerResponse) => {
    const own = `http://${asked.socket.localAddress}:${asked.socket.localPort}`
    const headers = { ...asked.headers, 'x-api-key': apiKey }
    if (headers.origin === own) headers.origin = publicUrl
    const passed = request(to, { method: asked.method, headers }, (got) => {
      answer.writeHead(got.statusCode ?? 502, got.headers)
      got.pipe(answer)
    })
    passed.on('error', () => answer.destroy())
    asked.pipe(passed)
  })
  await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve))
  const { port } = relay.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    async [Symbol.asyncDispose]() {
      relay.closeAllConnections()
      await new Promise((resolve) => relay.close(resolve))
    },
  }
}
