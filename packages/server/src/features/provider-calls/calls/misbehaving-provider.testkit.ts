import { once } from 'node:events'
// biome-ignore-start lint/style/noRestrictedImports: a provider of the tests' own.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net'
// biome-ignore-end lint/style/noRestrictedImports: as above.
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { a, type DnsAnswer, startDnsServer } from '../../../testkit/name-server.ts'
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
  /** Where the provider is, if not at its server. `name`: at a host that the name server knows. */
  at?: 'closed port' | 'https' | 'garbage' | 'silence' | 'name'
  /** The provider file, if not the one for the credential. */
  file?: ProviderName
  /** What happens after the installation. */
  later?: 'file changes' | 'credential breaks' | 'permit is taken'
  /** Only a read notices it. */
  onlyReads?: true
}

const reply =
  (status: number, body: string, headers: Record<string, string> = { 'content-type': 'application/json' }) =>
  (response: ServerResponse) =>
    response.writeHead(status, headers).end(body)
const html = { 'content-type': 'text/html' }
const later = 'file changes'

const answered = (
  name: string,
  kind: FailureKind,
  says: RegExp,
  passes: number,
  ...[body = '{"message":"its own words"}', headers]: [string?, Record<string, string>?]
): Misbehavior => ({ name, kind, says, passes, answer: reply(passes, body, headers) })

const things = '{"things":[{"id":"1"}],"fields":[{"name":"id"}]}'
let pages = 0

export const misbehaviors: Misbehavior[] = [
  // First, for they take longer than others: they wait for a time limit or for the catalog.
  { name: 'silent', kind: 'connect_timeout', says: /did not accept a connection in time/, at: 'silence' },
  { ...answered('unlisted', 'unsupported_object', /has no object/, 200, things), file: 'emptied', later },
  { name: 'removed', kind: 'no_connector', says: /no provider file of/, file: 'removed', later },
  { name: 'moved', kind: 'invalid_inputs', says: /region/, file: 'moved', later },
  { name: 'incomplete', kind: 'app_incomplete', says: /lacks Partner key/, file: 'incomplete', later },
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
  { name: 'stalled', kind: 'answer_timeout', says: /did not answer completely in time/, answer: () => undefined },
  { name: 'late', kind: 'deadline', says: /did not respond in time/, answer: () => undefined },
  answered('flood', 'answer_too_large', /more than 1000 bytes/, 200, JSON.stringify({ things: ' '.repeat(1_000) })),
  {
    name: 'loop',
    kind: 'endless_pages',
    says: /same pages again and again/,
    file: 'paged',
    onlyReads: true,
    answer: (response) => reply(200, JSON.stringify({ things: [{ id: '1' }], next: `page-${++pages}` }))(response),
  },
  {
    name: 'limited-list',
    kind: 'list_truncated',
    says: /at most 1 records of this list/,
    file: 'capped',
    onlyReads: true,
    answer: (response) => reply(200, JSON.stringify({ things: [{ id: '1' }] }))(response),
  },
  { name: 'unknown', kind: 'name_unknown', says: /could not be found/, at: 'name' },
  { name: 'failing-names', kind: 'name_unresolved', says: /could not be found/, at: 'name' },
  { name: 'private', kind: 'address_refused', says: /not at a public address/, at: 'name' },
  {
    ...answered('hurried', 'permit_timeout', /permit|rate limit/, 200, things),
    file: 'limited',
    later: 'permit is taken',
  },
  { name: 'unreadable', kind: 'internal', says: /An unexpected error/, later: 'credential breaks' },
  { name: 'no-token', kind: 'credential_refused', says: /renew the access token/, token: 400 },
  { name: 'token-down', kind: 'credential_unavailable', says: /access token/, token: 503 },
]

export type ProviderName =
  | 'keyed'
  | 'tokened'
  | 'limited'
  | 'paged'
  | 'capped'
  | 'emptied'
  | 'removed'
  | 'moved'
  | 'incomplete'

const tokens = "{ scheme: oauth2, grantType: clientCredentials, tokenUrl: '{{url}}/token' }"

