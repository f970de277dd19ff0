import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type Benchmark, runAlone } from './benchmark.ts'
import { median, rounded } from './measure/statistics.ts'
import { fullOrShort } from './rig/short.ts'
import { temporaryFolder } from './rig/temporary-folder.ts'

const exec = promisify(execFile)
const flags = ['--conditions=mortise-source', '--disable-warning=ExperimentalWarning']
const wholeCatalogue = fileURLToPath(new URL('./rig/whole-catalogue.ts', import.meta.url))
const megabyte = 2 ** 20
const rounds = fullOrShort(15, 2)
const coldRounds = fullOrShort(3, 1)
/** The first start of a release compiles all files in a thread, once. */
const coldMsMax = 3_000
/** All providers in use at the same time, with their connectors. */
const memoryMbMax = 40

/** What a service does at its start, in a process of its own: the clock runs once the code is there. */
const start = `import { loadCatalogue } from ${JSON.stringify(new URL('../packages/providers/src/index.ts', import.meta.url).href)}
const began = performance.now()
const catalogue = await loadCatalogue({ cacheDir: process.argv[2] })
const providers = catalogue.list().length
const readyMs = performance.now() - began
const first = performance.now()
catalogue.find('pipedrive').file.sets
console.log(JSON.stringify({ providers, readyMs, firstUseMs: performance.now() - first }))
`

interface Start {
  providers: number
  readyMs: number
  firstUseMs: number
}

interface Whole {
  providers: number
  connectors: number
  listedBytes: number
  wholeBytes: number
}

/**
 * The whole catalogue from its files, in fresh processes: with what an earlier start left in the cache, and without.
 * And the memory that it takes when every provider is in use.
 */
export const catalogue: Benchmark = {
  name: 'catalogue',
  measures: 'the catalogue of all providers at the start, with a warm cache',
  goal: { most: 60 },
  unit: 'ms',
  async run(say) {
    await using folder = await temporaryFolder()
    const script = join(folder.path, 'start.mjs')
    await writeFile(script, start)
    const started = async (cache: string): Promise<Start> => {
      return JSON.parse((await exec(process.execPath, [...flags, script, cache])).stdout)
    }
    const cold: Start[] = []
    for (let round = 0; round < coldRounds; round++) cold.push(await started(join(folder.path, `cold-${round}`)))
    const cache = join(folder.path, 'cold-0')
    const warm: Start[] = []
    for (let round = 0; round < rounds; round++) warm.push(await started(cache))
    const times = warm.map(({ readyMs }) => readyMs)
    const coldMs = rounded(median(cold.map(({ readyMs }) => readyMs)), 0)
    const slowestMs = rounded(Math.max(...times), 1)
    const firstUseMs = rounded(median(warm.map(({ firstUseMs }) => firstUseMs)), 1)
    const { providers } = warm[0] ?? { providers: 0 }
    const memoryArgs = [...flags, '--expose-gc', wholeCatalogue, cache]
    const whole = JSON.parse((await exec(process.execPath, memoryArgs)).stdout) as Whole
    const memoryMb = rounded(whole.wholeBytes / megabyte, 1)
    const listedMb = rounded(whole.listedBytes / megabyte, 1)
    say(`${providers} providers; slowest of ${rounds} ${slowestMs} ms; without a cache ${coldMs} ms`)
    say(`the objects of pipedrive when they are first asked for: ${firstUseMs} ms`)
    say(
      `memory of all providers with ${whole.connectors} connectors: ${memoryMb} MB; ${listedMb} MB before their first use`,
    )
    return {
      value: rounded(median(times), 1),
      holds: coldMs <= coldMsMax && memoryMb <= memoryMbMax,
      details: { providers, rounds, slowestMs, coldMs, coldMsMax, firstUseMs, listedMb, memoryMb, memoryMbMax },
    }
  },
}

if (import.meta.main) process.exitCode = (await runAlone(catalogue)) ? 0 : 1
