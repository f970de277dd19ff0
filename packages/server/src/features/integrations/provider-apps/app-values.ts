import type { MissingParams } from '@mortise/manifest'
import { type AppValues, type Catalogue, missingAppParams, type ProviderEntry } from '@mortise/providers'
import type { Database, ProjectDb } from '../../../kernel/db/index.ts'
import type { Keyring } from '../../../kernel/encryption/index.ts'
import { NodeCache, type PubSub, topic } from '../../../kernel/pubsub/index.ts'
import type { ProviderAppRow } from './model.ts'
import { appValue } from './secret-params.ts'
import { findProviderApp, listProviderAppRows } from './store.ts'

/** Maximum age of values without a notification. */
const maxAgeMs = 60_000
/** The same while notifications cannot be received. Short, because the values are secrets. */
const disconnectedMaxAgeMs = 1_000
const appsMax = 10_000

/** Whose values are meant. Without an id: those of the newest app of the provider. */
interface AppName {
  projectId: string
  entry: ProviderEntry
  appId: string | null
}

/** The settings of provider apps that requests use, cached on this node for a short time. */
export interface AppValuesCache {
  get(name: AppName): Promise<AppValues>
  /** Returns the values if they are cached. */
  peek(name: AppName): AppValues | undefined
  /** Drops all values. */
  stop(): void
}

/** A provider app of the project, or something else of it, has changed. Triggers publish it (migration 0048). */
const changedTopic = topic('receivers')

export function createAppValues(services: {
  database: Database
  keyring: Keyring
  pubsub: Pick<PubSub, 'subscribe'>
  now: () => Date
}): AppValuesCache {
  const cache = new NodeCache<{ entry: ProviderEntry; values: AppValues }, AppName, string>({
    pubsub: services.pubsub,
    now: services.now,
    entriesMax: appsMax,
    maxAgeMs,
    disconnectedMaxAgeMs,
    topic: changedTopic,
    invalidates:
      (changed) =>
      ({ key }) =>
        key.startsWith(`${changed} `),
    load: async (_, { projectId, entry, appId }) => ({
      entry,
      values: await findAppValues(services.database.forProject(projectId), services, entry, appId),
    }),
  })
  // Secrets that no request uses any more do not stay in memory.
  const dropping = setInterval(() => cache.dropStale(), maxAgeMs).unref()
  return {
    peek(name) {
      const found = cache.peek(keyOf(name), name)
      return found?.entry === name.entry ? found.values : undefined
    },
    async get(name) {
      const key = keyOf(name)
      const found = cache.peek(key, name)
      // The provider's file may have changed, and with it the names.
      const current = found?.entry === name.entry ? found : await cache.reload(key, name)
      return current?.values ?? {}
    },
    stop() {
      clearInterval(dropping)
      cache.close()
    },
  }
}

function keyOf({ projectId, entry, appId }: AppName): string {
  return `${projectId} ${entry.name} ${appId ?? ''}`
}

/**
 * Returns the settings of a provider app that requests use.
 *
 * @param appId the project's newest app of the provider when null
 */
export async function findAppValues(
  db: ProjectDb,
  { keyring }: { keyring: Keyring },
  entry: ProviderEntry,
  appId: string | null,
): Promise<AppValues> {
  const names = paramNames(entry)
  if (names.length === 0) return {}
  const app = await findProviderApp(db, { id: appId ?? undefined, provider: entry.name })
  return app ? valuesOf(keyring, app, names) : {}
}

/** Returns the names of the required settings that an app lacks. */
export function missingParamsOf(keyring: Keyring, entry: ProviderEntry, app: ProviderAppRow): string[] {
  return missingOf(keyring, entry, app).map(({ name }) => name)
}

/** Returns the labels of the required settings that the newest app of each provider lacks, by provider. */
export async function missingParamsOfApps(
  db: ProjectDb,
  { catalogue, keyring }: { catalogue: Pick<Catalogue, 'find'>; keyring: Keyring },
): Promise<MissingParams> {
  const apps = await listProviderAppRows(db, { after: undefined, limit: undefined })
  const newest = new Map(apps.toReversed().map((app) => [app.provider, app] as const))
  return Object.fromEntries(
    [...newest].flatMap(([provider, app]) => {
      const entry = catalogue.find(provider)
      const missing = entry ? missingOf(keyring, entry, app) : []
      return missing.length > 0 ? [[provider, missing.map(({ displayName }) => displayName)] as const] : []
    }),
  )
}

function missingOf(keyring: Keyring, entry: ProviderEntry, app: ProviderAppRow) {
  return missingAppParams(entry, valuesOf(keyring, app, paramNames(entry)))
}

/** Names of the settings that requests use or that every app needs. */
function paramNames({ appValues = [], appMetadata }: ProviderEntry): string[] {
  const required = (appMetadata?.providerParams ?? []).flatMap((param) => (param.required === true ? param.name : []))
  return [...new Set([...appValues, ...required])]
}

function valuesOf(keyring: Keyring, app: ProviderAppRow, names: readonly string[]): AppValues {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = paramOf(keyring, app, name)
      return value === undefined ? [] : [[name, value]]
    }),
  )
}

/** A setting or the client ID, never the client secret, whatever the name is. */
function paramOf(keyring: Keyring, app: ProviderAppRow, name: string): string | undefined {
  return name === 'clientSecret' ? undefined : appValue(keyring, app, name)
}
