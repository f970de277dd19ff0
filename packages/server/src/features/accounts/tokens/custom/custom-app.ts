import { carriedAppInputs, customScheme, type ProviderEntry } from '@mortise/providers'
import type { ProjectDb } from '../../../../kernel/db/index.ts'
import type { Keyring } from '../../../../kernel/encryption/index.ts'
import { appValue, findProviderApp } from '../../../integrations/provider-apps/index.ts'

/** What the builder's app gives to custom authentication. */
export interface CustomApp {
  /** Undefined where the provider needs no app, or the project has none. */
  id: string | undefined
  /** By name of the provider's `appInputs`. */
  values: Record<string, string>
  /** Those of them that requests carry as they are. */
  carried: Record<string, string>
  /** Names of those that nobody gave. */
  missing: string[]
}

/**
 * The values of the `appInputs`: `clientId` and `clientSecret` are the app's own, all others stand in its
 * `metadata.providerParams`.
 *
 * @param id of the app; the project's newest app of the provider when undefined
 */
export async function findCustomApp(
  db: ProjectDb,
  { keyring }: { keyring: Keyring },
  entry: ProviderEntry,
  id: string | undefined,
): Promise<CustomApp> {
  const scheme = customScheme(entry)
  const inputs = scheme?.appInputs ?? []
  if (inputs.length === 0) return { id: undefined, values: {}, carried: {}, missing: [] }
  const app = await findProviderApp(db, { id, provider: entry.name })
  const values: Record<string, string> = {}
  for (const { name } of inputs) {
    const value = app && appValue(keyring, app, name)
    if (value) values[name] = value
  }
  const missing = inputs.map(({ name }) => name).filter((name) => values[name] === undefined)
  const named = new Set(carriedAppInputs(scheme))
  const carried = Object.fromEntries(Object.entries(values).filter(([name]) => named.has(name)))
  return { id: app?.id, values, carried, missing }
}
