import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type ResultBody, startToolsKit, type ToolsKit } from '../../../testkit/tools-kit.ts'

export interface ReceivedRequest {
  method: string
  url: string
  headers: IncomingHttpHeaders
  body: string
}

type Answer = (response: ServerResponse) => void

export interface CustomKit extends ToolsKit {
  /** Requests to the provider, without health checks. */
  received: ReceivedRequest[]
  /** Sets the answer to all further requests. */
  answer(next: Answer): void
  /** Deploys tools in an integration of their own, and installs it for a new group. Returns the group. */
  install(tools: object[], agent?: object, more?: object): Promise<string>
}

export const json =
  (body: unknown, status = 200): Answer =>
  (response) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))

/** Starts a service, and a provider that records requests and answers as a test says. */
export async function startCustomKit(): Promise<CustomKit> {
  const kit = await startToolsKit()
  const received: ReceivedRequest[] = []
  let answer = json({})
  const provider = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { method = '', url = '', headers } = request
    if (url === '/me') return json({ workspace: 'w' })(response)
    received.push({ method, url, headers, body: Buffer.concat(chunks).toString() })
    answer(response)
  })
  provider.listen(0, '127.0.0.1')
  await once(provider, 'listening')
  const url = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`
  let count = 0
  return {
    ...kit,
    received,
    answer: (next) => {
      answer = next
    },
    async install(tools, agent = {}, more = {}) {
      const name = `own${++count}`
      const integration = { name, provider: 'sampleCrm', agent: { tools, ...agent }, ...more }
      await kit.deploy(JSON.stringify({ specVersion: '1.0.0', integrations: [integration] }))
      const groupRef = `${name}-group`
      await kit.connect(groupRef, { providerMetadata: { url } })
      const config = { content: { provider: 'sampleCrm' } }
      const made = await kit.app.call('POST', kit.path(name), { groupRef, config })
      if (made.status !== 201) throw new Error(JSON.stringify(made.body))
      return groupRef
    },
    async stop() {
      provider.closeAllConnections()
      provider.close()
      await kit.stop()
    },
  }
}

export const codeOf = ({ content }: ResultBody) => content.error?.code
