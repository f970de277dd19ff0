import { type ProviderEntry, schemeNames } from '@mortise/providers'
import type { Issue } from '../../../kernel/http/index.ts'

/** Returns an issue where the provider has no scheme of this name; it says which there are. */
export function schemeIssues(entry: ProviderEntry, schemeName: string | undefined): Issue[] {
  if (!schemeName) return []
  const names = schemeNames(entry)
  if (names.includes(schemeName)) return []
  return [
    {
      in: 'body',
      name: 'schemeName',
      value: schemeName,
      detail: `The provider ${entry.name} has no scheme ${JSON.stringify(schemeName)}.`,
      remedy: `Use ${names.join(', ') || 'none'}, or leave it out.`,
    },
  ]
}
