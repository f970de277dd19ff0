import { startWebhookReceiver, type WebhookReceiver } from '@mortise-examples/webhook-receiver'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { publishDue } from '../../../../kernel/work/index.ts'
import { startTestApp, type TestApp } from '../../../../testkit/test-app.ts'
import { rarely } from '../reading.testkit.ts'
import { storedRunsLoop } from '../stored-runs-loop.ts'
import { startWarehouse, type Warehouse } from './warehouse.testkit.ts'

/** A read of a query that takes long frees its worker, and continues with the result of the same query. */

const base = '/projects/default'
/** A name as those of tables of warehouses. */
const objectName = 'rows?id=id'
let warehouse: Warehouse
let receiver: WebhookReceiver
let app: TestApp
let count = 0

beforeAll(async () => {
  warehouse = await startWarehouse()
  receiver = await startWebhookReceiver({ storeBodies: true })
  app = await startTestApp({ env: { MORTISE_PROVIDERS_DIR: warehouse.folder } })
  await made('POST', `${base}/destinations`, { name: 'hook', type: 'webhook', metadata: { url: receiver.url } })
})
afterAll(async () => {
  await app?.stop()
  await Promise.all([warehouse?.close(), receiver?.close()])
})

beforeEach(() => {
  Object.assign(warehouse, { isDone: true, goneTimes: 0, failing: undefined })
})

async function made(method: string, path: string, body?: object) {
  const answer = await app.call<{ id: string }>(method, path, body)
  if (answer.status > 299) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`)
  return answer.body
}

interface Installed {
  id: string
  name: string
  connectionId: string
}

const content = { provider: 'warehouse', read: { objects: { [objectName]: { objectName } } } }

async function install(): Promise<Installed> {
  warehouse.requests.length = 0
  const name = `warehouse${++count}`
  const object = { objectName, destination: 'hook', schedule: rarely, requiredFields: [{ fieldName: 'title' }] }
  const more = { backfill: { defaultPeriod: { fullHistory: true } }, deletions: { schedule: '0 3 * * *' } }
  const integrations = [{ name, provider: 'warehouse', read: { objects: [{ ...object, ...more }] } }]
  const sourceYaml = JSON.stringify({ specVersion: '1.0.0', integrations })
  await made('PUT', `${base}/integrations:batch`, { sourceYaml })
  const account = { provider: 'warehouse', apiKey: 'any', providerMetadata: { url: warehouse.url } }
  const connected = { groupRef: name, consumerRef: name, ...account }
  const connectionId = (await made('POST', `${base}/connections:generate`, connected)).id
  const path = `${base}/integrations/${name}/installations?skipSampling=true`
  return { name, connectionId, id: (await made('POST', path, { groupRef: name, config: { content } })).id }
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

/** Seconds until the run of an installation is due, once no worker has it. */
async function waitOf({ id }: Installed): Promise<number> {
  return until(async () => {
    const { rows } = await sql<{ seconds: number }>`
      select extract(epoch from next_attempt_at - now())::float as seconds from read_runs
       where installation_id = ${id} and lease_until is null and page is not null`.execute(app.db.sql)
    return rows[0]?.seconds
  })
}

/** Makes a run or a check due now, in place of the time that the provider asked for. */
async function poll({ id }: Installed): Promise<void> {
  await sql`update read_runs set next_attempt_at = now() where installation_id = ${id} and lease_until is null`.execute(
    app.db.sql,
  )
  await sql`update deletion_checks set next_check_at = now()
             where installation_id = ${id} and fence is null and phase is not null`.execute(app.db.sql)
  for (const loop of [storedRunsLoop, 'reading.deletions'])
    await publishDue({ sql: app.testDatabase.database.system }, loop)
}

async function trigger({ name }: Installed, what: object): Promise<void> {
  const path = `//read/v1${base}/integrations/${name}/objects/${encodeURIComponent(objectName)}`
  await made('POST', path, { groupRef: name, mode: 'async', ...what })
}

