import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { serviceEnvironment, serviceFlags } from '../scripts/service-flags.mjs'
import { type Benchmark, runAlone } from './benchmark.ts'
import { median, rounded } from './measure/statistics.ts'
import type { Load, Loaded } from './rig/load.ts'
import { type Part, startPart } from './rig/part.ts'
import { serviceDatabase } from './rig/postgres.ts'
import { installProxied } from './rig/proxied-integration.ts'
import type { Service } from './rig/service.ts'
import { serviceProgram } from './rig/service-program.ts'
import { fullOrShort } from './rig/short.ts'
import { temporaryFolder } from './rig/temporary-folder.ts'

const connections = 64
const roundMs = fullOrShort(1_500, 200)
const rounds = fullOrShort(10, 1)
const warmUps = fullOrShort(8, 1)
const ports = { one: '4181', two: '4182', three: '4183' }
const furtherMbMax = 120

/**
 * The same requests through the proxy of a service of one process and of a service of two, in turns. A service can
 * answer as many requests as its busiest process can, so the result is the processor time of a request in the one
 * process, divided by the processor time for each request of the service in the busiest of its processes.
 */
export const processes: Benchmark = {
  name: 'processes',
  measures:
    'proxied requests that two processes can answer ÷ one process, by the processor time of the busiest process',
  goal: { least: 1.6 },
  async run(say) {
    await using folder = await temporaryFolder()
    await using provider = await startPart('./proxied-provider.ts')
    const providerUrl = await provider.ask<string>('url')
    await using load = await startPart('./load.ts')
    await using one = await startNode(join(folder.path, 'one'), ports.one, 1, providerUrl)
    await using two = await startNode(join(folder.path, 'two'), ports.two, 2, providerUrl)
    const sides = { one, two }
    const cost = { one: [] as number[], two: [] as number[] }
    const shares: number[] = []
    const supervisorUs: number[] = []
    for (let round = 0; round < warmUps + rounds; round++) {
      for (const side of round % 2 === 0 ? (['one', 'two'] as const) : (['two', 'one'] as const)) {
        const used = await roundOf(load, sides[side])
        if (round < warmUps) continue
        cost[side].push(Math.max(...used.workersUs))
        if (side === 'one') continue
        shares.push(Math.min(...used.workersUs) / Math.max(...used.workersUs))
        supervisorUs.push(used.supervisorUs)
      }
    }
    const ratio = median(cost.one) / median(cost.two)
    say(
      `one process: ${median(cost.one).toFixed(0)} µs for each request; the busiest of two: ${median(cost.two).toFixed(0)} µs`,
    )
    await using three = await startNode(join(folder.path, 'three'), ports.three, 3, providerUrl)
    const furtherMb = await furtherProcessMb(three)
    say(`a further process takes ${furtherMb.toFixed(0)} MB (goal ≤ ${furtherMbMax} MB)`)
    return {
      value: rounded(ratio),
      holds: furtherMb <= furtherMbMax,
      details: {
        rounds,
        busiestUs: { one: rounded(median(cost.one), 1), two: rounded(median(cost.two), 1) },
        leastBusyShare: rounded(median(shares)),
        supervisorUs: rounded(median(supervisorUs), 1),
        furtherMb: rounded(furtherMb, 1),
        furtherMbMax,
      },
    }
  },
}

interface Node extends AsyncDisposable {
  url: string
  headers: Record<string, string>
  /** The supervisor, or the only process. */
  pid: number
  /** Processes that answer requests. */
  workers: number[]
}

