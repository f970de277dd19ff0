import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { writePackage } from '../packages/cli/scripts/package.ts'
import { type Benchmark, runAlone } from './benchmark.ts'
import { median, rounded } from './measure/statistics.ts'
import { manifestOf } from './rig/manifest-of.ts'
import { fullOrShort } from './rig/short.ts'
import { temporaryFolder } from './rig/temporary-folder.ts'

const exec = promisify(execFile)
const integrations = 200
const rounds = fullOrShort(15, 2)
/** What a person may wait. The goal of the ratio says the same for a machine whose Node starts in 30 ms. */
const wholeMostMs = 600

/**
 * The packed command and a Node that does nothing, each a process of its own, in turns. What a person waits for is the
 * time of the first.
 */
export const validate: Benchmark = {
  name: 'validate',
  measures: '`mortise validate` of 200 integrations, as a process ÷ `node -e 0`',
  goal: { most: 20 },
  async run(say) {
    await using folder = await temporaryFolder()
    const command = join(folder.path, 'package')
    await writePackage(command)
    const manifest = join(folder.path, 'mortise.yaml')
    const yaml = manifestOf(integrations, 'integration')
    await writeFile(manifest, yaml)

    const whole = () => timed([join(command, 'bin/mortise.mjs'), 'validate', manifest])
    const nothing = () => timed(['-e', '0'])
    await whole()
    await nothing()
    const times = { whole: [] as number[], nothing: [] as number[] }
    const ratios: number[] = []
    for (let round = 0; round < rounds; round++) {
      const first = round % 2 === 0 ? await whole() : undefined
      const other = await nothing()
      const took = first ?? (await whole())
      times.whole.push(took)
      times.nothing.push(other)
      ratios.push(took / other)
    }
    // What else runs on the machine can only add to a process: the fastest round is the one that was disturbed least.
    const wholeMs = rounded(Math.min(...times.whole), 0)
    const nothingMs = rounded(Math.min(...times.nothing), 0)
    say(`at best ${wholeMs} ms (goal ≤ ${wholeMostMs} ms), of which an empty Node takes ${nothingMs} ms`)
    return {
      value: median(ratios),
      holds: wholeMs <= wholeMostMs,
      details: { integrations, yamlBytes: Buffer.byteLength(yaml), rounds, wholeMs, wholeMostMs, nothingMs },
    }
  },
}

/** Milliseconds of a process from its start to its end. */
async function timed(args: string[]): Promise<number> {
  const began = performance.now()
  // Without the cache of compiled code that the npm scripts set: a stranger has none.
  await exec(process.execPath, args, { env: { PATH: process.env['PATH'] } })
  return performance.now() - began
}

if (import.meta.main) process.exitCode = (await runAlone(validate)) ? 0 : 1
