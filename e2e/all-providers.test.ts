import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { parse, stringify } from 'yaml'
import { canAttach } from '../packages/providers/src/catalogue/can-attach.ts'
import { type EchoServer, startEchoServer } from '../packages/providers/src/conformance/echo-server.testkit.ts'
import { placementByFacts, readFacts } from '../packages/providers/src/conformance/facts.testkit.ts'
import { exchanges } from '../packages/providers/src/conformance/request-faults.testkit.ts'
import {
  type SampleCredential,
  sampleCredentials,
  secretOf,
} from '../packages/providers/src/conformance/sample-credentials.ts'
import type { ProviderEntry } from '../packages/providers/src/index.ts'
import { createLogger } from '../packages/server/src/kernel/telemetry/index.ts'
import { startTestApp, type TestApp } from '../packages/server/src/testkit/test-app.ts'
import { spellingsOf } from './spellings.testkit.ts'

/**
 * Every provider of the catalogue goes through the whole service: an account is connected by each way to authenticate,
 * the provider (a local server in its place) is asked with the credential, refuses it with an answer that repeats
 * everything, and no secret is in a log line at level trace, an answer or a list.
 */

const folder = fileURLToPath(new URL('../packages/providers/providers/', import.meta.url))
const facts = readFacts()
let home: string
let server: EchoServer
let app: TestApp
let ways: { entry: ProviderEntry; sample: SampleCredential; block: object; groupRef: string }[]

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'mortise-providers-'))
  server = await startEchoServer()
  for (const file of (await readdir(folder)).filter((name) => name.endsWith('.yaml')))
    await writeFile(join(home, file), here(await readFile(join(folder, file), 'utf8'), server.origin))
  app = await startTestApp({ env: { MORTISE_PROVIDERS_DIR: home }, logLevel: 'trace' })
  const { catalogue } = app.app.services
  expect(catalogue.faults).toEqual([])
  ways = catalogue.list().flatMap((entry) =>
    sampleCredentials(entry).flatMap((sample) => {
      const block = blockOf(entry, sample)
      return block === undefined
        ? []
        : [{ entry, sample, block, groupRef: `${entry.name} ${sample.credential.scheme}` }]
    }),
  )
  await Promise.all(catalogue.list().map(registerApp))
})
afterAll(async () => {
  await app?.stop()
  await server?.[Symbol.asyncDispose]()
  await rm(home, { recursive: true, force: true })
})

/**
 * The same file with the local server in the place of every host, and a health check, so that each new credential is
 * used.
 */
function here(text: string, origin: string): string {
  const file = parse(text, (key, value) => {
    if (key === 'docsUrl' || typeof value !== 'string' || !/url$|^base$/i.test(String(key))) return value
    return value.replace(/^(https:\/\/[^/]+|\{\{\w+\}\})/, origin)
  })
  // Nothing names a variable any more.
  delete file.variables
  delete file.placeholders
  for (const id of Object.keys(file.modules ?? {})) file.modules[id].baseUrl = origin
  for (const input of file.inputs ?? []) {
    input.use = 'kept'
    delete input.kind
  }
  return stringify({
    ...file,
    baseUrl: `${origin}/${file.name}`,
    healthCheck: { path: '/me', successStatusCodes: [200] },
    // What our own file asks for afterwards would be asked for at the provider's.
    postAuthentication: (file.postAuthentication ?? []).map(({ name }: { name: string }) => ({ name })),
  })
}

/** What a customer sends to connect with this credential; nothing where this release cannot. */
function blockOf(entry: ProviderEntry, { scheme, credential }: SampleCredential): object | undefined {
  const declared = entry.authentication.find((one) => one.scheme === scheme)
  if (declared === undefined || !canAttach(declared)) return undefined
  switch (credential.scheme) {
    case 'none':
      return {}
    case 'apiKey':
      return { apiKey: credential.apiKey }
    case 'basic':
      return { basicAuth: { username: credential.username, password: credential.password } }
    case 'oauth2':
      return oauth2Block(declared.scheme === 'oauth2' ? declared.grantType : undefined, credential.accessToken)
    case 'custom':
      return declared.scheme === 'custom' && declared.token === undefined && declared.multiStep !== true
        ? { customAuth: credential.values }
        : undefined
  }
}

const client = { clientId: 'a-client', clientSecret: secretOf('client-secret') }

