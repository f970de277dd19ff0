import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type SampleCrm, startSampleCrm } from '@mortise-examples/sample-crm'
import { startWebhookReceiver, type WebhookReceiver } from '@mortise-examples/webhook-receiver'
import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type EmbeddedPostgres, startEmbedded } from '../packages/server/src/kernel/db/embedded/start-embedded.ts'
import { provision } from '../packages/server/src/kernel/db/provision.ts'
import { type NetworkLink, startNetworkLink } from '../packages/server/src/testkit/network-link.ts'
import { endAll, freePort, type MortiseProcess, startMortise } from './mortise-process.testkit.ts'

/**
 * What an answer promises holds while processes are killed, the database goes away, and nodes are replaced: of each
 * request that was answered, what it made is there, and is told of. Connections are made all the while; each is told of
 * by an event.
 */

/** How often a fault comes in each test. */
const faults = Number(process.env['MORTISE_TEST_KILLS'] ?? 3)
/** So much is accepted between one fault and the next. */
const acceptedBetween = 20
const lanes = 6
/** Of the goals. */
const drainMostMs = 20_000

const providersDir = fileURLToPath(new URL('../examples/sample-crm/providers', import.meta.url))
const project = '/v1/projects/default'
const mostMs = 120_000 + faults * 60_000

let folder: string
let postgres: EmbeddedPostgres
let crm: SampleCrm
let receiver: WebhookReceiver
let env: Record<string, string>
/** How often events told of a connection. */
const told = new Map<string, number>()

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mortise-faults-'))
  postgres = await startPostgres()
  await provision(postgres)
  crm = await startSampleCrm({ contacts: 1, rateLimit: 0 })
  receiver = await startWebhookReceiver({
    respond({ message }) {
      const { data } = message as { data: { connectionId: string } }
      told.set(data.connectionId, (told.get(data.connectionId) ?? 0) + 1)
      return { status: 204 }
    },
  })
  env = {
    DATABASE_URL: `postgres://mortise_owner@localhost:${postgres.port}/mortise?host=${encodeURIComponent(postgres.host)}`,
    MORTISE_DATA_DIR: join(folder, 'data'),
    MORTISE_PROVIDERS_DIR: providersDir,
    MORTISE_ALLOW_PRIVATE_NETWORK: 'loopback',
    MORTISE_RATE_LIMIT: '0',
    MORTISE_STOP_DELAY_SECONDS: '1',
    MORTISE_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
  }
  const mortise = await start(await freePort())
  await listen(mortise)
  await mortise.end('SIGTERM')
}, 360_000)
afterAll(async () => {
  await endAll()
  await Promise.all([crm?.close(), receiver?.close(), postgres?.stop()])
  await rm(folder, { recursive: true, force: true })
})

const startPostgres = () =>
  startEmbedded({
    homeDir: folder,
    systemDir: join(folder, 'system'),
    fsync: false,
    settings: { synchronous_commit: 'on' },
  })

const apiKey = async () => (await readFile(join(folder, 'data', 'api-key'), 'utf8')).trim()
const started: MortiseProcess[] = []
/** The last words of the process that was started last. */
const said = () => started.at(-1)?.output().slice(-4_000)
async function start(port: number, more: Record<string, string> = {}) {
  const mortise = await startMortise({ ...env, ...more, PORT: String(port) }, { apiKey })
  started.push(mortise)
  return mortise
}

async function listen(mortise: MortiseProcess) {
  const make = async (path: string, body: unknown) => {
    const { status, body: made } = await mortise.call<{ id: string }>('POST', `${project}/${path}`, body)
    if (status > 299) throw new Error(`${path}: ${status} ${JSON.stringify(made)}`)
    return made.id
  }
  const hook = { name: 'hook', type: 'webhook', metadata: { url: receiver.url } }
  const destinationId = await make('destinations', hook)
  const topicId = await make('topics', { name: 'connections' })
  await make('notification-event-topic-routes', { eventType: 'connection.created', topicId })
  await make('topic-destination-routes', { topicId, destinationId })
}

/** One request on a connection of its own; rejects when it was not answered. */
async function post(port: number, path: string, body: unknown): Promise<{ status: number; id: string }> {
  const headers = { 'Content-Type': 'application/json', 'X-Api-Key': await apiKey() }
  return new Promise((resolve, reject) => {
    const asked = request({ port, host: 'localhost', method: 'POST', path, headers, agent: false }, (answer) => {
      const chunks: Buffer[] = []
      answer.on('error', reject)
      answer.on('data', (chunk: Buffer) => chunks.push(chunk))
      answer.on('end', () => {
        const { id = '' } = JSON.parse(Buffer.concat(chunks).toString()) as { id?: string }
        resolve({ status: answer.statusCode ?? 0, id })
      })
    })
    asked.on('error', reject)
    asked.end(JSON.stringify(body))
  })
}