const check = (installed: Installed) => trigger(installed, { deletions: true })

async function ended(installed: Installed): Promise<{ status: string; result: string }> {
  return until(async () => {
    const path = `${base}/integrations/${installed.name}/installations/${installed.id}/operations`
    const { results } = (await app.call<{ results: { status: string; result: string }[] }>('GET', path)).body
    if (results[0]?.status === 'in_progress') await poll(installed)
    return results[0]?.status !== 'in_progress' && results[0]
  })
}

/** Lines of the log of the newest operation. */
async function logOf({ id, name }: Installed): Promise<string[]> {
  const path = `${base}/integrations/${name}/installations/${id}/operations`
  const { results } = (await app.call<{ results: { id: string }[] }>('GET', path)).body
  const logs = `${base}/operations/${results[0]?.id}/logs?severity=DEBUG`
  const { body } = await app.call<{ message: { msg: string } }[]>('GET', logs)
  return body.map(({ message }) => message.msg)
}

async function titlesOf({ id }: Installed): Promise<Set<string>> {
  const all = receiver.bodies as { installationId: string; result: { fields: { title: string } }[] }[]
  return until(() => {
    const own = all.filter(({ installationId }) => installationId === id).flatMap(({ result }) => result)
    const titles = new Set(own.map(({ fields }) => fields.title))
    return titles.size === 3 && titles
  })
}

const titles = new Set(['Title 1', 'Title 2', 'Title 3'])
const submitted = () => warehouse.requests.filter((request) => request.startsWith('POST'))

it('the read waits as long as the provider asks, and then asks for the result of the same query', async () => {
  warehouse.isDone = false
  const installed = await install()
  expect(await waitOf(installed)).toBeGreaterThan(3000)
  expect(warehouse.requests).toEqual(['POST /queries'])
  warehouse.isDone = true
  expect(await ended(installed)).toMatchObject({ status: 'success', result: `[${objectName}] 3 records read` })
  expect(await titlesOf(installed)).toEqual(titles)
  expect(warehouse.requests).toEqual(['POST /queries', 'GET /queries/q1', 'GET /queries/q1?part=1'])
})

it('a result that the provider has deleted is no end of the list: the query runs again', async () => {
  warehouse.goneTimes = 1
  const installed = await install()
  expect((await ended(installed)).status).toBe('success')
  expect(await titlesOf(installed)).toEqual(titles)
  expect(submitted()).toHaveLength(2)
})

describe('a read that would begin again without end fails with the words of the provider', () => {
  const message = 'expired early'
  const gone = `The provider does not have the result of the query any more. ${message}`

  it('if the result is gone before it is there', async () => {
    warehouse.failing = { request: 'GET /queries/q1', status: 404, message }
    const installed = await install()
    expect(await ended(installed)).toMatchObject({
      status: 'failure',
      result: `[${objectName}] Error reading from provider: ${gone}`,
    })
    expect(submitted()).toHaveLength(7)
  })

  it('if the result is gone after the first records', async () => {
    warehouse.failing = { request: 'GET /queries/q1?part=1', status: 404, message }
    const installed = await install()
    expect(await ended(installed)).toMatchObject({ status: 'failure' })
    expect(submitted()).toHaveLength(7)
  })

  it.each([['GET /queries/q1'], ['GET /queries/q1?part=1']])(
    'also a check for deleted records: %s',
    async (request) => {
      const installed = await install()
      await ended(installed)
      for (const times of [1, 2]) {
        warehouse.requests.length = 0
        warehouse.failing = { request, status: 404, message }
        await check(installed)
        expect(await ended(installed), `check ${times}`).toMatchObject({ status: 'failure' })
        expect(submitted(), `check ${times}`).toHaveLength(7)
      }
      warehouse.failing = undefined
      await check(installed)
      expect(await ended(installed)).toMatchObject({ status: 'success' })
    },
  )
})

