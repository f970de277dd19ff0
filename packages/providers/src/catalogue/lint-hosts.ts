import { getDomain } from 'tldts-icann'
import { carriedAppInputs } from '../custom/custom-scheme.ts'
import { hostsOf, hostVariable } from '../interpreter/client-url.ts'
import { fitsHost } from '../interpreter/host-pattern.ts'
import { templateFault } from '../interpreter/template.ts'
import type { Flaw } from './flaw.ts'
import type { CustomAuthentication } from './format/custom-authentication.ts'
import type { OAuth2Authentication } from './format/oauth2-authentication.ts'
import type { ProviderFileOutline } from './format/provider-file.ts'

/**
 * Says where a file would let a customer choose the host that receives the client secret of the builder's provider app.
 */
export function lintHosts(file: ProviderFileOutline): Flaw[] {
  const declared = { ...file, inputs: file.inputs ?? [] }
  const flaws = lintLists(file)
  for (const [at, scheme] of (file.authentication ?? []).entries()) {
    const path = ['authentication', at]
    if (scheme.scheme === 'oauth2' && isOfApp(scheme)) {
      for (const key of ['authUrl', 'tokenUrl', 'refreshUrl'] as const)
        flaws.push(...lintUrl([...path, key], scheme[key], declared))
    }
    if (scheme.scheme === 'custom') flaws.push(...lintCustomHosts(path, scheme, file))
  }
  return flaws
}

/** Whether the client is the provider app. With the other grants, each customer has their own client. */
function isOfApp({ grantType = 'authorizationCode' }: OAuth2Authentication): boolean {
  return grantType === 'authorizationCode' || grantType === 'authorizationCodePKCE'
}

type Declared = Parameters<typeof hostsOf>[0]

/**
 * Reports a URL whose host a customer can choose.
 *
 * @param declared undefined if no list of hosts applies: the host must be fixed
 */
export function lintUrl(path: Flaw['path'], text: string | undefined, declared: Declared | undefined): Flaw[] {
  if (text === undefined || templateFault(text) !== undefined) return []
  const host = /^(?:https?:\/\/)?([^/?#]*)/.exec(text)?.[1] ?? ''
  const name = hostVariable(text)
  if (name === undefined) {
    if (!host.includes('{{')) return []
    const domain = host.slice(host.lastIndexOf('}}') + 3).replace(/:\d+$/, '')
    if (getDomain(domain) !== null) return []
    return [{ path, message: `ends its host with "${domain}", below which anyone can register a host` }]
  }
  if (!/(?:^|\.)\{\{[^{}]*\}\}$/.test(host))
    return [{ path, message: `must end its host with "${name}" alone, after a dot` }]
  if (declared === undefined)
    return [{ path, message: `lets "${name}" choose the host, which receives values of the provider app` }]
  if (hostsOf(declared, name) !== undefined) return []
  return [
    {
      path,
      message: `lets "${name}" choose the host, which receives the client secret; set its key "hosts", to an empty list if only provider apps may name them`,
    },
  ]
}

/** Values of the app go into requests of a conversation, or with every request. */
function lintCustomHosts(path: Flaw['path'], scheme: CustomAuthentication, file: ProviderFileOutline): Flaw[] {
  if ((scheme.appInputs ?? []).length === 0) return []
  const steps = (scheme.steps ?? []).flatMap(({ request }, at) =>
    lintUrl([...path, 'steps', at, 'request', 'url'], request?.url, undefined),
  )
  const token = [
    ...(scheme.token?.steps ?? []).flatMap(({ request }, at) =>
      lintUrl([...path, 'token', 'steps', at, 'request', 'url'], request.url, undefined),
    ),
    ...lintUrl([...path, 'token', 'request', 'url'], scheme.token?.request.url, undefined),
  ]
  if (carriedAppInputs(scheme).length === 0) return [...steps, ...token]
  const bases = Object.entries(file.modules ?? {}).flatMap(([id, { baseUrl, apiUrl }]) => [
    ...lintUrl(['modules', id, 'baseUrl'], baseUrl, undefined),
    ...lintUrl(['modules', id, 'apiUrl'], apiUrl, undefined),
  ])
  const base = lintUrl(['baseUrl'], file.baseUrl, undefined)
  return [...steps, ...token, ...base, ...bases, ...lintUrl(['healthCheck', 'url'], file.healthCheck?.url, undefined)]
}

/** A list of hosts holds names that somebody owns, and the default among them. */
function lintLists(file: ProviderFileOutline): Flaw[] {
  return (['inputs', 'postAuthentication', 'variables'] as const).flatMap((part) =>
    (file[part] ?? []).flatMap((value, at): Flaw[] => {
      const { hosts = [] } = value
      const path = [part, at, 'hosts']
      const free = hosts.filter((host) => getDomain(host.replace(/^\*\./, '')) === null)
      const given = 'default' in value && typeof value.default === 'string' ? value.default : undefined
      return [
        ...free.map((host) => ({ path, message: `contains "${host}", below which anyone can register a host` })),
        ...(given !== undefined && hosts.length > 0 && !fitsHost(hosts, URL.parse(given)?.hostname ?? given)
          ? [{ path, message: `does not contain the default "${given}"` }]
          : []),
      ]
    }),
  )
}
