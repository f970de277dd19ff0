import { once } from 'node:events'
// biome-ignore-start lint/style/noRestrictedImports: a provider of the tests' own.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net'
// biome-ignore-end lint/style/noRestrictedImports: as above.
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FailureKind } from './failure-table.ts'

/** A way in which a provider misbehaves: each has an address of its own, so that all can be tried together. */
export interface Misbehavior {
  name: string
  kind: FailureKind
  /** What the sentence of the failure says. */
  says: RegExp
  /** Status of the answer that the proxy passes on, where it does. */
  passes?: number
  /** A write takes any answer of 2xx for a success, unless its file says otherwise. */
  writes?: true
  answer?: (response: ServerResponse) => void
  /** The token endpoint answers with this status; requests carry a key where it is absent. */
  token?: number
  /** Where the provider is, if not at its server. */
  at?: 'closed port' | 'https' | 'garbage'
}

const reply =
  (status: number, body: string, headers: Record<string, string> = { 'content-type': 'application/json' }) =>
  (response: ServerResponse) =>
    response.writeHead(status, headers).end(body)
const html = { 'content-type': 'text/html' }

const answered = (
  name: string,
  kind: FailureKind,
  says: RegExp,
  passes: number,
  ...[body = '{"message":"its own words"}', headers]: [string?, Record<string, string>?]
): Misbehavior => ({ name, kind, says, passes, answer: reply(passes, body, headers) })

export const misbehaviors: Misbehavior[] = [
  answered('slow-down', 'rate_limited', /status 429|asked to wait/, 429, '{}', { 'retry-after': '30' }),
  answered('failing', 'provider_5xx', /status 503.*its own words/, 503),
  answered('page', 'unexpected_response', /titled .*Back soon/, 200, '<html><title>Back soon</title>', html),
  { ...answered('empty', 'unexpected_response', /an empty body/, 200, ''), writes: true },
  { ...answered('cut', 'unexpected_response', /cut or malformed/, 200, '{"things": ['), writes: true },
  answered('redirect', 'unexpected_response', /redirects to/, 302, '', { location: '/login' }),
  { ...answered('shape', 'unexpected_response', /not a list of/, 200, '[]'), writes: true },
  answered('missing', 'not_found', /status 404/, 404),
  answered('gone', 'not_found', /status 410/, 410),
  answered('cursor', 'cursor_gone', /cursor_gone/, 400, '{"code":"CURSOR"}'),
  answered('unauthorized', 'auth_invalidated', /status 401/, 401),
  answered('forbidden', 'forbidden', /status 403.*its own words/, 403),
  answered('invalid', 'bad_request', /status 422.*its own words/, 422),
  answered(
    'refused-in-200',
    'bad_request',
    /bad_request.*its own words/,
    200,
    '{"ok":false,"message":"its own words"}',
  ),
  {
    name: 'breaks-off',
    kind: 'connection_lost',
    says: /broke before the answer/,
    answer: (response) => response.socket?.destroy(),
  },
  { name: 'closed', kind: 'unconnected', says: /refused the connection/, at: 'closed port' },
  { name: 'no-tls', kind: 'tls', says: /secure connection/, at: 'https' },
  { name: 'garbage', kind: 'invalid_http', says: /invalid HTTP/, at: 'garbage' },
  { name: 'no-token', kind: 'credential_refused', says: /renew the access token/, token: 400 },
  { name: 'token-down', kind: 'credential_unavailable', says: /access token/, token: 503 },
]

const fileOf = (name: string, authentication: string) => `
name: ${name}
displayName: ${name}
baseUrl: '{{url}}'
inputs: [{ name: url, displayName: Address, prompt: Where it runs, kind: url }]
authentication: [${authentication}]
support: { read: true, write: true, search: true, proxy: true }
errors:
  message: [message]
  rules:
    - { when: { code: CURSOR }, is: cursor_gone }
    - { when: { ok: false }, is: bad_request }
objects:
  things:
    read: { path: /things, records: things, paging: { kind: none } }
    search: { path: /search, queryEach: [{ each: filters, name: '{{item.field}}', value: '{{item.value}}' }] }
    fields: [{ source: live, path: /fields, records: fields, name: name, valueType: [{ is: string }] }]
    write: { body: { $value: record }, create: { path: /things } }
`

export const providerNames = { keyed: 'failing', tokened: 'failingTokens' } as const

/** Starts the server; `urlOf` is where each misbehavior is found. */
export async function startMisbehavingProvider() {
  const folder = await mkdtemp(join(tmpdir(), 'mortise-failing-'))
  const files = [
    [providerNames.keyed, '{ scheme: apiKey, attach: header, name: X-Api-Key }'],
    [providerNames.tokened, "{ scheme: oauth2, grantType: clientCredentials, tokenUrl: '{{url}}/token' }"],
  ] as const
  for (const [name, authentication] of files)
    await writeFile(join(folder, `${name}.yaml`), fileOf(name, authentication))
  const server = createServer((request, response) => {
    request.resume()
    const [, name, path] = (request.url ?? '').split(/[/?]/)
    const misbehavior = misbehaviors.find((one) => one.name === name)
    if (path === 'token') reply(misbehavior?.token ?? 500, '{"error":"invalid_grant"}')(response)
    else misbehavior?.answer?.(response)
  })
  const garbage = createTcpServer((socket) => socket.once('data', () => socket.end('220 this is no HTTP\r\n\r\n')))
  const closed = createTcpServer()
  const ports = await Promise.all([server, garbage, closed].map(listening))
  await close(closed)
  const [port, garbagePort, closedPort] = ports
  return {
    folder,
    urlOf({ name, at }: Misbehavior): string {
      if (at === 'closed port') return `http://127.0.0.1:${closedPort}`
      if (at === 'garbage') return `http://127.0.0.1:${garbagePort}`
      return `${at === 'https' ? 'https' : 'http'}://127.0.0.1:${port}/${name}`
    },
    async close() {
      server.closeAllConnections()
      await Promise.all([close(server), close(garbage)])
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function listening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

async function close(server: Server): Promise<void> {
  server.close()
  await once(server, 'close')
}
