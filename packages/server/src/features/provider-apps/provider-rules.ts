import type { ProviderEntry } from '@mortise/providers'
import type { Issue } from '../../kernel/http/index.ts'
import type { Services } from '../../services.ts'
import { unknownProvider } from '../catalogue/index.ts'

/** Providers whose authorization page fails without scopes, whatever the catalogue says. */
const scopesNeeded = new Set(['hubspot'])

/**
 * What a provider does not let an app be.
 *
 * @param at where the values stand in the body: empty, or `providerApp.`
 */
export function providerIssues(
  catalogue: Services['catalogue'],
  { provider, scopes }: { provider: string; scopes: readonly string[] },
  at = '',
): Issue[] {
  const entry = catalogue.find(provider)
  if (!entry) return [unknownProvider(catalogue, provider, `${at}provider`)]
  const issues: Issue[] = []
  if (!takesApps(entry))
    issues.push({
      in: 'body',
      name: `${at}provider`,
      value: provider,
      detail: `${entry.displayName} has no apps: its accounts are not connected by OAuth.`,
      remedy: 'Connect accounts of this provider with connections:generate.',
    })
  if (scopesNeeded.has(provider) && scopes.length === 0)
    issues.push({
      in: 'body',
      name: `${at}scopes`,
      detail: `${entry.displayName} needs the scopes that the app asks for.`,
      remedy: 'Send the scopes that the app has at the provider.',
    })
  return issues
}

/** OAuth of any grant, and custom authentication that takes something from the builder. */
function takesApps({ authentication }: ProviderEntry): boolean {
  return authentication.some(
    (scheme) => scheme.scheme === 'oauth2' || (scheme.scheme === 'custom' && (scheme.appInputs ?? []).length > 0),
  )
}
