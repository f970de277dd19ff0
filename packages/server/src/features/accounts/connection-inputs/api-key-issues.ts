import { type ProviderEntry, valueFault, withScheme } from '@mortise/providers'
import { type Issue, isHeaderText } from '../../../kernel/http/index.ts'

const notHeaderText = 'The key contains a line break or a character that headers cannot have.'

/**
 * Returns an issue if a request cannot have the API key, or if it does not have the form that the provider file
 * declares. The key is not repeated.
 */
export function apiKeyIssues(
  entry: ProviderEntry,
  schemeName: string | undefined,
  apiKey: string,
  name = 'apiKey',
): Issue[] {
  const { authentication } = (schemeName !== undefined && withScheme(entry, schemeName)) || entry
  const scheme = authentication.find((one) => one.scheme === 'apiKey')
  const detail = isHeaderText(apiKey) ? scheme && valueFault(scheme, apiKey) : notHeaderText
  if (detail === undefined) return []
  const where = scheme?.docsUrl === undefined ? '' : ` See ${scheme.docsUrl}.`
  return [{ in: 'body', name, detail, remedy: `Send the complete key as ${name}.${where}` }]
}
