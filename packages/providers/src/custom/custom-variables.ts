import type { ProviderEntry } from '../catalogue/entry.ts'
import type { CustomAuthentication, CustomInput } from '../catalogue/format/custom-authentication.ts'
import { isObject, scalarText } from '../interpreter/path.ts'
import { type Scope, scopeOf } from '../interpreter/request.ts'
import { textVariables, type Variables } from '../interpreter/template.ts'

/** Where the variables of custom authentication come from. */
export interface CustomSources {
  /** Metadata of the connection, by name. */
  metadata: Readonly<Record<string, string>>
  workspaceRef?: string | undefined
  /** What the provider app gives, by name of the `appInputs`. */
  app?: Readonly<Record<string, string>> | undefined
  /** What the customer gave (`customAuth`), and what steps and token yielded; of one name, the latter. */
  values: Readonly<Record<string, unknown>>
}

/**
 * The variables: system < metadata < provider app < inputs < secrets (contract 3.8). Only declared names are variables,
 * so that no customer can replace one of our values.
 */
export function customVariables(
  entry: Pick<ProviderEntry, 'inputs'>,
  scheme: CustomAuthentication,
  { metadata, workspaceRef, app = {}, values }: CustomSources,
  system: Readonly<Record<string, string>> = {},
): Scope {
  const all: Record<string, unknown> = Object.create(null)
  Object.assign(all, system)
  for (const { name, default: given } of entry.inputs) if (given !== undefined) all[name] = given
  if (workspaceRef) all['workspace'] = workspaceRef
  for (const { name } of [...entry.inputs, { name: 'workspace' }]) {
    if (Object.hasOwn(metadata, name) && metadata[name] !== '') all[name] = metadata[name]
  }
  for (const { name } of scheme.appInputs ?? []) if (Object.hasOwn(app, name)) all[name] = app[name]
  const inputs = new Map((scheme.inputs ?? []).map((input) => [input.name, input]))
  // Values are the inputs that were declared and the secrets that were taken, and nothing else (`declaredInputs`).
  for (const [name, value] of Object.entries(values)) all[name] = inputValue(inputs.get(name), value)
  return scopeOf(all)
}

/** The declared inputs of what a customer sent. */
export function declaredInputs(
  { inputs = [] }: CustomAuthentication,
  given: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  return Object.fromEntries(inputs.flatMap(({ name }) => (Object.hasOwn(given, name) ? [[name, given[name]]] : [])))
}

/** The value of an input as its kind says; undefined when it is none. */
export function inputValue(input: CustomInput | undefined, value: unknown): unknown {
  switch (input?.kind) {
    case 'json':
      return jsonObject(value)
    case 'list':
      return words(value)
    default:
      return value
  }
}

/** Lists are joined by spaces, as scopes are (RFC 6749, 3.3). */
export function customText(scope: Scope): Variables {
  return textVariables((name) => {
    const value = scope(name)
    return Array.isArray(value) ? value.map(scalarText).join(' ') || undefined : scalarText(value)
  })
}

/**
 * Every text among the values, whole and in the parts of a document, but no lists (of scopes): what no message may
 * repeat.
 */
export function secretsOf(value: unknown): string[] {
  if (typeof value === 'string') return value === '' ? [] : [value]
  if (isObject(value)) return Object.values(value).flatMap(secretsOf)
  return typeof value === 'number' ? [String(value)] : []
}

function jsonObject(value: unknown): Record<string, unknown> | undefined {
  if (isObject(value)) return value
  if (typeof value !== 'string') return undefined
  const text = value.trim()
  try {
    const parsed: unknown = JSON.parse(text.startsWith('{') ? text : Buffer.from(text, 'base64').toString('utf8'))
    return isObject(parsed) ? parsed : undefined
  } catch {
    return undefined
  }
}

function words(value: unknown): string[] | undefined {
  const list = typeof value === 'string' ? value.split(/[\s,]+/) : value
  if (!Array.isArray(list) || list.some((word) => typeof word !== 'string')) return undefined
  const some = list.filter((word) => word !== '')
  return some.length === 0 ? undefined : some
}
