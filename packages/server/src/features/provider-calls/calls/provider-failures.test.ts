import type { ServerResponse } from 'node:http'
import { startWebhookReceiver, type WebhookReceiver } from '@mortise-examples/webhook-receiver'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { startTestApp, startTestNode, type TestApp } from '../../../testkit/test-app.ts'
import { type FailureKind, type FailureRow, failureTable } from './failure-table.ts'
import {
  type Misbehavior,
  misbehaviors,
  type ProviderName,
  providerNames,
  startMisbehavingProvider,
} from './misbehaving-provider.testkit.ts'

/** Each use of a provider does what the table says, with the same sentence, at a provider that misbehaves. */

const base = '/projects/default'
let app: TestApp
let receiver: WebhookReceiver
let provider: Awaited<ReturnType<typeof startMisbehavingProvider>>
beforeAll(async () => {
  provider = await startMisbehavingProvider()
  receiver = await startWebhookReceiver()
  app = await startTestApp({ env: { ...env(), MORTISE_PROXY_TIMEOUT: '2s' } })
  lowerLimits(app)
  await deploy(providerNames)
})
afterAll(async () => {
  await app?.stop()
  await receiver?.close()
  await provider?.close()
})

const env = () => ({ MORTISE_PROVIDERS_DIR: provider.folder, MORTISE_DNS_SERVERS: provider.nameServer })

/** Lowers limits for three misbehaviors: nobody waits for half a minute, or for 25 MB. */
function lowerLimits({ app: { services } }: TestApp): void {
  const { request } = services.outbound
  services.outbound.request = (options) => {
    const [, name] = new URL(options.url).pathname.split('/')
    if (name === 'stalled') return request({ ...options, timeoutMs: 200 })
    if (name === 'late') return request({ ...options, signal: AbortSignal.timeout(200) })
    return request(name === 'flood' ? { ...options, maxBytes: 1_000 } : options)
  }
}

async function deploy(names: ProviderName[]): Promise<void> {
  await made('POST', '/destinations', { name: 'hook', type: 'webhook', metadata: { url: receiver.url } })
  const integrations = names.map(
    (name) => `
  - name: ${name}
    provider: ${name}
    read: { objects: [{ objectName: things, destination: hook, optionalFieldsAuto: all, schedule: '0 0 29 2 *' }] }
    write: { objects: [{ objectName: things }] }
    proxy: { enabled: true }`,
  )
  await made('PUT', '/integrations:batch', { sourceYaml: `specVersion: 1.0.0\nintegrations:${integrations.join('')}` })
}

interface Answer {
  id: string
  operationId: string
  status: string
  detail: string
  context: { code: string }
  errors?: { message: string }[]
}

async function made(method: string, path: string, body?: unknown): Promise<Answer> {
  const answer = await app.call<Answer>(method, path.startsWith('//') ? path : `${base}${path}`, body)
  if (answer.status > 299) throw new Error(`${path}: ${JSON.stringify(answer.body)}`)
  return answer.body
}

interface Installed {
  name: ProviderName
  groupRef: string
  id: string
  connectionId: string
}

/** Installs a customer whose provider misbehaves so. */
async function install(misbehavior: Pick<Misbehavior, 'name' | 'token' | 'file' | 'at'>): Promise<Installed> {
  const { name: groupRef, token } = misbehavior
  const name = misbehavior.file ?? (token === undefined ? 'keyed' : 'tokened')
  const credential =
    name === 'tokened' ? { oauth2ClientCredentials: { clientId: 'us', clientSecret: 'secret' } } : { apiKey: 'any' }
  const { id: connectionId } = await made('POST', '/connections:generate', {
    provider: name,
    groupRef,
    consumerRef: groupRef,
    providerMetadata: { url: provider.urlOf(misbehavior) },
    ...credential,
  })
  const content = {
    provider: name,
    read: { objects: { things: { objectName: 'things', selectedFieldsAuto: 'all' } } },
    write: { objects: { things: { objectName: 'things' } } },
    proxy: { enabled: true },
  }
  const { id } = await made('POST', `/integrations/${name}/installations?skipSampling=true`, {
    groupRef,
    config: { content },
  })
  return { name, groupRef, id, connectionId }
}