function oauth2Block(grantType: string | undefined, token: string): object {
  if (grantType === 'clientCredentials') return { oauth2ClientCredentials: { ...client, scopes: ['all'] } }
  if (grantType === 'password')
    return { oauth2PasswordCredentials: { username: 'somebody', password: secretOf('password'), ...client } }
  return { oauth2AuthorizationCode: { accessToken: { token } } }
}

const appSecret = (setting: string) => secretOf(`app-${setting}`)

/** Registers an app of the provider, if its requests use settings of one. */
async function registerApp({ name, appValues }: ProviderEntry): Promise<void> {
  if (appValues === undefined) return
  const settings = appValues.filter((setting) => !(setting in client))
  const providerParams = Object.fromEntries(settings.map((setting) => [setting, appSecret(setting)]))
  const body = { provider: name, ...client, metadata: { providerParams } }
  const answer = await app.call('POST', '/projects/default/provider-apps', body)
  expect(answer.status, `${name}: ${JSON.stringify(answer.body)}`).toBe(200)
}

/** Connects every account again, some at a time, and says the status of each. */
async function connectAll(): Promise<Map<string, unknown>> {
  const statuses = new Map<string, unknown>()
  const waiting = [...ways]
  const work = async () => {
    for (let way = waiting.pop(); way !== undefined; way = waiting.pop()) {
      const { entry, block, groupRef } = way
      const answer = await app.call<{ status: string }>('POST', '/projects/default/connections:generate?verify=true', {
        provider: entry.name,
        groupRef,
        consumerRef: 'ada',
        providerMetadata: Object.fromEntries(entry.inputs.map(({ name, example }) => [name, example ?? 'sample'])),
        ...block,
      })
      statuses.set(groupRef, answer.status === 201 ? answer.body.status : answer.body)
    }
  }
  await Promise.all([work(), work(), work(), work()])
  return statuses
}

it('every way to authenticate works, is refused without a word of the secret, and shows in no list', async () => {
  const first = server.seen.length
  expect(ways.length).toBeGreaterThan(220)
  expect([...(await connectAll())].filter(([, status]) => status !== 'working')).toEqual([])

  const asked = server.seen.slice(first)
  for (const { entry, sample, block } of ways) {
    const minted = 'oauth2ClientCredentials' in block || 'oauth2PasswordCredentials' in block
    const used: SampleCredential = minted
      ? { ...sample, credential: { scheme: 'oauth2', accessToken: secretOf('minted-token') } }
      : sample
    const known = facts?.[entry.name]
    const placement = (known && placementByFacts(known, used)) ?? (minted ? undefined : sample.placement)
    if (placement === undefined) continue
    const requests = asked.filter(({ url }) => url.pathname === `/${entry.name}/me`)
    const carried = requests.map(({ url, headers }) => ({
      headers: Object.fromEntries(Object.keys(placement.headers).map((name) => [name, headers[name.toLowerCase()]])),
      query: Object.fromEntries(url.searchParams),
    }))
    expect(carried, entry.name).toContainEqual(placement)
  }

  server.answerWith(401)
  expect([...(await connectAll())].filter(([, status]) => status !== 'bad_credentials')).toEqual([])

  const list = await app.call('GET', '/projects/default/connections')
  expect(list.body).toHaveLength(ways.length)
  expect(shown([JSON.stringify(list.body), ...app.logs])).toEqual([])
}, 360_000)

it('what a provider refuses can be logged whole', async () => {
  const lines: string[] = []
  const log = createLogger({ level: 'trace', destination: { write: (line) => lines.push(line) } })
  for (const status of [400, 401, 500]) {
    for (const { entry, sample } of ways) {
      server.answerWith(status, entry.file?.errors.message)
      const { errors, connector } = await exchanges(entry, sample, server)
      for (const err of errors) log.error({ err, connector, provider: entry.name }, String(err))
    }
  }
  expect(lines.length).toBeGreaterThan(3 * ways.length)
  expect(shown(lines)).toEqual([])
})

/** The texts in which a secret stands, in any spelling. */
function shown(texts: readonly string[]): string[] {
  const secrets = new Set([
    ...ways.flatMap(({ sample }) => sample.secrets),
    ...ways.flatMap(({ entry }) => entry.appValues ?? []).map(appSecret),
    client.clientSecret,
    secretOf('minted-token'),
    secretOf('password'),
  ])
  const spellings = [...secrets].flatMap(spellingsOf)
  return texts.filter((text) => spellings.some((spelling) => text.includes(spelling))).slice(0, 5)
}