it('a backfill whose query fails starts another one later, and not with the result of the failed one', async () => {
  warehouse.failing = { request: 'GET /queries/q1', status: 422, message: 'the view has no column x' }
  const installed = await install()
  const { status, result } = await ended(installed)
  expect(status).toBe('failure')
  expect(result).toContain('The query has failed: The provider answered with status 422')
  expect(result).toContain('the view has no column x')
  expect(submitted()).toHaveLength(7)
  warehouse.failing = undefined
  warehouse.requests.length = 0
  await trigger(installed, { backfill: true })
  expect(await ended(installed)).toMatchObject({ status: 'success', result: `[${objectName}] 3 records read` })
  expect(warehouse.requests).toEqual(['POST /queries', 'GET /queries/q1', 'GET /queries/q1?part=1'])
})

it('an answer that only says to wait does not reset the count of failures', async () => {
  warehouse.isDone = false
  const installed = await install()
  await waitOf(installed)
  const attempts = async () => {
    const { rows } = await sql<{ attempt: number; first_error_at: Date | null }>`
      select attempt, first_error_at from read_runs
       where installation_id = ${installed.id} and lease_until is null`.execute(app.db.sql)
    return rows[0]
  }
  warehouse.failing = { request: 'GET /queries/q1', status: 503 }
  await poll(installed)
  await until(async () => (await attempts())?.attempt === 1)
  warehouse.failing = undefined
  await poll(installed)
  expect(await until(async () => (await waitOf(installed)) > 3000 && attempts())).toEqual({
    attempt: 1,
    first_error_at: null,
  })
})

it('nor does it reset that of a check for deleted records', async () => {
  const installed = await install()
  await ended(installed)
  const stateOf = async () => {
    const { rows } = await sql<{ attempt: number; seconds: number }>`
      select attempt, extract(epoch from next_check_at - now())::float as seconds from deletion_checks
       where installation_id = ${installed.id} and fence is null and page is not null`.execute(app.db.sql)
    return rows[0]
  }
  warehouse.isDone = false
  await check(installed)
  await until(stateOf)
  warehouse.failing = { request: 'GET /queries/q1', status: 503 }
  await poll(installed)
  await until(async () => (await stateOf())?.attempt === 1)
  warehouse.failing = undefined
  await poll(installed)
  const waits = async () => {
    const state = await stateOf()
    return state && state.seconds > 3000 && state
  }
  expect(await until(waits)).toMatchObject({ attempt: 1 })
})

it('a check for deleted records waits, too, and lists the ids of the same query', async () => {
  const installed = await install()
  await ended(installed)
  warehouse.requests.length = 0
  warehouse.isDone = false
  await check(installed)
  const waits = await until(async () => {
    const { rows } = await sql<{ seconds: number }>`
      select extract(epoch from next_check_at - now())::float as seconds from deletion_checks
       where installation_id = ${installed.id} and fence is null and page is not null`.execute(app.db.sql)
    return rows[0]?.seconds
  })
  expect(waits).toBeGreaterThan(3000)
  expect(waits).toBeLessThan(3700)
  warehouse.isDone = true
  expect(await ended(installed)).toMatchObject({
    status: 'success',
    result: `[${objectName}] No deleted records found`,
  })
  expect((await logOf(installed)).filter((line) => line.includes('listed'))).toEqual(['3 ids listed'])
  expect(warehouse.requests).toEqual(['POST /queries', 'GET /queries/q1', 'GET /queries/q1?part=1'])
})

it('a preview does not take a result that is not there for an account without records', async () => {
  warehouse.isDone = true
  const { name, connectionId } = await install()
  warehouse.isDone = false
  const body = { connectionId, objectName, content }
  const answer = await app.call('POST', `${base}/integrations/${name}:preview`, body)
  expect(answer.status).toBe(502)
  expect(answer.body).toMatchObject({ detail: expect.stringContaining('not there yet') as string })
})
