import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Catalogue, CatalogueEntry } from './index.ts'
import { nearest } from './index.ts'

/** One manifest with what has to come of deploying it. */
export interface SharedCase {
  id: string
  file: string
  valid: boolean
  scored: boolean
  severity: string | null
  rule: string | null
  /** What the index leaves open. */
  note?: string
  /** For invalid ones: refused always, or only when strict. */
  level?: 'always' | 'strict'
  path?: string
  line?: { key: number | null; value: number | null; exact: boolean }
}

export interface SharedManifests {
  cases: SharedCase[]
  catalogue: Catalogue
  read(file: string): string
}

const folder = process.env['MORTISE_SHARED'] ?? join(import.meta.dirname, '../../../../shared')

/** The manifests next to the repository; `[]` if there are none, which some checks refuse. */
export function sharedManifests(): SharedManifests | undefined {
  if (!existsSync(join(folder, 'manifests/index.json'))) {
    if (process.env['MORTISE_REQUIRE_SHARED'] === '1') throw new Error(`no shared manifests in ${folder}`)
    console.warn(`skipped: no shared manifests in ${folder} (MORTISE_SHARED)`)
    return undefined
  }
  const json = <T>(file: string): T => JSON.parse(readFileSync(join(folder, file), 'utf8')) as T
  const { cases } = json<{ cases: SharedCase[] }>('manifests/index.json')
  return {
    cases,
    catalogue: factsCatalogue(json<{ providers: Record<string, Fact> }>('providers/facts.json').providers),
    read: (file) => readFileSync(join(folder, 'manifests', file), 'utf8'),
  }
}

interface Fact {
  name: string
  authType: string
  support: CatalogueEntry['implemented']
  defaultModule?: string
  modules?: Record<string, { support: CatalogueEntry['implemented'] }>
}

/** Every provider of the facts, with a connector for all that it can do. */
function factsCatalogue(facts: Record<string, Fact>): Catalogue {
  const entries = new Map(
    Object.values(facts).map(({ name, authType, support, defaultModule, modules = {} }) => {
      const entry: CatalogueEntry = {
        name,
        authType,
        implemented: support,
        modules: Object.fromEntries(
          Object.entries(modules).map(([key, module]) => [key, { implemented: module.support }]),
        ),
        ...(defaultModule !== undefined && { defaultModule }),
      }
      return [name, entry]
    }),
  )
  return { find: (provider) => entries.get(provider), suggest: (provider) => nearest(provider, entries.keys()) }
}
