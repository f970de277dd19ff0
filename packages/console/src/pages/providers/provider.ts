import type { Item, Output } from '@mortise/client'
import { useQuery } from '@tanstack/react-query'
import { useCall } from '../../session/data.ts'
import { client } from '../../session/session.ts'

export type Provider = Output<'getProvider'>
export type Scheme = Provider['schemes'][number]
export type ProviderApp = Item<'listProviderApps'>

/** The catalog changes only with the service. */
const catalogStaleMs = 5 * 60_000

export function useProviders() {
  return useCall('listProviders', {}, { staleMs: catalogStaleMs })
}

export function useProvider(provider: string) {
  return useCall('getProvider', { provider }, { staleMs: catalogStaleMs })
}

/** All provider apps of a project: a handful for each provider. */
export function useProviderApps(project: string) {
  return useQuery({
    queryKey: ['listProviderApps', { projectIdOrName: project }, 'all'],
    queryFn: async () => {
      const found: ProviderApp[] = []
      for await (const one of client.each('listProviderApps', { projectIdOrName: project })) found.push(one)
      return found
    },
  })
}

export const capabilities = ['read', 'write', 'delete', 'search', 'subscribe', 'proxy'] as const
export type Capability = (typeof capabilities)[number]

export const capabilityLabels: Record<Capability, string> = {
  read: 'Read records',
  write: 'Write records',
  delete: 'Delete records',
  search: 'Search records',
  subscribe: 'Subscribe to changes',
  proxy: 'Proxy requests',
}

export const evidenceLabels: Record<Provider['evidence']['kind'], string> = {
  account: 'account',
  documentation: 'documentation',
  twoSources: 'two sources',
  oneSource: 'one source',
  none: 'none',
}

export const schemeLabels: Record<Provider['authType'], string> = {
  oauth2: 'OAuth 2.0',
  apiKey: 'API key',
  basic: 'User and password',
  jwt: 'JSON Web Token',
  custom: 'Custom',
  none: 'None',
}

export const grantLabels = {
  authorizationCode: 'Authorization code',
  authorizationCodePKCE: 'Authorization code with PKCE',
  clientCredentials: 'Client credentials',
  password: 'Password',
} as const

export function nameOf({ name, displayName }: Provider): string {
  return displayName || name
}

/** Whether accounts authorize an app that you register at the provider, in the browser. */
export function usesBrowserApp({ type, oauth2Opts }: Scheme): boolean {
  return type === 'oauth2' && /^authorizationCode/.test(oauth2Opts?.grantType ?? 'authorizationCode')
}

/** Whether your project needs an app of this provider before a customer can connect. */
export function needsApp(provider: Provider): boolean {
  return provider.schemes.some(
    (scheme) =>
      (usesBrowserApp(scheme) && scheme.oauth2Opts?.discover === undefined) ||
      (scheme.customOpts?.providerInputs ?? []).length > 0,
  )
}

/** The address that a provider sends people back to. The console is served at the public address of the service. */
export const redirectAddress = `${window.location.origin}/callbacks/v1/oauth`

/** Scopes to choose from: those that the catalog knows, and those that apps of the project request. */
export function knownScopes(provider: Provider, apps: readonly ProviderApp[]): string[] {
  const mapped = provider.schemes.flatMap(({ oauth2Opts }) => Object.keys(oauth2Opts?.scopeMappings ?? {}))
  return [...new Set([...mapped, ...apps.flatMap(({ scopes = [] }) => scopes)])].toSorted()
}

export interface Check {
  /** What is so: that it is complete, or what is missing. */
  label: string
  isDone: boolean
  hint?: string
}

/** What an app needs before a customer can authorize it, as far as the service can see. */
export function checksOf(provider: Provider, app: ProviderApp): Check[] {
  const oauth = provider.schemes.find(usesBrowserApp)?.oauth2Opts
  const hasScopes = (app.scopes ?? []).length > 0
  const hasHosts = (app.allowedHosts ?? []).length > 0
  const lacking = (provider.providerAppMetadata?.providerParams ?? []).filter(({ name }) =>
    app.missingParams?.includes(name),
  )
  return [
    { label: 'Client id and secret are stored', isDone: app.clientId !== '' },
    ...lacking.map(({ name, displayName }) => ({
      label: `Lacks ${displayName || name}`,
      isDone: false,
      hint: 'The provider requires it. Requests are sent once it is stored.',
    })),
    ...(oauth?.explicitScopesRequired
      ? [
          {
            label: hasScopes ? 'Requests scopes' : 'Requests no scopes',
            isDone: hasScopes,
            hint: 'The provider refuses to authorize an app that requests none.',
          },
        ]
      : []),
    ...(isSelfHosted(provider)
      ? [
          {
            label: hasHosts ? 'Allows hosts of customers' : 'Allows no hosts yet',
            isDone: hasHosts,
            hint: 'Customers run this provider themselves. The secret is sent only to hosts that you allow.',
          },
        ]
      : []),
  ]
}

/** Whether the secret of an app goes to a host that a customer names. */
export function isSelfHosted({ schemes }: Provider): boolean {
  return schemes.some(({ oauth2Opts }) => /^(?:https?:\/\/)?\{\{[^}]*\}\}(?:[/:]|$)/.test(oauth2Opts?.tokenURL ?? ''))
}

/** Parameters that the service encrypts and never returns. */
export function isSecretName(name: string): boolean {
  return /secret|password|token|key/i.test(name)
}
