import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { type Result, resultFile } from './benchmark.ts'
import { findPgBouncer, noPgBouncer } from './rig/pgbouncer.ts'
import { databaseKind } from './rig/postgres.ts'
import { isShort } from './rig/short.ts'
import { findStock, noStock } from './rig/stock-postgres.ts'

/**
 * `npm run bench [NAME…] [--stock | --pgbouncer] [--short]`: runs the benchmarks, each in a process of its own, and
 * prints their newest results as a table.
 *
 * With `--stock`, each starts a stock PostgreSQL with its default configuration, not the embedded one. With
 * `--pgbouncer`, the service reaches that one through PgBouncer in transaction mode. With `--short`, they only show
 * that they run.
 */

const options = ['--stock', '--pgbouncer', '--short']
const names = [
  'pipeline',
  'databases',
  'memory',
  'fan-out',
  'list',
  'lists',
  'tenants',
  'create-connections',
  'scheduler-tick',
  'reads',
  'crowd',
  'deploy',
  'event',
  'validate',
  'start',
  'catalogue',
  'mapping',
  'refresh',
  'proxy',
  'tools',
  'processes',
  'inbound',
  'connect',
  'console',
  'counts',
  'deletions',
  'jobs',
  'destinations',
  'records',
]
/** Those whose service has a database of its own. The others compare with programs that know no pooler. */
const throughPooler = ['pipeline', 'memory', 'fan-out', 'deploy', 'event', 'inbound']
const kind = databaseKind()
const known = {
  embedded: names,
  // It starts databases of all kinds itself.
  stock: names.filter((name) => name !== 'databases'),
  pgbouncer: throughPooler,
}[kind]
const wanted = process.argv.slice(2).filter((argument) => !options.includes(argument))
const unknown = wanted.filter((name) => !known.includes(name))
if (unknown.length > 0) {
  console.error(`unknown: ${unknown.join(', ')}. There are ${known.join(', ')}.`)
  process.exit(2)
}

const missing = [
  ...(kind !== 'embedded' && !(await findStock()) ? [noStock] : []),
  ...(kind === 'pgbouncer' && !(await findPgBouncer()) ? [noPgBouncer] : []),
]
if (missing.length > 0) {
  console.error(missing.join('\n'))
  process.exit(2)
}
// For the processes of the benchmarks, and theirs.
process.env['MORTISE_BENCH_DATABASE'] = kind
if (isShort) process.env['MORTISE_BENCH_SHORT'] = '1'

const broken: string[] = []
for (const name of wanted.length > 0 ? wanted : known) {
  const script = fileURLToPath(new URL(`./${name}.ts`, import.meta.url))
  const [code] = await once(
    fork(script, { execArgv: ['--conditions=mortise-source', '--disable-warning=ExperimentalWarning'] }),
    'exit',
  )
  if (code !== 0) broken.push(name)
}

const results: Result[] = []
for (const name of names) {
  for (const kind of ['embedded', 'stock', 'pgbouncer'] as const) {
    const text = await readFile(resultFile(name, kind), 'utf8').catch(() => undefined)
    if (text !== undefined) results.push(JSON.parse(text))
  }
}
const table = results.map(({ name, goal, value, unit = '', reached, date, machine }) => ({
  benchmark: name,
  goal: `${goal} ${unit}`.trim(),
  // A run of some parts has no value, which JSON stores as null.
  value: value === null ? '' : `${value.toFixed(2)} ${unit}`.trim(),
  reached: reached ? 'yes' : 'NO',
  PostgreSQL: machine.postgres,
  date: date.slice(0, 16),
}))
console.table(table)
const [newest] = results.toSorted((a, b) => b.date.localeCompare(a.date))
if (newest) {
  const { cpu, cores, memoryGb, os, node } = newest.machine
  console.log(`${cpu}, ${cores} cores, ${memoryGb} GB; ${os}; Node ${node}`)
}
if (broken.length > 0) console.log(`missed or failed: ${broken.join(', ')}`)
process.exitCode = broken.length > 0 ? 1 : 0
