import { pathNames } from './path.ts'

/**
 * The declared links that wanted fields lie in: of `$['source']['customer']['email']`, `source.customer`. A link that
 * leads to another of them is not named, since the provider follows it on the way.
 */
export function wantedLinks(fields: 'all' | readonly string[], declared: readonly string[] = []): string[] {
  if (fields === 'all' || declared.length === 0) return []
  const nested = fields
    .filter((field) => field.startsWith('$['))
    .map((field) => `${(pathNames(field) ?? []).join('.')}.`)
  const wanted = declared.filter((link) => nested.some((field) => field.startsWith(`${link}.`) && field !== `${link}.`))
  return wanted.filter((link) => !wanted.some((other) => other.startsWith(`${link}.`)))
}