/** What the file of a provider says differently from the one of `keyed`. */
const variants: Record<ProviderName, (file: string, origin: string) => string> = {
  keyed: (file) => file,
  tokened: (file) => file.replace(/^authentication: .*$/m, `authentication: [${tokens}]`),
  limited: (file) => `${file}rateLimit: { requests: 1, perSeconds: 600, per: connection }\n`,
  paged: (file) => file.replace('{ kind: none }', "{ kind: cursor, next: next }, query: { cursor: '{{cursor}}' }"),
  capped: (file) => file.replace('{ kind: none }', '{ kind: none, recordsMax: 1 }'),
  emptied: (file) => file,
  removed: (file) => file,
  moved: (file) => file,
  // A secret of the provider app goes to no host that a customer names.
  incomplete: (file, origin) =>
    file
      .replace(/^baseUrl: .*$/m, `baseUrl: ${origin}/incomplete`)
      .replace(/^inputs: .*$/m, 'inputs: [{ name: url, use: kept }]')
      .replace(/^authentication: .*$/m, `authentication: [${tokens.replace('{{url}}', `${origin}/incomplete`)}]`),
}

/** What the file becomes later; one that is not here is deleted. */
const changes: Partial<Record<ProviderName, (file: string) => string>> = {
  incomplete: (file) =>
    `${file}appMetadata:
  providerParams: [{ name: partnerKey, displayName: Partner key, secret: true, required: true }]
headers: { x-partner-key: '{{app.partnerKey}}' }
`,
  emptied: (file) => file.replace('  things:', '  others:'),
  moved: (file) =>
    file
      .replace("'{{url}}'", "'{{url}}/{{region}}'")
      .replace(/^inputs: \[/m, 'inputs: [{ name: region, displayName: Region, prompt: Where }, '),
}

const fileOf = (name: string) => `
name: ${name}
displayName: ${name}
baseUrl: '{{url}}'
inputs: [{ name: url, displayName: Address, prompt: Where it runs, kind: url }]
authentication: [{ scheme: apiKey, attach: header, name: X-Api-Key }]
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
    write: { body: { $value: record }, create: { path: /things }, update: { path: '/things/{{id}}' } }
`

export const providerNames = Object.keys(variants) as ProviderName[]

/** What the name server says of hosts; of others, that they do not exist. */
const dnsAnswers: Record<string, DnsAnswer> = {
  'failing-names.test': 'SERVFAIL',
  'private.test': [a('private.test', '10.0.0.1')],
  ...Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`slow-${at}.test`, 'silence'])),
}

/** Starts the server; `urlOf` is where each misbehavior is found. */
export async function startMisbehavingProvider() {
  const folder = await mkdtemp(join(tmpdir(), 'mortise-failing-'))
  const pathOf = (name: ProviderName) => join(folder, `${name}.yaml`)
  const textOf = (name: ProviderName) => variants[name](fileOf(name), `http://127.0.0.1:${port}`)
  const stands = new Map<string, (response: ServerResponse, path: string | undefined) => void>()
  const server = createServer((request, response) => {
    request.resume()
    const [, name, path] = (request.url ?? '').split(/[/?]/)
    const misbehavior = misbehaviors.find((one) => one.name === name)
    if (stands.has(name ?? '')) stands.get(name ?? '')?.(response, path)
    else if (path === 'token') reply(misbehavior?.token ?? 500, '{"error":"invalid_grant"}')(response)
    else misbehavior?.answer?.(response)
  })
  const garbage = createTcpServer((socket) => socket.once('data', () => socket.end('220 this is no HTTP\r\n\r\n')))
  const waiting = new Set<Socket>()
  const silence = createTcpServer((socket) => waiting.add(socket.on('error', () => undefined)))
  const closed = createTcpServer()
  const ports = await Promise.all([server, garbage, closed, silence].map(listening))
  await close(closed)
  const [port, garbagePort, closedPort, silentPort] = ports
  for (const name of providerNames) await writeFile(pathOf(name), textOf(name))
  const names = await startDnsServer((name) => dnsAnswers[name] ?? 'NXDOMAIN')
  return {
    folder,
    nameServer: names.address,
    /** Answers below this name from now on. */
    answers(name: string, answer: (response: ServerResponse, path: string | undefined) => void): void {
      stands.set(name, answer)
    },
    /** Changes a file as an operator would. */
    async change(name: ProviderName): Promise<void> {
      const changed = changes[name]
      if (changed) await writeFile(pathOf(name), changed(textOf(name)))
      else await rm(pathOf(name))
    },
    urlOf({ name, at }: Pick<Misbehavior, 'name' | 'at'>): string {
      if (at === 'name') return `https://${name}.test`
      if (at === 'silence') return `https://127.0.0.1:${silentPort}`
      if (at === 'closed port') return `http://127.0.0.1:${closedPort}`
      if (at === 'garbage') return `http://127.0.0.1:${garbagePort}`
      return `${at === 'https' ? 'https' : 'http'}://127.0.0.1:${port}/${name}`
    },
    async close() {
      server.closeAllConnections()
      for (const socket of waiting) socket.destroy()
      await Promise.all([close(server), close(garbage), close(silence), names.stop()])
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
