import type { Catalogue } from '@mortise/providers'
import type { Issue } from '../../../kernel/http/index.ts'
import { brokenFile, hasBrokenFile } from './faults.ts'

/** Returns the issue for a provider that the catalog lacks, with the most similar name. */
export function unknownProvider(catalogue: Catalogue, provider: string, name: string): Issue {
  const issue = { in: 'body', name, value: provider } as const
  if (hasBrokenFile(catalogue, provider)) {
    return { ...issue, detail: brokenFile.detail(provider), remedy: brokenFile.remedy }
  }
  const meant = catalogue.suggest(provider)
  return {
    ...issue,
    detail: `There is no provider of the name ${JSON.stringify(provider)}; names are case-sensitive.`,
    remedy: meant === undefined ? 'See GET /v1/providers for all names.' : `Did you mean ${JSON.stringify(meant)}?`,
  }
}