const json = { 'content-type': 'application/json' }
const patience = { timeout: 20_000, interval: 50 }

const happenings: Record<NonNullable<Misbehavior['later']>, (installed: Installed) => Promise<unknown>> = {
  async 'file changes'({ name }) {
    const { catalogue } = app.app.services
    const before = catalogue.find(name)
    await provider.change(name)
    await vi.waitUntil(() => catalogue.find(name) !== before, patience)
  },
  'credential breaks': ({ connectionId }) =>
    sql`update connection_credentials set encrypted = 'broken' where connection_id = ${connectionId}`.execute(
      app.db.sql,
    ),
  async 'permit is taken'(installed) {
    const answer = await proxied(installed)
    expect(answer.status).toBe(200)
    await answer.body?.cancel()
  },
}

const search = ({ name, groupRef }: Installed) =>
  app.call<Answer>('POST', `//search/v1${base}/integrations/${name}?groupRef=${groupRef}`, {
    objectName: 'things',
    fieldFilters: [{ fieldName: 'id', operator: 'eq', value: '1' }],
  })
const metadata = ({ name, groupRef }: Installed) =>
  app.call<Answer>('GET', `${base}/integrations/${name}/objects/things/metadata?groupRef=${groupRef}`)
const preview = ({ name, connectionId }: Installed) =>
  app.call<Answer>('POST', `${base}/integrations/${name}:preview`, {
    connectionId,
    objectName: 'things',
    content: { provider: name, read: { objects: { things: { selectedFieldsAuto: 'all' } } } },
  })
const write = ({ name, groupRef }: Installed, body: object) =>
  app.call<Answer>('POST', `//write/v1${base}/integrations/${name}/objects/things`, { groupRef, ...body })
const proxied = ({ id }: Installed) =>
  fetch(`${app.url}/proxy/things`, {
    headers: {
      'x-amp-proxy-version': '1',
      'x-amp-project-id': app.projectId,
      'x-amp-installation-id': id,
      'x-api-key': app.apiKey,
    },
    redirect: 'manual',
  })

const startRead = async ({ name, groupRef }: Installed) =>
  (await made('POST', `//read/v1${base}/integrations/${name}/objects/things`, { groupRef, mode: 'async' })).operationId
const statusOf = async (id: string) => (await made('GET', `/operations/${id}`)).status

/** Waits for what an operation logged of its first error; of one that fails, for its end. */
async function firstError(id: string, { fails }: { fails: boolean }): Promise<string> {
  return vi.waitUntil(async () => {
    const status = await statusOf(id)
    const log = JSON.stringify((await app.call('GET', `${base}/operations/${id}/logs`)).body)
    const isThere = fails ? status === 'failure' : /"severity":"(?:WARNING|ERROR)"/.test(log)
    return isThere ? log : undefined
  }, patience)
}

/** Waits until the run of an operation has been put off. */
function postponed(table: 'read_runs' | 'write_runs', operationId: string) {
  return vi.waitUntil(async () => {
    const { rows } = await sql`
      select from ${sql.table(table)} where operation_id = ${operationId} and lease_until is null
         and (attempt > 0 or next_attempt_at > now() + interval '1 s')`.execute(app.db.sql)
    return rows.length === 1
  }, patience)
}

async function checkRead(installed: Installed, { says }: Misbehavior, row: FailureRow): Promise<void> {
  const id = await startRead(installed)
  if (row.read === 'yield') {
    await postponed('read_runs', id)
    expect(await statusOf(id)).toBe('in_progress')
    return
  }
  const waits = row.read === 'retry' || row.read === 'wait'
  const fails = row.read === 'fail' || row.read === 'reconnect'
  const log = await firstError(id, { fails })
  expect(log).toMatch(says)
  expect(/Waits \d+ s after an error/.test(log)).toBe(waits)
}

