import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { parse } from 'yaml'
import { run } from '../packages/cli/src/run.ts'
import { type Answer, testTerminal } from '../packages/cli/src/testkit/test-terminal.ts'
import { startTestApp, type TestApp } from '../packages/server/src/testkit/test-app.ts'

/** An entry of the catalog that nobody has tested is tested with an account, and the result is written down. */

const folder = 'packages/providers/providers'
const token = 'a-secret-token'
let app: TestApp
let server: Server
let cwd: string
const connections: Record<string, string> = {}

beforeAll(async () => {
  server = createServer(({ url, headers }, response) => {
    const isKnown = headers.authorization === `Bearer ${token}` || headers['api_access_token'] === token
    const known: Record<string, object> = {
      '/api/v4/users/me': { email: 'person@acme.test' },
      '/api/v1/accounts/7/labels': {},
    }
    const found = known[url ?? '']
    if (url === '/api/v1/accounts/7/page')
      response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html>')
    else if (!isKnown || found === undefined) response.writeHead(isKnown ? 404 : 401).end('{}')
    else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(found))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  app = await startTestApp({ env: { MORTISE_ROLES: 'api' } })
  for (const [provider, providerMetadata] of [
    ['mattermost', { workspace_url: origin }],
    ['chatwoot', { baseUrl: origin, accountId: '7' }],
  ] as const) {
    const account = { groupRef: provider, consumerRef: 'person', provider, apiKey: token, providerMetadata }
    const { body } = await app.call<{ id: string }>('POST', '/projects/default/connections:generate', account)
    connections[provider] = body.id
  }
})
afterAll(async () => {
  await app?.stop()
  server?.closeAllConnections()
  server?.close()
})
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'mortise-tested-'))
  return () => rm(cwd, { recursive: true, force: true })
})

async function mortise(args: string[], answers?: Answer[]) {
  const env = { MORTISE_URL: app.url, MORTISE_API_KEY: app.apiKey, MORTISE_CONFIG_DIR: cwd }
  const terminal = testTerminal({ cwd, env, ...(answers && { answers }) })
  const code = await run(['provider', 'test', ...args], terminal)
  return { code, asked: terminal.asked, ...terminal.output() }
}

/** The file after the patch, applied as somebody with a checkout would. */
async function patched(provider: string): Promise<string> {
  await mkdir(join(cwd, folder), { recursive: true })
  const path = join(cwd, folder, `${provider}.yaml`)
  await writeFile(path, await readFile(new URL(`../${folder}/${provider}.yaml`, import.meta.url), 'utf8'))
  await promisify(execFile)('git', ['apply', `${provider}.connected.patch`], { cwd })
  return readFile(path, 'utf8')
}

const connectionOf = (provider: string) => ['--connection', connections[provider] ?? '']

test('a person agrees, and the patch says what works and nothing of the account; the API and the page show it', async () => {
  const { code, asked, stdout, stderr } = await mortise(['mattermost', ...connectionOf('mattermost')], [true])
  expect(code, stderr).toBe(0)
  expect(stdout).toContain('✓ health check')
  expect(asked[0]?.message).toContain('authentication, baseUrl, healthCheck')
  const patch = await readFile(join(cwd, 'mattermost.connected.patch'), 'utf8')
  for (const secret of [token, 'person@acme.test', '127.0.0.1', connections['mattermost'] ?? ''])
    expect(patch + stdout.replaceAll(/GET \S+/g, '')).not.toContain(secret)
  const text = await patched('mattermost')
  expect(text).not.toMatch(/confidence|Nobody has connected/)
  const { connected } = parse(text) as { connected: object }
  expect(connected).toEqual({
    date: new Date().toISOString().slice(0, 10),
    file: expect.stringMatching(/^[0-9a-f]{12}$/) as string,
    parts: ['authentication', 'baseUrl', 'healthCheck'],
  })

  const env = { MORTISE_ROLES: 'api', MORTISE_PROVIDERS_DIR: join(cwd, folder) }
  const withFile = await startTestApp({ env })
  try {
    const { body } = await withFile.call('GET', '/providers/mattermost')
    expect(body).toMatchObject({ connected })
    expect(body).not.toHaveProperty('confidence')
    const page = await (await fetch(`${withFile.url}/docs/providers/mattermost`)).text()
    expect(page).toContain('Tested with an account on')
    expect(page).toContain('authentication, base URL, health check')
  } finally {
    await withFile.stop()
  }
})

test('a person who declines leaves nothing behind, and a program is not asked', async () => {
  const declined = await mortise(['mattermost', ...connectionOf('mattermost')], [false])
  expect([declined.code, declined.asked.length]).toEqual([0, 1])
  const program = await mortise(['mattermost', ...connectionOf('mattermost')])
  expect([program.code, program.stderr]).toEqual([0, ''])
  await expect(readFile(join(cwd, 'mattermost.connected.patch'))).rejects.toThrow('ENOENT')
})

test('without a health check and objects, a path is requested; the flag writes the patch once', async () => {
  const args = ['chatwoot', ...connectionOf('chatwoot'), '--record']
  const nothing = await mortise(args)
  expect([nothing.code, nothing.stderr]).toEqual([2, expect.stringContaining('Name a path with --get')])
  const { code, stdout, stderr } = await mortise([...args, '--get', '/labels'])
  expect([code, stdout]).toEqual([0, expect.stringContaining('✓ request')])
  expect(stderr).toContain('git apply chatwoot.connected.patch')
  expect(parse(await patched('chatwoot'))).toMatchObject({ connected: { parts: ['authentication', 'baseUrl'] } })
  const again = await mortise([...args, '--get', '/labels'])
  expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('exists already')])
})

test.each(['/nowhere', '/page', '//evil.example/', '/../../7/labels'])(
  'what fails is not written down: %s',
  async (path) => {
    const { code, stdout } = await mortise(['chatwoot', ...connectionOf('chatwoot'), '--record', '--get', path])
    expect([code, stdout]).toEqual([3, expect.stringContaining('✗ request')])
    await expect(readFile(join(cwd, 'chatwoot.connected.patch'))).rejects.toThrow('ENOENT')
  },
)

test('a name that is neither a file nor a provider says so', async () => {
  const { code, stderr } = await mortise(['nobody', ...connectionOf('chatwoot')])
  expect([code, stderr]).toEqual([2, expect.stringContaining('There is no file nobody, and no provider of this name.')])
})
