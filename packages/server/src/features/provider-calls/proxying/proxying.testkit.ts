// biome-ignore-start lint/style/noRestrictedImports: a client that sends what no well-behaved one does.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, request as requestTo, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
// biome-ignore-end lint/style/noRestrictedImports: as above.
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startTestApp, type TestApp } from '../../../testkit/test-app.ts'

export const secretKey = 'the-secret-key-of-the-account'

/** A request as the provider saw it. */
export interface Seen {
  method: string
  url: string
  headers: IncomingMessage['headers']
  rawHeaders: string[]
  body: Buffer
}

type Answer = (request: IncomingMessage, response: ServerResponse) => void

/** A provider on loopback: notes what reaches it, and answers as the test says. Its token endpoint counts. */
async function startProvider() {
  const seen: Seen[] = []
  const open = new Set<Socket>()
  let answer: Answer | undefined
  let tokens = 0
  const server = createServer((request, response) => {
    if (request.url === '/token') {
      const token = { access_token: `token-${++tokens}`, token_type: 'Bearer', expires_in: 3_600 }
      request.resume()
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(token))
      return
    }
    if (answer) return answer(request, response)
    note(request).then((body) => response.end(body))
  })
  async function note(request: IncomingMessage): Promise<Buffer> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks)
    const { method = '', url = '', headers, rawHeaders } = request
    seen.push({ method, url, headers, rawHeaders, body })
    return body
  }
  server.requestTimeout = 0
  server.on('connection', (socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    open,
    note,
    get tokens() {
      return tokens
    },
    answers(next: Answer | undefined) {
      answer = next
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const providerFiles = {
  keyed: `
name: keyed
displayName: Keyed
baseUrl: '{{url}}/api'
inputs: [{ name: url, displayName: Address, prompt: Where it runs, kind: url }]
authentication: [{ scheme: apiKey, attach: header, name: X-Secret-Token }]
rateLimit: RATE
modules:
  files: { displayName: Files, baseUrl: '{{url}}/files' }
`,
  queried: `
name: queried
displayName: Queried
baseUrl: '{{url}}'
inputs: [{ name: url, displayName: Address, prompt: Where it runs, kind: url }]
authentication: [{ scheme: apiKey, attach: query, name: api_key }]
errors: { retryAfterHeaders: { Retry-After: milliseconds } }
`,
  tokened: `
name: tokened
displayName: Tokened
baseUrl: '{{url}}'
inputs: [{ name: url, displayName: Address, prompt: Where it runs, kind: url }]
authentication: [{ scheme: oauth2, grantType: clientCredentials, tokenUrl: '{{url}}/token' }]
`,
}

const manifest = `
specVersion: 1.0.0
integrations:
  - { name: keyed, provider: keyed, proxy: { enabled: true } }
  - { name: files, provider: keyed, module: files, proxy: { enabled: true, useModule: true } }
  - { name: closed, provider: keyed, proxy: { enabled: false } }
  - { name: queried, provider: queried, proxy: { enabled: true } }
  - { name: tokened, provider: tokened, proxy: { enabled: true } }
`

export interface ProblemBody {
  status: number
  detail: string
  remedy: string
  subsystem: string
  retryAfter?: string
  context: { code: string }
  issues?: { name: string }[]
}

/** A service whose customers are installed at a provider of the test. */
export async function startProxyingKit({
  env = {},
  rateLimit,
  files = () => ({}),
}: {
  env?: Record<string, string>
  rateLimit?: string
  /** Further provider files by name, for the URL of the provider. */
  files?: (url: string) => Record<string, string>
} = {}) {
  const provider = await startProvider()
  const folder = await mkdtemp(join(tmpdir(), 'mortise-proxying-'))
  for (const [name, text] of Object.entries({ ...providerFiles, ...files(provider.url) })) {
    const rated = rateLimit ? text.replace('RATE', rateLimit) : text.replace(/^rateLimit: RATE\n/m, '')
    await writeFile(join(folder, `${name}.yaml`), rated)
  }
  const app: TestApp = await startTestApp({ env: { MORTISE_ROLES: 'api', MORTISE_PROVIDERS_DIR: folder, ...env } })
  const base = `/projects/${app.projectId}`
  const made = async <T>(method: string, path: string, body: unknown): Promise<T> => {
    const answer = await app.call<T>(method, path, body)
    if (answer.status >= 300) throw new Error(`${path}: ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  const kit = {
    app,
    provider,
    folder,
    base,
    made,
    async deploy(sourceYaml: string) {
      await made('PUT', `${base}/integrations:batch?destructive=true`, { sourceYaml })
    },
    /** Connects and installs a group; answers the ids. */
    async install(integration: string, groupRef: string, credential: object = { apiKey: secretKey }, proxy?: object) {
      const name = integration === 'files' || integration === 'closed' ? 'keyed' : integration
      const { id: connectionId } = await made<{ id: string }>('POST', `${base}/connections:generate`, {
        provider: name,
        groupRef,
        consumerRef: groupRef,
        providerMetadata: { url: provider.url },
        ...credential,
      })
      const { id } = await made<{ id: string }>('POST', `${base}/integrations/${integration}/installations`, {
        groupRef,
        connectionId,
        config: { content: { provider: name, ...(proxy && { proxy }) } },
      })
      return { id, connectionId }
    },
    headers(installationId: string, more: Record<string, string> = {}): Record<string, string> {
      return {
        'x-api-key': app.apiKey,
        'x-amp-proxy-version': '1',
        'x-amp-project-id': app.projectId,
        'x-amp-installation-id': installationId,
        ...more,
      }
    },
    /** The head of a request as bytes, with all that the proxy wants; `first` is its first line. */
    head(installationId: string, first: string, more: string[] = [], host = 'mortise.example.com'): string {
      const headers = Object.entries(kit.headers(installationId)).map(([name, value]) => `${name}: ${value}`)
      return `${[first, `Host: ${host}`, 'Connection: close', ...headers, ...more].join('\r\n')}\r\n\r\n`
    },
    /** Calls through the proxy, with the path byte for byte as it is given. */
    async call(
      installationId: string,
      path: string,
      {
        method = 'GET',
        headers = {},
        body,
      }: { method?: string; headers?: Record<string, string>; body?: string | Buffer } = {},
    ) {
      const options = {
        method,
        path: `/proxy${path}`,
        headers: kit.headers(installationId, {
          ...(body !== undefined && { 'content-length': `${Buffer.byteLength(body)}` }),
          ...headers,
        }),
        agent: false as const,
      }
      return await new Promise<{ status: number; headers: IncomingMessage['headers']; raw: string[]; body: Buffer }>(
        (resolve, reject) => {
          const sent = requestTo(app.url, options, async (answer) => {
            try {
              const chunks: Buffer[] = []
              for await (const chunk of answer) chunks.push(chunk)
              const { statusCode: status = 0, headers: answered, rawHeaders: raw } = answer
              resolve({ status, headers: answered, raw, body: Buffer.concat(chunks) })
            } catch (error) {
              reject(error)
            }
          })
          sent.once('error', reject)
          sent.end(body)
        },
      )
    },
    /** Sends bytes as they are, and answers all that comes back until the server closes. */
    async raw(text: string | Buffer): Promise<string> {
      const { port } = new URL(app.url)
      const socket = connect(Number(port), '127.0.0.1')
      socket.write(text)
      const chunks: Buffer[] = []
      try {
        for await (const chunk of socket) chunks.push(chunk)
      } catch {
        // Cut off: what came is what counts.
      }
      return Buffer.concat(chunks).toString('latin1')
    },
    async stop() {
      await app.stop()
      await provider.close()
      await rm(folder, { recursive: true, force: true })
    },
    [Symbol.asyncDispose]: () => kit.stop(),
  }
  await kit.deploy(manifest)
  return kit
}

export type ProxyingKit = Awaited<ReturnType<typeof startProxyingKit>>
export const problemOf = ({ body }: { body: Buffer }) => JSON.parse(body.toString()) as ProblemBody
export const proxyManifest = manifest
