import { type ProviderEntry, valueFault, withScheme } from '@mortise/providers'
import type { Issue } from '../../../kernel/http/index.ts'

/** Returns an issue if an API key does not have the form that the provider file declares. The key is not repeated. */
export function apiKeyIssues(
  entry: ProviderEntry,
  schemeName: string | undefined,
  apiKey: string,
  name = 'apiKey',
): Issue[] {
  const { authentication } = (schemeName !== undefined && withScheme(entry, schemeName)) || entry
  const scheme = authentication.find((one) => one.scheme === 'apiKey')
  const detail = scheme && valueFault(scheme, apiKey)
  if (detail === undefined) return []
  const where = scheme?.docsUrl === undefined ? '' : ` See ${scheme.docsUrl}.`
  return [{ in: 'body', name, detail, remedy: `Send the complete key as ${name}.${where}` }]
}
