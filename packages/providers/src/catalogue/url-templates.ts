import { tokenRequests } from '../custom/custom-scheme.ts'
import { isObject } from '../interpreter/path.ts'
import type { ProviderEntry } from './entry.ts'
import type { Authentication } from './format/authentication.ts'

/** Texts of an entry that requests with the credential of a connection are sent to. */
export function requestUrls(entry: ProviderEntry): string[] {
  const { baseUrl, modules, healthCheck, postAuthentication = [], file } = entry
  const found = [
    baseUrl,
    ...Object.values(modules).map((module) => module.baseUrl),
    ...[...(file?.sets.values() ?? [])].flatMap(({ apiUrl, objects, others, webhooks }) => [
      apiUrl,
      ...basesIn(webhooks),
      ...basesIn([...objects.values(), ...others.map(({ object }) => object)]),
    ]),
    ...basesIn(file?.webhooks),
    healthCheck?.url,
    ...postAuthentication.map(({ request }) => request?.url),
  ]
  return [...new Set(found.filter((text) => text !== undefined && text !== ''))] as string[]
}

/** Texts of a scheme at which credentials and tokens are exchanged, or that a browser is sent to for that. */
export function exchangeUrls(scheme: Authentication): string[] {
  if (scheme.scheme === 'oauth2')
    return [scheme.authUrl, scheme.tokenUrl, scheme.refreshUrl].filter((text) => text !== undefined)
  if (scheme.scheme !== 'custom') return []
  const steps = (scheme.steps ?? []).flatMap(({ request, redirect }) => [request?.url, redirect?.url])
  return [...steps, ...tokenRequests(scheme).map(({ request }) => request.url)].filter((text) => text !== undefined)
}

/** Texts under keys called `base`, at any depth: those of requests, and perhaps others, which are not URLs. */
function basesIn(part: unknown): string[] {
  if (Array.isArray(part)) return part.flatMap(basesIn)
  if (!isObject(part)) return []
  return Object.entries(part).flatMap(([key, value]) =>
    key === 'base' && typeof value === 'string' ? [value] : basesIn(value),
  )
}
