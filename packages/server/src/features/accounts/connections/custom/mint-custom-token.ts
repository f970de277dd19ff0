import {
  CustomAuthRefused,
  CustomAuthUnavailable,
  carriedAppInputs,
  customScheme,
  mintToken,
  type ProviderEntry,
} from '@mortise/providers'
import type { ProjectDb } from '../../../../kernel/db/index.ts'
import type { Services } from '../../../../services.ts'
import type { CustomCredential } from '../credential.ts'
import { TokenRefused, TokenUnavailable } from '../tokens/token-errors.ts'
import { findCustomApp } from './custom-app.ts'
import { createCustomHttp } from './custom-http.ts'

export interface CustomAccount {
  entry: ProviderEntry
  /** Values of the connection's metadata, by name. */
  metadata: Record<string, string>
  workspaceRef: string | undefined
  /** The app that it was connected through; the project's newest app of the provider when undefined. */
  providerAppId: string | undefined
}

/**
 * The credential as it is kept before a token was asked for.
 *
 * @param values inputs, and what a conversation with the provider yielded
 */
export function customCredential(entry: ProviderEntry, values: Record<string, unknown>): CustomCredential {
  const scheme = customScheme(entry)
  const needsToken = scheme?.token !== undefined || carriedAppInputs(scheme).length > 0
  return { scheme: 'custom', values, ...(needsToken && { token: {} }) }
}

/**
 * Gets the token that requests carry from what the connection keeps, with the app as it is now. Holds no lock and
 * writes nothing.
 *
 * @throws TokenRefused (`no_client`: the project has no app that gives all that the provider needs), TokenUnavailable
 */
export async function mintCustomToken(
  db: ProjectDb,
  services: Pick<Services, 'outbound' | 'now' | 'keyring'>,
  { entry, metadata, workspaceRef, providerAppId }: CustomAccount,
  stored: CustomCredential,
  { signal }: { signal?: AbortSignal } = {},
): Promise<CustomCredential> {
  const { values } = stored
  const app = await findCustomApp(db, services, entry, providerAppId)
  if (app.missing.length > 0)
    throw new TokenRefused('no_client', `The project has no app of ${entry.name} that holds ${app.missing.join(', ')}.`)
  const call = { http: createCustomHttp(services, db.projectId), now: () => services.now().getTime(), signal }
  try {
    const issuedAt = services.now().toISOString()
    const minted = await mintToken(entry, { metadata, workspaceRef, app: app.values, values }, call)
    const { taken = {}, expiresAt } = minted ?? {}
    const token = {
      values: { ...app.carried, ...taken },
      issuedAt,
      ...(expiresAt && { expiresAt: expiresAt.toISOString() }),
    }
    return { ...stored, token }
  } catch (cause) {
    if (cause instanceof CustomAuthRefused) throw new TokenRefused(cause.error, cause.message, { cause })
    if (!(cause instanceof CustomAuthUnavailable)) throw cause
    const { retryAfterMs } = cause
    throw new TokenUnavailable(cause.message, { cause, ...(retryAfterMs !== undefined && { retryAfterMs }) })
  }
}
