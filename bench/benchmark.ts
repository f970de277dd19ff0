import { mkdir, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { type Machine, machine } from './measure/machine.ts'
import { databaseKind } from './rig/postgres.ts'
import { isShort } from './rig/short.ts'

/** One figure that is held to a goal. Everything it compares is measured side by side in one run. */
export interface Benchmark {
  /** Name of the script, without its ending. */
  name: string
  /** What the figure is, in one line. */
  measures: string
  goal: { least: number } | { most: number }
  /** `MB`; absent for a ratio. */
  unit?: string
  /** Takes the measurement. `say` tells whoever waits how it goes. */
  run(say: (line: string) => void): Promise<Measurement>
}

export interface Measurement {
  value: number
  /** False when something beside the figure is not as it must be; `details` tells. */
  holds?: boolean
  /** What the figure was made of. */
  details: Record<string, unknown>
}

/** What `results/NAME.json` holds. */
export interface Result extends Measurement {
  name: string
  measures: string
  goal: string
  unit?: string
  reached: boolean
  date: string
  machine: Machine
}

const results = new URL('./results/', import.meta.url)

/** Where the newest result of a benchmark is kept, one for each kind of database. */
export function resultFile(name: string, kind = databaseKind()): string {
  return fileURLToPath(new URL(`${name}${kind === 'embedded' ? '' : `.${kind}`}.json`, results))
}

/** Runs a benchmark by itself: prints the figure, keeps the result. Returns whether the goal was reached. */
export async function runAlone(benchmark: Benchmark): Promise<boolean> {
  const { name, measures, goal, unit } = benchmark
  console.log(`${name}: ${measures}`)
  const measurement = await benchmark.run((line) => console.log(`  ${line}`))
  const { value, holds = true } = measurement
  if (isShort) {
    console.log(`  ${value.toFixed(3)}${unit === undefined ? '' : ` ${unit}`}: short, not judged`)
    return true
  }
  const reached = holds && ('least' in goal ? value >= goal.least : value <= goal.most)
  const result: Result = {
    name,
    measures,
    goal: 'least' in goal ? `≥ ${goal.least.toFixed(2)}` : `≤ ${goal.most.toFixed(2)}`,
    ...(unit !== undefined && { unit }),
    ...measurement,
    reached,
    date: new Date().toISOString(),
    machine: await machine(),
  }
  await mkdir(results, { recursive: true })
  await writeFile(resultFile(name), `${JSON.stringify(result, undefined, 2)}\n`)
  console.log(
    `  ${value.toFixed(3)}${unit === undefined ? '' : ` ${unit}`} (goal ${result.goal}): ${reached ? 'reached' : 'missed'}`,
  )
  return reached
}
