import { startWebhookReceiver, type WebhookReceiver } from '@mortise-examples/webhook-receiver'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { publishDue } from '../../../../kernel/work/index.ts'
import { startTestApp, type TestApp } from '../../../../testkit/test-app.ts'
import { rarely } from '../reading.testkit.ts'
import { storedRunsLoop } from '../stored-runs-loop.ts'
import { type Exporter, startExporter } from './exporter.testkit.ts'

const base = '/projects/default'
let exporter: Exporter
let receiver: WebhookReceiver
let app: TestApp
let count = 0

beforeAll(async () => {
  exporter = await startExporter()
  receiver = await startWebhookReceiver({ storeBodies: true })
  app = await startTestApp({ env: { MORTISE_PROVIDERS_DIR: exporter.folder } })
  await made('POST', `${base}/destinations`, { name: 'hook', type: 'webhook', metadata: { url: receiver.url } })
})
afterAll(async () => {
  await app?.stop()
  await Promise.all([exporter?.close(), receiver?.close()])
})
beforeEach(() => {
  exporter.isDone = true
  exporter.requests.length = 0
})

async function made(method: string, path: string, body?: object) {
  const answer = await app.call<{ id: string; operationId: string }>(method, path, body)
  if (answer.status > 299) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`)
  return answer.body
}

interface Installed {
  id: string
  name: string
  groupRef: string
}

const content = (objects: readonly string[]) => ({
  provider: 'exporter',
  read: { objects: Object.fromEntries(objects.map((objectName) => [objectName, { objectName }])) },
})

async function deploy(name: string, objectName: string, more: object, destructive = 'false'): Promise<void> {
  const own = { objectName, destination: 'hook', schedule: rarely, requiredFields: [{ fieldName: 'title' }] }
  const integrations = [{ name, provider: 'exporter', read: { objects: [{ ...own, ...more }] } }]
  const sourceYaml = JSON.stringify({ specVersion: '1.0.0', integrations })
  await made('PUT', `${base}/integrations:batch?destructive=${destructive}`, { sourceYaml })
}

/** Installs an object whose backfill begins. */
async function install(objectName: 'books' | 'papers', backfill: object = { fullHistory: true }): Promise<Installed> {
  count++
  const installed = { id: '', name: `exporter${count}`, groupRef: `group${count}` }
  await deploy(installed.name, objectName, { backfill: { defaultPeriod: backfill } })
  const { groupRef } = installed
  const account = { provider: 'exporter', apiKey: 'any', providerMetadata: { url: exporter.url } }
  await made('POST', `${base}/connections:generate`, { groupRef, consumerRef: groupRef, ...account })
  const path = `${base}/integrations/${installed.name}/installations?skipSampling=true`
  installed.id = (await made('POST', path, { groupRef, config: { content: content([objectName]) } })).id
  return installed
}

async function until<T>(ask: () => Promise<T | undefined | false> | T | undefined | false): Promise<T> {
  const givenUpAt = Date.now() + 60_000
  for (;;) {
    const found = await ask()
    if (found) return found
    if (Date.now() > givenUpAt) throw new Error('the condition did not come true in time')
    await sql`select pg_sleep(0.02)`.execute(app.db.sql)
  }
}

/** Makes the run due now, in place of the time between two polls. */
async function poll({ id }: Installed): Promise<void> {
  await sql`update read_runs set next_attempt_at = now() where installation_id = ${id} and lease_until is null`.execute(
    app.db.sql,
  )
  await publishDue({ sql: app.testDatabase.database.system }, storedRunsLoop)
}

/** What a worker that dies leaves behind: a lease that ends without a word. */
async function die({ id }: Installed): Promise<void> {
  await sql`update read_runs set fence = null, lease_until = null, next_attempt_at = now() where installation_id = ${id}`.execute(
    app.db.sql,
  )
  await publishDue({ sql: app.testDatabase.database.system }, storedRunsLoop)
}

interface Operation {
  id: string
  status: string
  result: string
}

async function ended(installed: Installed): Promise<Operation> {
  return until(async () => {
    const path = `${base}/integrations/${installed.name}/installations/${installed.id}/operations`
    const { results } = (await app.call<{ results: Operation[] }>('GET', path)).body
    if (results[0]?.status === 'in_progress') await poll(installed)
    return results[0]?.status !== 'in_progress' && results[0]
  })
}

async function delivered({ id }: Installed, wanted: number): Promise<number[]> {
  const all = receiver.bodies as { installationId: string; result: { fields: { title: string } }[] }[]
  return until(() => {
    const own = all.filter(({ installationId }) => installationId === id).flatMap(({ result }) => result)
    return own.length >= wanted && own.map(({ fields }) => Number(fields.title.slice('Title '.length)))
  })
}

const all = Array.from({ length: 2_500 }, (_, at) => at + 1)
const sorted = (ids: readonly number[]) => ids.toSorted((one, two) => one - two)
const submissions = () => exporter.requests.filter((request) => request.startsWith('POST /jobs'))

describe('a backfill of many records', () => {
  it.each(['books', 'papers'] as const)('reads %s by a job of the provider, each record once', async (objectName) => {
    const installed = await install(objectName)
    expect((await ended(installed)).result).toBe(`[${objectName}] 2500 records read`)
    expect(sorted(await delivered(installed, 2_500))).toEqual(all)
    expect(submissions()).toHaveLength(1)
    expect(exporter.requests.filter((request) => request.startsWith(`GET /${objectName}`))).toHaveLength(1)
  })

  it('has a window, too. A triggered read uses the list', async () => {
    const installed = await install('books', { days: 30 })
    await ended(installed)
    expect(submissions()).toHaveLength(1)
    const body = { groupRef: installed.groupRef, mode: 'async' }
    await made('POST', `//read/v1${base}/integrations/${installed.name}/objects/books`, body)
    expect((await ended(installed)).result).toBe('[books] 2500 records read')
    expect(submissions()).toHaveLength(1)
  })

  it('says in its log why it used the list instead', async () => {
    exporter.order(/^GET .jobs/, {
      headers: { 'content-type': 'application/json' },
      body: '{"state":"failed","message":"Too much"}',
    })
    const installed = await install('books')
    const { id, result } = await ended(installed)
    expect(result).toBe('[books] 2500 records read')
    const { body } = await app.call<{ results: { severity: string; message: { msg: string } }[] }>(
      'GET',
      `${base}/operations/${id}/logs`,
    )
    expect(JSON.stringify(body)).toContain('The provider says: Too much Mortise reads the list instead.')
  })
})

