import { type Catalogue, isHostPattern, missingAppParams, type ProviderEntry, valueFault } from '@mortise/providers'
import { type Issue, isHeaderText } from '../../../kernel/http/index.ts'
import { unknownProvider } from '../catalogue/index.ts'

/** Providers whose authorization page fails without scopes, regardless of the catalog. */
const scopesNeeded = new Set(['hubspot'])

/**
 * Returns the issues of an app that its provider does not allow.
 *
 * @param at path of the values in the body: empty, or `providerApp.`
 */
export function providerIssues(
  catalogue: Catalogue,
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

const notHeaderText =
  'The value begins or ends with a space, or contains a line break or a character that headers cannot have.'
const copyAgain = 'Copy the value from the provider again.'

/**
 * Returns the issues of the settings of an app: those that its provider requires and the app would lack, and values
 * that do not fit.
 *
 * @param params all settings that the app would have
 * @param at path of the values in the body: empty, or `providerApp.`
 */
export function paramIssues(
  catalogue: Catalogue,
  provider: string,
  params: Readonly<Record<string, string>>,
  at = '',
): Issue[] {
  const entry = catalogue.find(provider)
  if (!entry) return []
  const path = (name: string) => `${at}metadata.providerParams.${name}`
  const missing = missingAppParams(entry, params).map(
    ({ name, displayName }): Issue => ({
      in: 'body',
      name: path(name),
      detail: `${entry.displayName} needs a value: ${displayName}.`,
      remedy: `Send the value that ${entry.displayName} shows you.`,
    }),
  )
  const wrong = (entry.appMetadata?.providerParams ?? []).flatMap((param): Issue[] => {
    const value = Object.hasOwn(params, param.name) ? (params[param.name] ?? '') : ''
    if (value === '') return []
    const isSent = entry.appValues?.includes(param.name) === true
    const detail = isSent && !isHeaderText(value) ? notHeaderText : valueFault(param, value)
    // The value may be a secret, so that the issue does not repeat it.
    return detail === undefined ? [] : [{ in: 'body', name: path(param.name), detail, remedy: copyAgain }]
  })
  return [...missing, ...wrong]
}

/**
 * Returns an issue if requests of the provider have the client ID in a header, and a header cannot have this one.
 *
 * @param at path of the values in the body: empty, or `providerApp.`
 */
export function clientIdIssues(catalogue: Catalogue, provider: string, clientId: string, at = ''): Issue[] {
  const isSent = catalogue.find(provider)?.appValues?.includes('clientId') === true
  return !isSent || clientId === '' || isHeaderText(clientId)
    ? []
    : [{ in: 'body', name: `${at}clientId`, detail: notHeaderText, remedy: copyAgain }]
}

/**
 * Returns an issue for each host that a provider app cannot allow. Valid are a name, a wildcard for all names below
 * one, and a server of this machine with its port.
 */
export function hostIssues(hosts: readonly string[] = [], at = ''): Issue[] {
  return hosts.flatMap((host, index): Issue[] =>
    isHostPattern(host) || /^(localhost|127\.0\.0\.1):\d{1,5}$/.test(host)
      ? []
      : [
          {
            in: 'body',
            name: `${at}allowedHosts[${index}]`,
            value: host,
            detail: 'It is not a host name in lower case.',
            remedy: 'Send a name such as git.acme.com, or *.acme.com for every name below.',
          },
        ],
  )
}

/** Whether the provider has apps: OAuth of any grant, or custom authentication with inputs of the builder. */
function takesApps({ authentication }: ProviderEntry): boolean {
  return authentication.some(
    (scheme) => scheme.scheme === 'oauth2' || (scheme.scheme === 'custom' && (scheme.appInputs ?? []).length > 0),
  )
}
