import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FieldSource } from '../src/catalogue/format/field-sources.ts'
import type { ProviderFile, ProviderObject } from '../src/catalogue/format/provider-file.ts'

/** A field as the facts know it. */
export interface FactField {
  displayName: string
  valueType?: string
  providerType?: string
  readOnly?: boolean
  values?: { value: string; label?: string }[]
}

/** What is known of the objects of a provider that can be listed (see THIRD-PARTY-NOTICES.md for its origin). */
export interface ObjectFacts {
  modules: Record<string, { objects: Record<string, { displayName?: string; fields: Record<string, FactField> }> }>
}

/** Providers whose objects come from facts, by the file of the facts. */
export const factFiles: Readonly<Record<string, string>> = {
  capsule: 'capsule',
  copper: 'copper',
  github: 'github',
  gitlab: 'gitlab',
  gong: 'gong',
  hubspot: 'hubspot',
  intercom: 'intercom',
  klaviyo: 'klaviyo',
  pipedrive: 'pipedrive',
  salesforce: 'salesforce-pardot',
  stripe: 'stripe',
  teamwork: 'teamwork',
  zendeskSupport: 'zendesksupport',
}

/** Undefined where the folder has none of that provider. */
export function readObjectFacts(folder: string, provider: string): ObjectFacts | undefined {
  const file = join(folder, `${factFiles[provider] ?? provider}.json`)
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as ObjectFacts) : undefined
}

/** How a provider file stands to the facts. */
export interface FactGaps {
  /** Objects that the file does not have: whoever writes the file chooses which it has. */
  objects: string[]
  /** Objects of the file that say nothing of their fields. */
  undescribed: string[]
  /** Fields, as `object.field`, that an object which writes its fields down does not have. */
  fields: string[]
}

/**
 * What the facts know and the file does not say. Objects that are only written are none of those that the facts know.
 */
export function factGaps(file: ProviderFile, { modules }: ObjectFacts): FactGaps {
  const gaps: FactGaps = { objects: [], undescribed: [], fields: [] }
  for (const [module, { objects }] of Object.entries(modules)) {
    const set = file.sets.get(module) ?? (file.sets.size === 1 ? [...file.sets.values()][0] : undefined)
    for (const [name, { fields }] of Object.entries(objects)) {
      const object = set?.objects.get(name)
      if (object === undefined) gaps.objects.push(name)
      else if (object.read === undefined) continue
      else if (!isDescribed(object)) gaps.undescribed.push(name)
      else gaps.fields.push(...missingFields(object, Object.keys(fields)).map((field) => `${name}.${field}`))
    }
  }
  return gaps
}

/** Whether the object's fields are written down or asked for; a list of custom fields alone tells too little. */
export function isDescribed({ fields = [] }: ProviderObject): boolean {
  const tells = (source: FieldSource) =>
    source.source === 'static' || (source.source === 'live' && source.isCustom !== true)
  return fields.some(tells)
}

/** Names are told apart without regard to case. */
function missingFields({ fields = [] }: ProviderObject, known: readonly string[]): string[] {
  const written = fields.flatMap((source) => (source.source === 'static' ? Object.keys(source.fields) : []))
  if (written.length === 0) return []
  const names = new Set(written.map((name) => name.toLowerCase()))
  return known.filter((name) => !names.has(name.toLowerCase()))
}
