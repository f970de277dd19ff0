import { readdirSync } from 'node:fs'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { type Reporter, startVitest } from 'vitest/node'
import { type AttackResult, formVariable } from './attack.ts'
import { writeResults } from './results.ts'

/**
 * `npm run attacks [-- ID… --short --write]`: runs the long forms of all attacks, or of those named, one after the
 * other, and prints a line for each. `--short` runs the short forms, as `npm run test:long` does. `--write` stores the
 * results in `docs/security/attacks.json` and renews the table in `docs/reliability.md`.
 *
 * Attacks run under Vitest: it starts PostgreSQL for them, and they share the testkits of other tests.
 */

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { short: { type: 'boolean', default: false }, write: { type: 'boolean', default: false } },
})
const here = fileURLToPath(new URL('.', import.meta.url))
const files = new Map<string, string>(
  readdirSync(here)
    .toSorted()
    .flatMap((file) => {
      const [, letter, number] = /^([sw])(\d+)-.*\.test\.ts$/.exec(file) ?? []
      return letter === undefined ? [] : [[`${letter.toUpperCase()}${Number(number)}`, here + file]]
    }),
)
const wanted = positionals.length > 0 ? positionals.map((id) => id.toUpperCase()) : [...files.keys()]
const unknown = wanted.filter((id) => !files.has(id))
if (unknown.length > 0) {
  console.error(`Unknown: ${unknown.join(', ')}. There are ${[...files.keys()].join(', ')}.`)
  process.exit(2)
}

process.env[formVariable] = values.short ? 'short' : 'long'
const results: AttackResult[] = []
const failures: string[] = []
const reporter: Reporter = {
  onTestCaseResult(test) {
    const { attack } = test.meta()
    if (attack) results.push(attack)
    for (const { message } of test.result().errors ?? []) failures.push(`${test.name}\n${message}`)
  },
  onTestModuleEnd(module) {
    for (const { message } of module.errors()) failures.push(`${module.relativeModuleId}\n${message}`)
  },
}
const vitest = await startVitest(
  wanted.map((id) => files.get(id) ?? ''),
  // One at a time: an attack measures.
  {
    root: fileURLToPath(new URL('../../', import.meta.url)),
    run: true,
    watch: false,
    maxWorkers: 1,
    reporters: [reporter],
    configLoader: 'native',
  },
)
await vitest.close()

if (values.write) await writeResults(results)
for (const failure of failures) console.error(failure)
const missing = wanted.filter((id) => !results.some((result) => result.id === id))
if (missing.length > 0) console.error(`Without a result: ${missing.join(', ')}`)
process.exitCode = failures.length + missing.length === 0 && results.every(({ passed }) => passed) ? 0 : 1
