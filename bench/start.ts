import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'
import { setTimeout as delay } from 'node:timers/promises'
import { serviceEnvironment, serviceFlags } from '../scripts/service-flags.mjs'
import { type Benchmark, runAlone } from './benchmark.ts'
import { median, rounded } from './measure/statistics.ts'
import { serviceDatabase } from './rig/postgres.ts'
import { serviceProgram } from './rig/service-program.ts'
import { fullOrShort } from './rig/short.ts'
import { temporaryFolder } from './rig/temporary-folder.ts'

const rounds = fullOrShort(9, 1)
const readyMsMax = 1_000
const idleSeconds = fullOrShort(10, 1)
const residentMbMax = 150
const pollMs = 5
const port = '4179'

/**
 * The service as `npm start` runs it, on data of an earlier start: the time until `/readyz` is 200, and the resident
 * memory of its process ten idle seconds later. PostgreSQL runs in its own processes. The embedded one starts with the
 * service, and counts for the time.
 */
export const start: Benchmark = {
  name: 'start',
  measures: 'from the start of the process until it is ready, on existing data',
  goal: { most: readyMsMax },
  unit: 'ms',
  async run(say) {
    await using folder = await temporaryFolder()
    const database = await serviceDatabase(folder.path, {})
    const env = {
      ...serviceEnvironment,
      ...process.env,
      PORT: port,
      MORTISE_DATA_DIR: join(folder.path, 'mortise'),
      NODE_COMPILE_CACHE: join(folder.path, 'code'),
      MORTISE_LOG_LEVEL: 'warn',
      MORTISE_PROCESSES: '1',
      ...database.env,
    }
    const program = await serviceProgram()
    try {
      const firstMs = (await started(program, env)).readyMs
      // The first start compiles the catalog in a thread; the second one compiles code that only later starts load.
      await started(program, env)
      say(`the first start, on an empty folder: ${firstMs.toFixed(0)} ms`)
      const times: number[] = []
      const cpuMs: number[] = []
      const resident: number[] = []
      for (let round = 0; round < rounds; round++) {
        const isLast = round >= rounds - 3
        const one = await started(program, env, isLast ? idleSeconds : 0)
        times.push(one.readyMs)
        cpuMs.push(one.cpuMs)
        if (isLast) resident.push(one.residentMb)
      }
      const residentMb = rounded(median(resident), 1)
      say(`resident after ${idleSeconds} idle seconds: ${residentMb} MB (goal ≤ ${residentMbMax} MB)`)
      return {
        value: rounded(median(times), 0),
        holds: residentMb <= residentMbMax,
        details: {
          rounds,
          fastestMs: rounded(Math.min(...times), 0),
          slowestMs: rounded(Math.max(...times), 0),
          processorMs: rounded(median(cpuMs), 0),
          firstMs: rounded(firstMs, 0),
          residentMb,
          residentMbMax,
        },
      }
    } finally {
      await database.stop()
    }
  },
}

/** Starts the service, and ends it when it has been ready for some seconds. */
async function started(
  program: string,
  env: NodeJS.ProcessEnv,
  seconds = 0,
): Promise<{ readyMs: number; cpuMs: number; residentMb: number }> {
  const began = performance.now()
  const flags = [...serviceFlags, '--disable-warning=ExperimentalWarning', '--conditions=mortise-source']
  const child = spawn(process.execPath, [...flags, program], { env, stdio: ['ignore', 'ignore', 'inherit'] })
  const ended = once(child, 'exit')
  while (!(await isReady(child))) await delay(pollMs)
  const readyMs = performance.now() - began
  const cpuMs = await processorMs(child)
  await delay(seconds * 1_000)
  const residentMb = await residentMbOf(child)
  child.kill('SIGTERM')
  await ended
  return { readyMs, cpuMs, residentMb }
}

async function isReady(child: ChildProcess): Promise<boolean> {
  if (child.exitCode !== null) throw new Error(`the service ended with ${child.exitCode} before it was ready`)
  const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined)
  await answer?.body?.cancel()
  return answer?.ok ?? false
}

async function residentMbOf({ pid }: ChildProcess): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024
}

/** Processor time so far, in the ticks of Linux of 10 ms. */
async function processorMs({ pid }: ChildProcess): Promise<number> {
  const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * 10
}

if (import.meta.main) process.exitCode = (await runAlone(start)) ? 0 : 1
