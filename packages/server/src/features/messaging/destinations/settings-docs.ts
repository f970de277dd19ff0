import type { DestinationKind } from '../kinds/index.ts'

type Kinds = readonly Pick<DestinationKind, 'name' | 'properties'>[]

/** Returns the names of the settings of all kinds. */
export function settingNames(kinds: Kinds): string[] {
  return [...new Set(kinds.flatMap(({ properties }) => Object.keys(properties)))]
}

/**
 * Documents the settings of all kinds in one object. A setting of several kinds has a description for each.
 *
 * @param options.withTypes false for input, which each kind validates itself
 */
export function settingsDocs(kinds: Kinds, { withTypes }: { withTypes: boolean }): Record<string, object> {
  const docsOf = (setting: string) => {
    const of = kinds.filter(({ properties }) => setting in properties)
    const byDescription = Map.groupBy(of, ({ properties }) => descriptionOf(properties[setting]))
    const description = [...byDescription].map(
      ([text, described]) => `For ${described.map(({ name }) => `\`${name}\``).join(', ')}: ${text}`,
    )
    return { ...(withTypes && of[0]?.properties[setting]), description: description.join(' ') }
  }
  return Object.fromEntries(settingNames(kinds).map((setting) => [setting, docsOf(setting)]))
}

function descriptionOf(schema: object = {}): string {
  return 'description' in schema ? String(schema.description) : ''
}
