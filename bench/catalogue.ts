import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Benchmark, runAlone } from './benchmark.ts'
import { median, rounded } from './measure/statistics.ts'
import { fullOrShort } from './rig/short.ts'
import { temporaryFolder } from './rig/temporary-folder.ts'

const exec = promisify(execFile)
const rounds = fullOrShort(15, 2)
const coldRounds = fullOrShort(3, 1)

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

/**
 * The whole catalogue from its files, in fresh processes: with what an earlier start left in the cache, and without.
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
      const args = ['--conditions=mortise-source', '--disable-warning=ExperimentalWarning', script, cache]
      return JSON.parse((await exec(process.execPath, args)).stdout)
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
    say(`${providers} providers; slowest of ${rounds} ${slowestMs} ms; without a cache ${coldMs} ms`)
    say(`the objects of pipedrive when they are first asked for: ${firstUseMs} ms`)
    return { value: rounded(median(times), 1), details: { providers, rounds, slowestMs, coldMs, firstUseMs } }
  },
}

if (import.meta.main) process.exitCode = (await runAlone(catalogue)) ? 0 : 1