/** Starts a service of some processes, with an integration that may be proxied. */
async function startNode(dataDir: string, port: string, count: number, providerUrl: string): Promise<Node> {
  const apiKey = `mortise_bench_${randomBytes(16).toString('hex')}`
  const database = await serviceDatabase(dataDir, {})
  const env = {
    ...serviceEnvironment,
    ...process.env,
    PORT: port,
    MORTISE_DATA_DIR: join(dataDir, 'mortise'),
    MORTISE_BOOTSTRAP_API_KEY: apiKey,
    MORTISE_PROVIDERS_DIR: fileURLToPath(new URL('./providers', import.meta.url)),
    MORTISE_PROCESSES: String(count),
    // Not reached: what a permit costs belongs to the connection, not to the number of processes.
    MORTISE_PROXY_CONCURRENCY: '512',
    // Counted as always, but never reached.
    MORTISE_RATE_LIMIT: '1000000',
    MORTISE_ADDRESS_RATE_LIMIT: '1000000',
    MORTISE_LOG_LEVEL: 'warn',
    ...database.env,
  }
  const flags = [...serviceFlags, '--disable-warning=ExperimentalWarning', '--conditions=mortise-source']
  const args = [...flags, await serviceProgram()]
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'inherit'] })
  const ended = once(child, 'exit')
  const url = `http://127.0.0.1:${port}`
  const pid = child.pid ?? 0
  while (!(await areReady(url, count))) {
    if (child.exitCode !== null) throw new Error(`the service ended with ${child.exitCode} before it was ready`)
  }
  return {
    url,
    pid,
    workers: count === 1 ? [pid] : await workersOf(pid),
    headers: await installProxied({ apiKey, call: callerOf(url, apiKey) }, providerUrl),
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM')
      await ended
      await database.stop()
    },
  }
}

/** Returns a function that calls endpoints below the project. @throws when the answer is not 2xx */
function callerOf(url: string, apiKey: string): Service['call'] {
  return async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const answer = await fetch(`${url}/v1/projects/default${path}`, {
      method,
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
    return (await answer.json()) as T
  }
}

async function areReady(url: string, count: number): Promise<boolean> {
  const answer = await fetch(`${url}/metrics`).catch(() => undefined)
  const text = (await answer?.text()) ?? ''
  return (text.match(/^process_start_time_seconds/gm) ?? []).length === count
}

/** Returns the children of a process that run the service, not PostgreSQL. */
async function workersOf(pid: number): Promise<number[]> {
  const found: number[] = []
  for (const name of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const status = await readFile(`/proc/${name}/status`, 'utf8').catch(() => '')
    const command = await readFile(`/proc/${name}/cmdline`, 'utf8').catch(() => '')
    if (status.includes(`PPid:\t${pid}\n`) && command.includes('main.js')) found.push(Number(name))
  }
  return found
}

/** Microseconds of processor time for each request of the service, in each of its processes. */
async function roundOf(load: Part, { url, headers, workers, pid }: Node) {
  const ticksOf = () => Promise.all([...workers, pid].map(processorTicks))
  const before = await ticksOf()
  const { requests } = await load.ask<Loaded>('run', {
    url: `${url}/proxy/things`,
    headers,
    connections,
    ms: roundMs,
  } satisfies Load)
  const after = await ticksOf()
  const us = after.map((ticks, index) => ((ticks - (before[index] ?? 0)) * 10_000) / requests)
  return { workersUs: us.slice(0, -1), supervisorUs: us.at(-1) ?? 0 }
}

/** Processor time of all threads so far, in the ticks of Linux of 10 ms. */
async function processorTicks(pid: number): Promise<number> {
  const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')[1]?.split(' ') ?? []
  return Number(fields[11]) + Number(fields[12])
}

/**
 * Memory that a further process takes: its proportional set size, which divides pages that processes share, such as the
 * program of Node, by the number of those processes. The middle of three processes, idle after their start.
 */
async function furtherProcessMb({ workers }: Node): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, 10_000))
  const sizes = await Promise.all(
    workers.map(async (pid) => {
      const rollup = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8')
      return Number(/^Pss:\s+(\d+) kB$/m.exec(rollup)?.[1]) / 1024
    }),
  )
  return median(sizes)
}

if (import.meta.main) process.exitCode = (await runAlone(processes)) ? 0 : 1
