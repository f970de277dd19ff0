import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import type { ProviderEntry } from '../catalogue/entry.ts'
import { readProviderFile } from '../catalogue/read-provider-file.ts'
import { plainHttp } from '../testing/http-server.testkit.ts'
import { readProviderTool } from './provider-tool.ts'
import { useMcpServer } from './use-mcp-server.ts'

const opened: ReturnType<typeof createServer>[] = []
afterEach(async () => {
  for (const server of opened.splice(0)) {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
})

const entry: ProviderEntry = {
  name: 'notes',
  displayName: 'Notes',
  authType: 'apiKey',
  authentication: [{ scheme: 'apiKey', attach: 'header', name: 'X-Key' }],
  baseUrl: '{{url}}',
  modules: {},
  inputs: [{ name: 'url', kind: 'url' }],
  origin: 'user',
  implemented: { read: false, write: false, delete: false, proxy: true, subscribe: false, search: false },
  mcp: { path: '/mcp' },
}

async function target(listener: RequestListener, signal = AbortSignal.timeout(20_000)) {
  const server = createServer(listener)
  opened.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const context = { metadata: { url }, credential: { scheme: 'apiKey', apiKey: 'secret-key' } as const }
  return { entry, context, http: plainHttp(fetch), now: Date.now, signal }
}

it('a server that never answers is left when the signal aborts', async () => {
  const abort = new AbortController()
  const reason = new Error('enough')
  const hanging = await target((request) => {
    expect(request.headers['x-key']).toBe('secret-key')
    abort.abort(reason)
  }, abort.signal)
  await expect(useMcpServer(hanging, (server) => server.listTools())).rejects.toThrow()
})

it('a digest depends on name, description and schema, and not on the order of keys', () => {
  const tool = { name: 'a', description: 'b', inputSchema: { type: 'object', properties: { c: { type: 'string' } } } }
  const digest = (changes: object) => readProviderTool({ ...tool, ...changes })?.digest
  expect(digest({})).toMatch(/^sha256:[0-9a-f]{64}$/)
  expect(digest({ inputSchema: { properties: { c: { type: 'string' } }, type: 'object' }, title: 'T' })).toBe(
    digest({}),
  )
  const others = [{ name: 'b' }, { description: 'c' }, { inputSchema: { type: 'object' } }].map(digest)
  expect(new Set([digest({}), ...others]).size).toBe(4)
  for (const odd of [undefined, 'text', {}, { name: 1, inputSchema: {} }, { name: 'a' }, { name: '', inputSchema: {} }])
    expect(readProviderTool(odd)).toBeUndefined()
})

it.each([
  ['discover: mcp', '', undefined],
  ['discover: mcp, issuer: https://auth.example.com, scopes: [notes]', '', undefined],
  ['discover: mcp, authUrl: https://a.example.com/a', '', 'authUrl'],
  ['discover: mcp, tokenUrl: https://a.example.com/t, resource: https://a.example.com', '', 'must not be set with'],
  ['discover: mcp, pkce: false', '', 'pkce'],
  ['discover: mcp, scopes: ["a b"]', '', 'scopes'],
  ['discover: other', '', 'discover'],
  ['discover: mcp', 'none', 'needs the key "mcp"'],
  ['authUrl: https://a.example.com/a, tokenUrl: https://a.example.com/t, scopes: [a]', '', 'needs the key "discover"'],
])('of a scheme with %s, a file%s is checked', (keys, mcp, fault) => {
  const server = mcp === 'none' ? '' : 'mcp: { path: /mcp }\n'
  const scheme = `{ scheme: oauth2, grantType: authorizationCodePKCE, ${keys} }`
  const text = `name: notes\nbaseUrl: https://mcp.example.com\nauthentication:\n  - ${scheme}\n${server}`
  const faults = JSON.stringify(readProviderFile('notes.yaml', text).faults ?? [])
  if (fault === undefined) expect(faults).toBe('[]')
  else expect(faults.replaceAll('\\', '')).toContain(fault)
})

it('a scheme that looks up its server has codes with PKCE', () => {
  const text =
    'name: notes\nbaseUrl: https://mcp.example.com\nmcp: {}\nauthentication:\n  - { scheme: oauth2, grantType: clientCredentials, discover: mcp }\n'
  const { faults = [] } = readProviderFile('notes.yaml', text)
  expect(faults.map(({ message }) => message).join()).toContain('must be "authorizationCodePKCE"')
})

it.each([
  ['mcp: { path: mcp }', 'must begin with "/"'],
  ["mcp: { path: '/{{team}}' }", 'uses the variable "team"'],
  ['mcp: { url: https://mcp.example.com }', 'url'],
])('a provider file is refused with %s', async (mcp, message) => {
  const head = 'name: notes\nbaseUrl: https://api.example.com\nauthentication: [{ scheme: none }]\n'
  const { faults = [] } = readProviderFile('notes.yaml', `${head}${mcp}\n`)
  expect(faults.map((fault) => fault.message).join()).toContain(message)
})
