import type { ProviderEntry } from '../catalogue/entry.ts'
import type { CustomAuthentication, CustomToken } from '../catalogue/format/custom-authentication.ts'
import { parseTemplate } from '../interpreter/template.ts'

/** The custom scheme of a provider, if it has one. */
export function customScheme(entry: Pick<ProviderEntry, 'authentication'>): CustomAuthentication | undefined {
  return entry.authentication.find((scheme): scheme is CustomAuthentication => scheme.scheme === 'custom')
}

/**
 * Whether its file says all that is needed to authenticate: what requests carry is among the inputs, or is made of them
 * by steps or a token that are declared.
 */
export function isCustomComplete(scheme: CustomAuthentication): boolean {
  const carried = carriedTexts(scheme)
  const known = new Set(customNames(scheme))
  return (
    (carried.length > 0 || scheme.token?.cookies === true) &&
    carried.every((text) => parseTemplate(text).variables.every((name) => known.has(head(name))))
  )
}

/** Names of everything that headers and query parameters of a finished authentication may name. */
export function customNames(scheme: CustomAuthentication): string[] {
  return [...(scheme.inputs ?? []), ...(scheme.appInputs ?? [])].map(({ name }) => name).concat(takenNames(scheme))
}

/** Names of the app's inputs that headers and query parameters carry as they are. */
export function carriedAppInputs(scheme: CustomAuthentication | undefined): string[] {
  const named = new Set(carriedTexts(scheme).flatMap((text) => parseTemplate(text).variables))
  return (scheme?.appInputs ?? []).map(({ name }) => name).filter((name) => named.has(name))
}

/** Templates of everything that requests carry. */
function carriedTexts({ headers, query, form }: Partial<CustomAuthentication> = {}): string[] {
  return [headers, query, form].flatMap((templates) => Object.values(templates ?? {}))
}

/** The requests that get a token, in their order. */
export function tokenRequests({ token }: CustomAuthentication): NonNullable<CustomToken['steps']> {
  return token === undefined ? [] : [...(token.steps ?? []), token]
}

/** Names of what steps and token yield. */
export function takenNames(scheme: CustomAuthentication): string[] {
  const { steps = [] } = scheme
  const exchanges = [...steps, ...tokenRequests(scheme)]
  return [
    ...exchanges.flatMap(({ take = {}, make = {} }) => [...Object.keys(take), ...Object.keys(make)]),
    ...steps.flatMap(({ redirect }) => Object.keys(redirect?.take ?? {})),
  ]
}

/** `record` of `record.id`. */
export function head(name: string): string {
  return name.split('.', 1)[0] ?? name
}
