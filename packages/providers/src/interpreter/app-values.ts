import type { ProviderEntry } from '../catalogue/entry.ts'
import type { Attachment, ConnectionContext } from '../connector.ts'
import { AppIncomplete } from '../provider-error.ts'
import { connectionScope } from './connection-scope.ts'
import { type CompiledRequest, compileMap, filledMap, type Scope, scopeOf, textOf } from './request.ts'

/** Settings of a provider app that templates of requests use, by name. `clientId` is its client ID. */
export type AppValues = Readonly<Record<string, string>>

/** Returns the settings that the provider requires of its apps and these values lack. */
export function missingAppParams(
  { appMetadata }: Pick<ProviderEntry, 'appMetadata'>,
  values: AppValues,
): { name: string; displayName: string }[] {
  return (appMetadata?.providerParams ?? []).flatMap(({ name, displayName = name, required }) =>
    required === true && !own(values, name) ? [{ name, displayName }] : [],
  )
}

/**
 * Adds the settings of the provider app to what authenticates a request: as headers that the file declares for every
 * request, and for the templates of requests. They are sent only where the credential is sent.
 *
 * @param connection whose values the same headers may use
 * @throws AppIncomplete naming the required settings that the app lacks
 */
export function withAppValues<T extends Attachment>(
  entry: ProviderEntry,
  attachment: T,
  values: AppValues,
  connection: Pick<ConnectionContext, 'metadata' | 'workspaceRef'>,
): T {
  const names = entry.appValues
  if (names === undefined) return attachment
  const missing = missingAppParams(entry, values)
  if (names.includes('clientId') && !own(values, 'clientId'))
    missing.push({ name: 'clientId', displayName: 'Client ID' })
  if (missing.length > 0) throw new AppIncomplete(entry, missing)
  const app = Object.fromEntries(names.flatMap((name) => (own(values, name) ? [[name, values[name] ?? '']] : [])))
  const declared = compileMap(entry.file?.headers).filter(([, { variables }]) =>
    variables.some((name) => name.startsWith('app.')),
  )
  const filled = filledMap(declared, textOf(scopeOf({ app }, connectionScope(entry, connection))))
  const headers = Object.entries(filled).map(([name, value]) => [name.toLowerCase(), value])
  const isSecret = new Set(entry.appMetadata?.providerParams.filter(({ secret }) => secret).map(({ name }) => name))
  const secrets = Object.entries(app).flatMap(([name, value]) => (isSecret.has(name) ? [value] : []))
  return {
    ...attachment,
    // The credential last, so that no setting can replace it.
    headers: { ...Object.fromEntries(headers), ...attachment.headers },
    app,
    replaceable: headers.flatMap(([name = '']) => (Object.hasOwn(attachment.headers, name) ? [] : [name])),
    secrets: [...attachment.secrets, ...secrets, ...secrets.map(encodeURIComponent)],
  }
}

/** The variables of a request, with the settings of the provider app under `app` where it has no such variable. */
export function withApp(scope: Scope, app: AppValues | undefined): Scope {
  if (app === undefined) return scope
  const ofApp = scopeOf({ app })
  return (name) => scope(name) ?? ofApp(name)
}

/**
 * Returns the query parameters of a declared request that use settings of the provider app: those that are left out
 * without them.
 */
export function appQuery(
  request: Pick<CompiledRequest, 'variables'>,
  app: AppValues | undefined,
  scope: Scope,
  urlOf: (scope: Scope) => URL,
): Record<string, string> {
  if (app === undefined || ![...request.variables].some((name) => name.startsWith('app.'))) return {}
  const plain = urlOf(scope).searchParams
  return Object.fromEntries([...urlOf(withApp(scope, app)).searchParams].filter(([name]) => !plain.has(name)))
}

function own(values: AppValues, name: string): boolean {
  return Object.hasOwn(values, name) && values[name] !== ''
}