async function checkAnswers(installed: Installed, { says, kind }: Misbehavior, row: FailureRow): Promise<void> {
  const code = row.problem ?? 'unexpected'
  const detail = row.problem === undefined ? expect.any(String) : expect.stringMatching(says)
  const found = await search(installed)
  // An object that the provider does not have any more is a fault of the request here.
  if (kind === 'unsupported_object')
    expect(found).toMatchObject({ status: 400, body: { context: { code: 'invalid-input' } } })
  else expect(found).toMatchObject({ body: { context: { code }, detail } })
  expect(await metadata(installed)).toMatchObject({ body: { context: { code }, detail } })
  const previewed = await preview(installed)
  // The config is validated first: nothing of the provider can be installed.
  if (kind === 'no_connector') expect(previewed).toMatchObject({ body: { context: { code } } })
  else expect(previewed).toMatchObject({ body: { context: { code }, detail } })
}

async function checkWrites(installed: Installed, misbehavior: Misbehavior, row: FailureRow): Promise<void> {
  const written = await write(installed, { mode: 'synchronous', type: 'create', record: { id: 'x' } })
  const accepted = await write(installed, { mode: 'asynchronous', type: 'update', record: { id: 'x' } })
  const isRefused = misbehavior.later === 'file changes' || misbehavior.later === 'credential breaks'
  // The builder may complete the app while a write waits.
  if (isRefused && misbehavior.kind !== 'app_incomplete') {
    // Nothing is accepted that could not be sent.
    for (const { status, body } of [written, accepted]) {
      expect(status).toBeGreaterThanOrEqual(400)
      expect(body).not.toHaveProperty('operationId')
    }
    return
  }
  const [status, success] = misbehavior.writes ? [200, true] : [422, false]
  expect(written).toMatchObject({ status, body: { result: { success } } })
  const refusal = JSON.stringify(written.body.errors)
  if (!success) expect(refusal).toMatch(row.mayBeDone ? /is not known/ : misbehavior.says)
  const { operationId } = accepted.body
  if (row.write === 'retry') {
    await postponed('write_runs', operationId)
    expect(await statusOf(operationId)).toBe('in_progress')
  } else {
    await vi.waitUntil(async () => (await statusOf(operationId)) !== 'in_progress', patience)
    expect(await statusOf(operationId)).toBe(success ? 'success' : 'failure')
  }
}

async function checkProxy(installed: Installed, { passes, later }: Misbehavior, row: FailureRow): Promise<void> {
  const answer = await proxied(installed)
  if (passes !== undefined && later !== 'permit is taken') expect(answer.status).toBe(passes)
  else expect(await answer.json()).toMatchObject({ context: { code: row.proxy ?? 'unexpected' } })
  await answer.body?.cancel().catch(() => undefined)
}

describe.concurrent('a provider that misbehaves', () => {
  test.each(misbehaviors)('$name: $kind', async (misbehavior) => {
    const { kind, later, onlyReads, at } = misbehavior
    const row: FailureRow = failureTable[kind]
    const installed = await install(misbehavior)
    if (later) await happenings[later](installed)
    const uses = onlyReads ? [checkRead] : [checkRead, checkAnswers, checkWrites, checkProxy]
    // Each waits for the same time limit.
    if (at === 'silence') await Promise.all(uses.map((use) => use(installed, misbehavior, row)))
    else for (const use of uses) await use(installed, misbehavior, row)

    const { status } = await made('GET', `/connections/${installed.connectionId}`)
    expect(status === 'bad_credentials').toBe(row.scope === 'credential')
    const { rows } = await sql<{ action_type: string }>`
      select action_type from operations where installation_id = ${installed.id} and status = 'success'`.execute(
      app.db.sql,
    )
    expect(rows.filter(({ action_type: type }) => type !== 'write' || !misbehavior.writes)).toEqual([])
    // Its retries would take slots from the reads of others.
    await made('DELETE', `/integrations/${installed.name}/installations/${installed.id}`)
  })
})

