import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type SampleCrm, startSampleCrm } from '@mortise-examples/sample-crm'
import { startWebhookReceiver, type WebhookReceiver } from '@mortise-examples/webhook-receiver'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { endAll, freePort, type MortiseEnded, type MortiseProcess, startMortise } from './mortise-process.testkit.ts'
import { startSlowBackfill } from './slow-backfill.testkit.ts'

/** Several processes of one service: what a process that is killed was doing, the others or its successor finish. */

const contacts = 6_000
const providersDir = ['../examples/sample-crm/providers', '../bench/providers']
  .map((folder) => fileURLToPath(new URL(folder, import.meta.url)))
  .join(':')
let dataDir: string
let crm: SampleCrm
let receiver: WebhookReceiver
let env: Record<string, string>

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'mortise-processes-'))
  crm = await startSampleCrm({ contacts, rateLimit: 0 })
  receiver = await startWebhookReceiver()
  env = {
    MORTISE_DATA_DIR: dataDir,
    MORTISE_PROVIDERS_DIR: providersDir,
    MORTISE_PROCESSES: '3',
    PORT: String(await freePort()),
  }
})
afterEach(endAll)
afterAll(async () => {
  await Promise.all([crm.close(), receiver.close()])
  await rm(dataDir, { recursive: true, force: true })
})

const apiKey = async () => (await readFile(join(dataDir, 'api-key'), 'utf8')).trim()
const start = (more: Record<string, string> = {}) => startMortise({ ...env, ...more }, { apiKey })

/** Returns the process ids of the children of a process that run the service, in the order of their start. */
async function processesOf({ child }: MortiseProcess): Promise<number[]> {
  const found: number[] = []
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue
    const [status, command] = await Promise.all(
      ['status', 'cmdline'].map((file) => readFile(`/proc/${name}/${file}`, 'utf8').catch(() => '')),
    )
    if (status?.includes(`PPid:\t${child.pid}\n`) && command?.includes('main.ts')) found.push(Number(name))
  }
  return found.toSorted((a, b) => a - b)
}

const allRun = async (mortise: MortiseProcess) => {
  await expect.poll(async () => (await metricsOf(mortise)).size, { timeout: 180_000 }).toBe(3)
}

/** Returns the numbers of the processes that the metrics have. */
async function metricsOf(mortise: MortiseProcess): Promise<Set<string>> {
  const answer = await fetch(`${mortise.url}/metrics`).catch(() => undefined)
  const text = (await answer?.text()) ?? ''
  return new Set(
    [...text.matchAll(/^process_start_time_seconds\{process="(\d+)"\}/gm)].map(([, number = '']) => number),
  )
}

it('a backfill whose processes are killed delivers every record, and proxied calls go on', async () => {
  const mortise = await start({ MORTISE_RATE_LIMIT: '0' })
  await allRun(mortise)
  const { recordsProcessed } = await startSlowBackfill(mortise, crm, receiver)
  const calls = await startCalls(mortise)
  for (const [share, which] of [
    [0.15, 0],
    [0.3, 1],
    [0.5, 2],
    [0.7, 0],
  ] as const) {
    await receiver.waitFor(({ distinctRecords }) => distinctRecords >= contacts * share, 90_000)
    const processes = await processesOf(mortise)
    const killed = processes[which % processes.length]
    if (killed !== undefined) process.kill(killed, 'SIGKILL')
    await expect.poll(async () => (await processesOf(mortise)).length, { timeout: 180_000 }).toBe(3)
  }
  const { distinctRecords, refused } = await receiver.waitFor(
    (counters) => counters.distinctRecords === contacts,
    120_000,
  )
  expect({ distinctRecords, refused }).toEqual({ distinctRecords: contacts, refused: 0 })
  expect(await recordsProcessed(mortise)).toBe(contacts)
  const { answered, answers } = await calls.end()
  // Only calls of a killed process break, and none gets another answer than the provider's.
  expect(answers).toEqual(['200 {"things":[]}'])
  expect(answered).toBeGreaterThan(100)
  expect(mortise.output().match(/a process of the service ended; starting it again/g)).toHaveLength(4)
  await allRun(mortise)
  expect(await mortise.end('SIGTERM')).toBe(0)
  expect(await processesOf(mortise)).toEqual([])
}, 600_000)