/** Asked before each request where there are several nodes, as a balancer does now and then. */
async function isReady(port: number): Promise<boolean> {
  try {
    return (await fetch(`http://localhost:${port}/readyz`)).status === 200
  } catch {
    return false
  }
}

interface Load {
  accepted: Set<string>
  /** Statuses of answers that were no success. */
  refused: number[]
  /** Codes of requests that were not answered. */
  cut: string[]
  /** Answers once so many more were accepted. */
  acceptedMore(count: number): Promise<void>
  end(): Promise<void>
}

let groups = 0

/** Makes connections on `ports` in turns until it ends. After a failure a lane waits until `mayAsk` answers. */
function startLoad(ports: number[], mayAsk: () => Promise<unknown> = async () => undefined): Load {
  const accepted = new Set<string>()
  const refused: number[] = []
  const cut: string[] = []
  let ended = false
  let turn = 0
  const lane = async () => {
    while (!ended) {
      const groupRef = `group-${groups++}`
      const account = { provider: 'sampleCrm', apiKey: crm.apiKey, providerMetadata: { url: crm.url } }
      const port = ports[turn++ % ports.length] ?? 0
      try {
        if (ports.length > 1 && !(await isReady(port))) continue
        const { status, id } = await post(port, `${project}/connections:generate`, {
          groupRef,
          consumerRef: groupRef,
          ...account,
        })
        if (status === 201) {
          accepted.add(id)
          continue
        }
        refused.push(status)
      } catch (error) {
        const { code = String(error) } = error as { code?: string }
        cut.push(code)
      }
      await mayAsk()
    }
  }
  const running = Array.from({ length: lanes }, lane)
  return {
    accepted,
    refused,
    cut,
    async acceptedMore(count) {
      const wanted = accepted.size + count
      const asItWas = { refused: refused.length, cut: cut.length }
      try {
        await expect.poll(() => accepted.size, { timeout: 120_000 }).toBeGreaterThanOrEqual(wanted)
      } catch (error) {
        const since = `${refused.length - asItWas.refused} refused, ${cut.length - asItWas.cut} cut (${cut.at(-1)})`
        throw new Error(`no longer accepted: ${since}\n${said()}`, { cause: error })
      }
    },
    async end() {
      ended = true
      await Promise.all(running)
    },
  }
}

async function asSuperuser<T>(use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ host: postgres.host, port: postgres.port, user: 'postgres', database: 'mortise' })
  await client.connect()
  try {
    return await use(client)
  } finally {
    await client.end()
  }
}

/** What was accepted is there, and what is there was told of: nothing is half. */
async function expectNothingLost({ accepted }: Load) {
  const stored = await asSuperuser((client) => client.query<{ id: string }>('select id from mortise.connections'))
  const ids = stored.rows.map(({ id }) => id)
  expect([...accepted].filter((id) => !ids.includes(id))).toEqual([])
  await expect.poll(() => ids.filter((id) => !told.has(id)), { timeout: 60_000 }).toEqual([])
  expect([...told.keys()].filter((id) => !ids.includes(id))).toEqual([])
}

it(
  'what was answered is there after the process was killed, and was told of',
  async () => {
    const port = await freePort()
    let up = start(port)
    await up
    const load = startLoad([port], () => up)
    for (let killed = 0; killed < faults; killed++) {
      await load.acceptedMore(acceptedBetween)
      const ended = (await up).end('SIGKILL')
      up = ended.then(() => start(port))
      await up
    }
    await load.acceptedMore(acceptedBetween)
    await load.end()
    await expectNothingLost(load)
    expect(load.refused).toEqual([])
    await (await up).end('SIGTERM')
  },
  mostMs,
)

