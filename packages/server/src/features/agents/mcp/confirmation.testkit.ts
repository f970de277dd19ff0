import { resolve } from 'node:path'
import type { TestApp } from '../../../testkit/test-app.ts'
import { createSigner, type TestSigner } from '../../../testkit/test-consumer.ts'

export const sampleProviders = resolve(import.meta.dirname, '../../../../../../examples/sample-crm/providers')

interface Answered {
  status: number
  result?: {
    requestState?: string
    inputRequests?: { confirm: { params: { message: string } } }
    structuredContent?: object
    [key: string]: unknown
  }
  error?: { code: number; message: string }
}

const meta = 'io.modelcontextprotocol'
const revision = '2026-07-28'

/** Sends calls of revision 2026-07-28 by hand, as a client that does not follow the rules could. */
export async function createAsker(
  kit: { app: TestApp; base: string; signer?: TestSigner },
  group: string,
  options: { consumer?: string; agent?: string; capabilities?: object } = {},
) {
  const { consumer = 'ada', agent = 'test', capabilities = { elicitation: { form: {} } } } = options
  const { authorization } = await (kit.signer ?? (await createSigner(kit.app))).headers(group, consumer)
  const headers = {
    authorization,
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
    'mcp-protocol-version': revision,
    'mcp-method': 'tools/call',
  }
  const envelope = {
    [`${meta}/protocolVersion`]: revision,
    [`${meta}/clientInfo`]: { name: agent, version: '1.0.0' },
    [`${meta}/clientCapabilities`]: capabilities,
  }
  return {
    async call(name: string, args: object, retry: object = {}, url = kit.app.url): Promise<Answered> {
      const params = { name, arguments: args, _meta: envelope, ...retry }
      const response = await fetch(`${url}/mcp/v1${kit.base}`, {
        method: 'POST',
        headers: { ...headers, 'mcp-name': name },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
      })
      return { status: response.status, ...((await response.json()) as object) }
    },
  }
}
