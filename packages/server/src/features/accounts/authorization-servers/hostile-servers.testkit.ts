import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

type Answer = (request: IncomingMessage, response: ServerResponse) => void

/** An MCP server and its authorization server in one, whose every answer a test can replace. */
export interface HostileServer {
  url: string
  /** By method and path. */
  answers: Record<string, Answer>
  /** Method and path of each request, in order. */
  requests: string[]
  /** Changes a part of the metadata of the MCP server. */
  describe(changes: object): void
  /** Changes a part of the metadata of the authorization server. */
  serve(changes: object): void
  /** Puts the usual answers back. */
  reset(): void
  close(): Promise<void>
}

export const resourcePath = 'GET /.well-known/oauth-protected-resource/mcp'
export const serverPath = 'GET /.well-known/oauth-authorization-server'

export const send =
  (status: number, type: string, body: string, headers: Record<string, string> = {}): Answer =>
  (_, response) =>
    void response.writeHead(status, { 'content-type': type, ...headers }).end(body)
export const sendJson = (value: unknown, status = 200) => send(status, 'application/json', JSON.stringify(value))

export async function startHostileServer(): Promise<HostileServer> {
  const http = createServer((request, response) => {
    const at = `${request.method} ${URL.parse(request.url ?? '/', 'http://x')?.pathname}`
    server.requests.push(at)
    const answer = server.answers[at] ?? send(404, 'text/plain', '')
    request.resume().on('end', () => answer(request, response))
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
  const described = { resource: `${url}/mcp`, authorization_servers: [url], scopes_supported: ['notes'] }
  const served = {
    issuer: url,
    authorization_endpoint: `${url}/authorize`,
    token_endpoint: `${url}/token`,
    registration_endpoint: `${url}/register`,
    response_types_supported: ['code'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
  }
  const server: HostileServer = {
    url,
    answers: {},
    requests: [],
    describe(changes) {
      server.answers[resourcePath] = sendJson({ ...described, ...changes })
    },
    serve(changes) {
      server.answers[serverPath] = sendJson({ ...served, ...changes })
    },
    reset() {
      server.requests.length = 0
      server.answers = {
        'POST /mcp': send(401, 'application/json', '{}', { 'www-authenticate': 'Bearer' }),
        'POST /register': sendJson({ client_id: 'given', redirect_uris: ['https://x.example'] }, 201),
        'POST /token': sendJson({ access_token: 'a', token_type: 'Bearer' }),
      }
      server.describe({})
      server.serve({})
    },
    async close() {
      http.closeAllConnections()
      await new Promise((resolve) => http.close(resolve))
    },
  }
  server.reset()
  return server
}
