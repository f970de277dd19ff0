/**
 * Writes a provider file for every provider of the facts (see THIRD-PARTY-NOTICES.md for their origin) that has none
 * yet.
 *
 *     node --conditions=mortise-source scripts/write-provider-files.ts <path of facts.json> [--check]
 *
 * A file that is there is never touched: it is edited by hand. `--check` writes nothing and lists where a file says
 * something else than the facts. The result is committed, so that a build needs nothing from outside.
 */
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { parse } from 'yaml'
import {
  fileOfFacts,
  fileOfFurtherFacts,
  type RawFurtherProvider,
  type RawProvider,
  unusable,
  withoutEnding,
} from './facts.ts'
import { missingFacts } from './missing-facts.ts'
import { providerYaml } from './provider-yaml.ts'

const [source, flag] = process.argv.slice(2)
if (source === undefined) {
  throw new Error(
    'Usage: node --conditions=mortise-source scripts/write-provider-files.ts <path of facts.json> [--check]',
  )
}
const { providers } = JSON.parse(await readFile(source, 'utf8')) as {
  providers: Record<string, RawProvider | RawFurtherProvider>
}
let written = 0
let differences = 0
for (const raw of Object.values(providers)) {
  if (raw.name in unusable) continue
  const isFurther = 'confidence' in raw
  const facts = isFurther ? fileOfFurtherFacts(raw) : fileOfFacts(raw)
  const file = new URL(`../providers/${raw.name}.yaml`, import.meta.url)
  if (flag !== '--check') {
    if (existsSync(file)) continue
    await writeFile(file, providerYaml(facts, isFurther ? furtherComment(withoutEnding(raw)) : comment(raw)), {
      flag: 'wx',
    })
    written++
  } else if (!existsSync(file)) {
    console.error(`${raw.name}.yaml is missing.`)
    differences++
  } else {
    for (const difference of missingFacts(facts, parse(await readFile(file, 'utf8')))) {
      console.error(`${raw.name}.yaml: ${difference}`)
      differences++
    }
  }
}
console.log(flag === '--check' ? `${differences} differences.` : `${written} provider files written.`)
if (differences > 0) process.exitCode = 1

function comment({ sourceFile = 'the origin' }: RawProvider): string {
  return `Facts from ${sourceFile} of the connectors project: see THIRD-PARTY-NOTICES.md.`
}

function furtherComment({ sources, correctedByHand = [], note }: RawFurtherProvider): string {
  const names = sources.length === 0 ? ['general knowledge'] : [...new Set(sources.map(({ source }) => source))]
  return [
    `Facts from ${names.join(', ')}: see THIRD-PARTY-NOTICES.md. Nobody has connected an account with this file yet.`,
    ...(correctedByHand.length > 0 ? [`Set by hand, so check it first: ${correctedByHand.join(', ')}.`] : []),
    ...(note === undefined ? [] : [note]),
  ].join('\n')
}