describe('a worker that dies', () => {
  it.each([
    ['while it submits the job', /^POST/, 2],
    ['while it polls', /^GET .jobs.job\d+$/, 1],
    ['while it downloads a later part', /rows\?from=1000/, 1],
  ])('%s: another one goes on', async (_, fits, jobs) => {
    const held = exporter.hold(fits)
    const installed = await install('books')
    await polling(installed, fits)
    const { drop } = await held
    await die(installed)
    drop()
    expect((await ended(installed)).status).toBe('success')
    expect(sorted(await delivered(installed, 2_500))).toEqual(all)
    expect(submissions()).toHaveLength(jobs)
  })
})

it('a result that cannot be read is no success: it is requested again', async () => {
  exporter.order(/rows$/, {
    headers: { 'content-type': 'text/html' },
    body: '<!doctype html>\n<title>Maintenance</title>',
  })
  const installed = await install('books')
  const { status, id } = await ended(installed)
  expect(status).toBe('success')
  expect(sorted(await delivered(installed, 2_500))).toEqual(all)
  const { body } = await app.call('GET', `${base}/operations/${id}/logs`)
  expect(JSON.stringify(body)).toContain('The result of the provider’s job cannot be read')
  expect(submissions()).toHaveLength(1)
})

describe('a job that nobody needs any more is aborted', () => {
  it.each<[string, (installed: Installed) => Promise<unknown>]>([
    [
      'after the installation is deleted',
      ({ name, id }) => made('DELETE', `${base}/integrations/${name}/installations/${id}`),
    ],
    ['after a deploy removes the object', ({ name }) => deploy(name, 'books', {}, 'true')],
  ])('%s', async (_, change) => {
    exporter.isDone = false
    const installed = await install('papers')
    const polled = await polling(installed, /^GET .jobs.job\d+$/)
    await change(installed)
    await until(() => exporter.requests.includes(polled.replace('GET', 'DELETE')))
  })
})

/** Makes the run due until a request that fits arrives, and returns it. */
function polling(installed: Installed, fits: RegExp): Promise<string> {
  return until(async () => {
    await poll(installed)
    return exporter.requests.find((request) => fits.test(request))
  })
}