it(
  'while the database is away requests are refused, nothing ends, and all goes on when it is back',
  async () => {
    const port = await freePort()
    const mortise = await start(port)
    let back = Promise.resolve(postgres)
    const load = startLoad([port], () => back)
    for (let fault = 0; fault < faults; fault++) {
      await load.acceptedMore(acceptedBetween)
      let bringBack: (server: EmbeddedPostgres) => void = () => undefined
      back = new Promise((resolve) => {
        bringBack = resolve
      })
      // As a crash ends it: nothing is written, nobody is asked to leave.
      process.kill(postgres.pid, 'SIGQUIT')
      await postgres.exited
      await expect.poll(async () => (await fetch(`${mortise.url}/readyz`)).status).toBe(503)
      expect((await mortise.call('GET', `${project}/connections`)).status).toBe(503)
      postgres = await startPostgres()
      bringBack(postgres)
      await expect.poll(async () => (await fetch(`${mortise.url}/readyz`)).status).toBe(200)
    }
    await load.acceptedMore(acceptedBetween)
    await load.end()
    await expectNothingLost(load)
    expect(load.cut).toEqual([])
    expect(new Set(load.refused)).toEqual(new Set([503]))
    expect(mortise.child.exitCode).toBeNull()
    await mortise.end('SIGTERM')
  },
  mostMs,
)

it(
  'connections to the database that are cut again and again lose nothing',
  async () => {
    const port = await freePort()
    const mortise = await start(port)
    const load = startLoad([port])
    for (let fault = 0; fault < faults * 3; fault++) {
      await load.acceptedMore(acceptedBetween / 2)
      await asSuperuser((client) =>
        client.query(
          `select pg_terminate_backend(pid) from pg_stat_activity where datname = 'mortise' and pid <> pg_backend_pid()`,
        ),
      )
    }
    await load.acceptedMore(acceptedBetween)
    await load.end()
    await expectNothingLost(load)
    expect(load.cut).toEqual([])
    expect(load.refused.filter((status) => status !== 503)).toEqual([])
    expect(mortise.child.exitCode).toBeNull()
    await mortise.end('SIGTERM')
  },
  mostMs,
)

it(
  'while the network to the database is silent requests are refused, and all goes on when it carries again',
  async () => {
    const link: NetworkLink = await startNetworkLink(postgres)
    const port = await freePort()
    const mortise = await start(port, {
      DATABASE_URL: `postgres://mortise_owner@127.0.0.1:${link.port}/mortise`,
      MORTISE_DATABASE_SILENCE: '1s',
    })
    let carries = Promise.resolve()
    const load = startLoad([port], () => carries)
    for (let fault = 0; fault < faults; fault++) {
      await load.acceptedMore(acceptedBetween)
      let carryOn: () => void = () => undefined
      carries = new Promise((resolve) => {
        carryOn = resolve
      })
      // In turns all of it, and only the connections that there are: then new ones take over.
      link.silence(fault % 2 === 0 ? 'everything' : 'forgotten')
      if (fault % 2 === 0) {
        await expect.poll(async () => (await fetch(`${mortise.url}/readyz`)).status, { timeout: 30_000 }).toBe(503)
        expect((await mortise.call('GET', `${project}/connections`)).status).toBe(503)
        link.resume()
      }
      await expect.poll(async () => (await fetch(`${mortise.url}/readyz`)).status, { timeout: 30_000 }).toBe(200)
      carryOn()
      await load.acceptedMore(acceptedBetween)
      // What was written into the silence arrives now.
      link.resume()
    }
    await load.acceptedMore(acceptedBetween)
    await load.end()
    await expectNothingLost(load)
    expect(load.cut).toEqual([])
    expect(load.refused.filter((status) => status !== 503)).toEqual([])
    expect(mortise.child.exitCode).toBeNull()
    await mortise.end('SIGTERM')
    await link.close()
  },
  mostMs,
)

it(
  'nodes that are replaced one after the other fail no request and repeat no message',
  async () => {
    const ports = [await freePort(), await freePort()]
    const nodes = [await start(ports[0]!), await start(ports[1]!)]
    const load = startLoad(ports)
    for (let replaced = 0; replaced < faults; replaced++) {
      await load.acceptedMore(acceptedBetween)
      const at = replaced % 2
      const began = performance.now()
      expect(await nodes[at]!.end('SIGTERM')).toBe(0)
      expect(performance.now() - began).toBeLessThan(drainMostMs)
      nodes[at] = await start(ports[at]!)
    }
    await load.acceptedMore(acceptedBetween)
    await load.end()
    await expectNothingLost(load)
    expect({ refused: load.refused, cut: load.cut }).toEqual({ refused: [], cut: [] })
    for (const node of nodes) await node.end('SIGTERM')
    // Only its own messages: what the faults before cut short is told again, as it must be, whenever that is due.
    expect([...load.accepted].filter((id) => told.get(id) !== 1)).toEqual([])
  },
  mostMs,
)
