import { startWebhookReceiver } from '@mortise-examples/webhook-receiver'
import { afterEach, expect, it } from 'vitest'
import { startTestApp, startTestNode, type TestApp } from '../../../testkit/test-app.ts'
import { type Rate, startRatedProvider } from './rated.testkit.ts'
import { rarely } from './reading.testkit.ts'

const owners = 25
const base = '/projects/default'
const manifest = `
specVersion: 1.0.0
integrations:
  - name: rated
    provider: rated
    read:
      objects:
        - objectName: things
          destination: hook
          schedule: '${rarely}'
          optionalFieldsAuto: all
          backfill: { defaultPeriod: { fullHistory: true } }
    write: { objects: [{ objectName: things }] }
    proxy: { enabled: true }
`

const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

/** Two nodes, one that is asked and one that works, with an integration at a provider of this rate. */
async function startNodes(...rates: Rate[]) {
  const provider = await startRatedProvider({ owners, rates })
  closing.push(provider.close)
  const receiver = await startWebhookReceiver()
  closing.push(() => receiver.close())
  const env = { MORTISE_PROVIDERS_DIR: provider.folder }
  const app = await startTestApp({ env: { ...env, MORTISE_ROLES: 'api' } })
  closing.push(() => app.stop())
  const worker = await startTestNode(app, { ...env, MORTISE_ROLES: 'worker' })
  closing.push(() => worker.stop())
  await made(app, 'POST', '/destinations', { name: 'hook', type: 'webhook', metadata: { url: receiver.url } })
  await made(app, 'PUT', '/integrations:batch', { sourceYaml: manifest })
  return {
    app,
    provider,
    receiver,
    async connect(groupRef: string) {
      const account = { provider: 'rated', apiKey: 'any', providerMetadata: { url: provider.url } }
      return (await made(app, 'POST', '/connections:generate', { groupRef, consumerRef: groupRef, ...account })).id
    },
    async install(groupRef: string) {
      const read = { objects: { things: { objectName: 'things', schedule: rarely, selectedFieldsAuto: 'all' } } }
      const write = { objects: { things: { objectName: 'things' } } }
      const content = { provider: 'rated', read, write, proxy: { enabled: true } }
      const path = '/integrations/rated/installations?skipSampling=true'
      return (await made(app, 'POST', path, { groupRef, config: { content } })).id
    },
    write: (mode: string) =>
      app.call('POST', `//write/v1${base}/integrations/rated/objects/things`, {
        groupRef: 'one',
        type: 'create',
        mode,
        record: { id: 'x' },
      }),
    proxied: (installationId: string) =>
      fetch(`${app.url}/proxy/proxied`, {
        headers: {
          'x-amp-proxy-version': '1',
          'x-amp-project-id': app.projectId,
          'x-amp-installation-id': installationId,
          'x-api-key': app.apiKey,
        },
      }),
  }
}

async function made<T = { id: string }>(app: TestApp, method: string, path: string, body: unknown): Promise<T> {
  const answer = await app.call<T>(method, `${base}${path}`, body)
  if (answer.status > 299) throw new Error(`${path}: ${JSON.stringify(answer.body)}`)
  return answer.body
}

it('backfills over parents on one node, writes and the proxy on another keep one rate limit: the provider refuses nothing', async () => {
  const { provider, receiver, connect, install, write, proxied } = await startNodes({ requests: 30, perSeconds: 2 })
  const groups = ['one', 'two', 'three']
  await Promise.all(groups.map(connect))
  const [first = ''] = await Promise.all(groups.map(install))
  const calls = Array.from({ length: 5 }, () => proxied(first))
  const answers = await Promise.all([write('asynchronous'), write('synchronous'), ...calls])
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
  const { records } = await receiver.waitFor((counters) => counters.records >= groups.length * owners, 60_000)
  await expect.poll(() => provider.counted.written, { timeout: 20_000 }).toBe(2)
  expect(records).toBe(groups.length * owners)
  expect(provider.counted).toEqual({ refused: 0, proxied: 5, written: 2 })
  // One for each parent and for each page of parents, and not one more.
  expect(provider.arrived).toHaveLength(groups.length * (owners + Math.ceil(owners / 10)) + 7)
}, 180_000)

it('limits on reads, on writes and on both are kept at once on two nodes: the provider refuses nothing', async () => {
  const { provider, receiver, connect, install, write, proxied } = await startNodes(
    { requests: 40, perSeconds: 2 },
    { requests: 30, perSeconds: 2, for: 'read' },
    { requests: 6, perSeconds: 2, for: 'write' },
  )
  const groups = ['one', 'two']
  await Promise.all(groups.map(connect))
  const [first = ''] = await Promise.all(groups.map(install))
  const modes = ['asynchronous', 'asynchronous', 'asynchronous', 'asynchronous', 'synchronous', 'synchronous']
  const answers = await Promise.all([...modes.map(write), proxied(first), proxied(first)])
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
  await receiver.waitFor((counters) => counters.records >= groups.length * owners, 60_000)
  await expect.poll(() => provider.counted.written, { timeout: 20_000 }).toBe(modes.length)
  expect(provider.counted).toEqual({ refused: 0, proxied: 2, written: modes.length })
}, 180_000)

it('a read whose turn is far away is put off, and nothing has failed', async () => {
  const { app, provider, connect, install, proxied } = await startNodes({ requests: 1, perSeconds: 3_600 })
  const connectionId = await connect('one')
  // Takes the only turn, on the node that works.
  const other = await install('one')
  await expect.poll(() => provider.arrived.length, { timeout: 20_000 }).toBe(1)
  await connect('two')
  await install('two')
  const runs = () => app.db.sql.selectFrom('read_runs').selectAll().where('installation_id', '<>', other).execute()
  await expect
    .poll(async () => ((await runs())[0]?.next_attempt_at.getTime() ?? 0) - Date.now(), { timeout: 20_000 })
    .toBeGreaterThan(10 * 60_000)
  expect((await runs())[0]).toMatchObject({ attempt: 0, first_error_at: null, lease_until: null, pages: 0 })
  const connection = await app.db.sql
    .selectFrom('connections')
    .select(['rate_limited_until'])
    .where('id', '=', connectionId)
    .executeTakeFirstOrThrow()
  expect(connection.rate_limited_until).toBeNull()
  expect((await proxied(other)).status).toBe(429)
  expect(provider.counted.refused).toBe(0)
}, 120_000)