/** What no provider does alone. */
const scenarios: Partial<Record<FailureKind, () => Promise<void>>> = {
  async names_busy() {
    const misbehavior: Misbehavior = { name: 'busy', kind: 'names_busy', says: /Too many DNS lookups/, at: 'name' }
    const row = failureTable.names_busy
    const installed = await install(misbehavior)
    const { names } = app.app.services
    let asked = 0
    // As many names of slow servers as a project may have.
    const fill = () =>
      vi.waitUntil(() => {
        if (names.isBusy('busy.test', app.projectId)) return true
        for (let count = 0; count < 48; count++)
          names.resolve(`slow-${asked++}.test`, app.projectId).catch(() => undefined)
        return false
      }, patience)
    for (const use of [checkAnswers, checkProxy, checkWrites, checkRead]) {
      await fill()
      await use(installed, misbehavior, row)
    }
  },

  async connection_deleted() {
    const { problem, proxy } = failureTable.connection_deleted
    const held: ServerResponse[] = []
    provider.answers('deleted', (response) => held.push(response))
    const installed = await install({ name: 'deleted' })
    const record = { mode: 'synchronous', type: 'create', record: { id: 'x' } }
    const calls = Promise.all([search(installed), metadata(installed), write(installed, record), preview(installed)])
    const read = await startRead(installed)
    await vi.waitUntil(() => held.length === 5, patience)
    // Its connection is deleted too.
    await made('DELETE', `/integrations/${installed.name}/installations/${installed.id}`)
    const { connectionHandles } = app.app.services
    await vi.waitUntil(() => !connectionHandles.peekAt(app.projectId, installed.connectionId)(), patience)
    // Mortise looks for another credential now.
    for (const response of held) response.writeHead(401).end()
    const [found, described, written, previewed] = await calls
    for (const answer of [found, described, previewed])
      expect(answer).toMatchObject({ status: 404, body: { context: { code: problem } } })
    expect(written).toMatchObject({ status: 422, body: { result: { success: false } } })
    expect(await (await proxied(installed)).json()).toMatchObject({ context: { code: proxy } })
    expect(await statusOf(read)).toBe('failure')
    expect(held).toHaveLength(5)
  },

  async canceled() {
    const usual = app
    app = await startTestApp({ env: { ...env(), MORTISE_ROLES: 'api' } })
    let worker = await startTestNode(app, { ...env(), MORTISE_ROLES: 'worker' })
    try {
      await deploy(['keyed'])
      let isHeld = false
      provider.answers('stopped', () => {
        isHeld = true
      })
      const read = await startRead(await install({ name: 'stopped' }))
      await vi.waitUntil(() => isHeld, patience)
      await worker.stop()
      const log = JSON.stringify((await app.call('GET', `${base}/operations/${read}/logs`)).body)
      expect([await statusOf(read), log]).toEqual(['in_progress', expect.not.stringMatching(/WARNING|ERROR/)])
      provider.answers('stopped', (response) => response.writeHead(200, json).end('{"things":[{"id":"1"}]}'))
      worker = await startTestNode(app, { ...env(), MORTISE_ROLES: 'worker' })
      await vi.waitUntil(async () => (await statusOf(read)) !== 'in_progress', patience)
      expect(await statusOf(read)).toBe('success')
    } finally {
      await worker.stop()
      await app.stop()
      app = usual
    }
  },
}

test.each(Object.entries(scenarios))('%s', async (_, scenario) => scenario())

test('each row of the table has a scenario here', () => {
  const tried = new Set<string>([...misbehaviors.map(({ kind }) => kind), ...Object.keys(scenarios)])
  expect(Object.keys(failureTable).filter((kind) => !tried.has(kind))).toEqual([])
})