it('a connection that a process had not accepted when it was killed is closed, and its client not left waiting', async () => {
  const mortise = await start()
  await allRun(mortise)
  const [stopped = 0] = await processesOf(mortise)
  process.kill(stopped, 'SIGSTOP')
  const headers = { connection: 'close' }
  const calls = Array.from({ length: 6 }, () =>
    // One address: each has its own turns.
    fetch(`${mortise.url.replace('localhost', '127.0.0.1')}/healthz`, { headers }).then(
      ({ status }) => String(status),
      () => 'closed',
    ),
  )
  let answered = 0
  for (const call of calls) void call.then(() => answered++)
  await expect.poll(() => answered).toBe(5)
  process.kill(stopped, 'SIGKILL')
  expect((await Promise.all(calls)).toSorted()).toEqual([...Array(5).fill('200'), 'closed'])
  expect(await mortise.end('SIGTERM')).toBe(0)
})

it('all processes share the rate of a credential', async () => {
  const limit = 20
  const mortise = await start({ MORTISE_RATE_LIMIT: String(limit) })
  await allRun(mortise)
  const headers = { 'X-Api-Key': await apiKey(), connection: 'close' }
  const ask = async () => (await fetch(`${mortise.url}/v1/projects/default`, { headers })).status
  // Connections of their own reach the processes in turn. Three processes with a limit each would grant 60 a second.
  for (let round = 0; round < 4; round++) {
    const begun = performance.now()
    const statuses: number[] = []
    while (performance.now() < begun + 1_000 || !statuses.includes(429))
      statuses.push(...(await Promise.all(Array.from({ length: 6 }, ask))))
    // A window may have begun before the loop, and the last one may not have ended.
    const seconds = (performance.now() - begun) / 1_000 + 1
    expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(limit * seconds * 1.25)
  }
  expect(await mortise.end('SIGTERM')).toBe(0)
})

it('a process that cannot start ends the service with its message', async () => {
  const mortise = await start()
  const second = await start({ MORTISE_DATA_DIR: join(dataDir, 'second') }).catch((error: MortiseEnded) => error)
  expect(second).toMatchObject({ code: 1, message: expect.stringContaining('is in use by another program') })
  expect(await mortise.end('SIGINT')).toBe(0)
})

it('the processes and the database end with a supervisor that is killed', async () => {
  const mortise = await start()
  await allRun(mortise)
  const processes = await processesOf(mortise)
  await mortise.end('SIGKILL')
  await expect.poll(() => processes.filter(isAlive)).toEqual([])
  const again = await start()
  expect(await again.call('GET', '/readyz')).toMatchObject({ status: 200 })
  expect(await again.end('SIGTERM')).toBe(0)
})

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** Calls a provider through the proxy, one call after the other, and again if its process was killed. */
async function startCalls(mortise: MortiseProcess) {
  const provider = createServer((_, response) => response.end('{"things":[]}')).listen(0, '127.0.0.1')
  await once(provider, 'listening')
  const headers = await installProxied(mortise, `http://127.0.0.1:${(provider.address() as AddressInfo).port}`)
  let isRunning = true
  let answered = 0
  const answers = new Set<string>()
  const loop = (async () => {
    while (isRunning) {
      const answer = await fetch(`${mortise.url}/proxy/things`, { headers })
        .then(async (response) => `${response.status} ${await response.text()}`)
        .catch(() => undefined)
      if (answer === undefined) continue
      answers.add(answer)
      answered++
    }
  })()
  return {
    async end() {
      isRunning = false
      await loop
      provider.closeAllConnections()
      provider.close()
      return { answered, answers: [...answers] }
    },
  }
}

/** Connects a customer to a provider that is only called. Returns the headers of a call. */
async function installProxied(mortise: MortiseProcess, url: string): Promise<Record<string, string>> {
  const call = async (method: string, path: string, body: object) => {
    const answer = await mortise.call<{ id: string }>(method, `/v1/projects/default${path}`, body)
    expect(answer.status).toBeLessThan(300)
    return answer.body.id
  }
  const sourceYaml =
    'specVersion: 1.0.0\nintegrations:\n  - { name: called, provider: benchCrm, proxy: { enabled: true } }\n'
  await call('PUT', '/integrations:batch?destructive=false', { sourceYaml })
  const customer = { groupRef: 'called', consumerRef: 'called' }
  const account = { ...customer, provider: 'benchCrm', apiKey: 'k', providerMetadata: { url, pages: '1' } }
  const connectionId = await call('POST', '/connections:generate', account)
  const config = { content: { provider: 'benchCrm', proxy: { enabled: true } } }
  const installationId = await call('POST', '/integrations/called/installations', {
    groupRef: 'called',
    connectionId,
    config,
  })
  return {
    'x-api-key': await apiKey(),
    'x-mortise-proxy-version': '1',
    'x-mortise-project-id': 'default',
    'x-mortise-installation-id': installationId,
  }
}
