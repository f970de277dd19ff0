import type { ProviderEntry } from '../catalogue/entry.ts'
import type { CustomAuthentication } from '../catalogue/format/custom-authentication.ts'
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
  const carried = [...Object.values(scheme.headers ?? {}), ...Object.values(scheme.query ?? {})]
  const known = new Set(customNames(scheme))
  return (
    carried.length > 0 && carried.every((text) => parseTemplate(text).variables.every((name) => known.has(head(name))))
  )
}

/** Names of everything that headers and query parameters of a finished authentication may name. */
export function customNames(scheme: CustomAuthentication): string[] {
  return [...(scheme.inputs ?? []), ...(scheme.appInputs ?? [])].map(({ name }) => name).concat(takenNames(scheme))
}

/** Names of the app's inputs that headers and query parameters carry as they are. */
export function carriedAppInputs(scheme: CustomAuthentication | undefined): string[] {
  const carried = [...Object.values(scheme?.headers ?? {}), ...Object.values(scheme?.query ?? {})]
  const named = new Set(carried.flatMap((text) => parseTemplate(text).variables))
  return (scheme?.appInputs ?? []).map(({ name }) => name).filter((name) => named.has(name))
}

/** Names of what steps and token yield. */
export function takenNames({ steps = [], token }: CustomAuthentication): string[] {
  const exchanges = [...steps, ...(token === undefined ? [] : [token])]
  return [
    ...exchanges.flatMap(({ take = {}, make = {} }) => [...Object.keys(take), ...Object.keys(make)]),
    ...steps.flatMap(({ redirect }) => Object.keys(redirect?.take ?? {})),
  ]
}

/** `record` of `record.id`. */
export function head(name: string): string {
  return name.split('.', 1)[0] ?? name
}
