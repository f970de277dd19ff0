/**
 * Checks the provider files of this package and writes `src/built-in.generated.json`, the form in which they are loaded.
 *
 *     node --conditions=mortise-source scripts/check-built-in.ts
 *
 * Run it after every change of a file in `providers/`; a test compares the two.
 */
import { writeFile } from 'node:fs/promises'
import { readBuiltIn } from '../src/catalogue/read-built-in.ts'

const { outlines, faults } = await readBuiltIn()
for (const { file, line, column, message } of faults) console.error(`${file}:${line}:${column} ${message}`)
if (faults.length > 0) process.exitCode = 1
else {
  const lines = Object.entries(outlines).map(
    ([name, outline]) => `  ${JSON.stringify(name)}: ${JSON.stringify(outline)}`,
  )
  await writeFile(new URL('../src/built-in.generated.json', import.meta.url), `{\n${lines.join(',\n')}\n}\n`)
  console.log(`${lines.length} provider files written.`)
}
