import { CustomAuthRefused, CustomAuthUnavailable, mintToken, type ProviderEntry } from '@mortise/providers'
import type { ProjectDb } from '../../../../kernel/db/index.ts'
import type { Keyring } from '../../../../kernel/encryption/index.ts'
import type { Outbound } from '../../../../kernel/net/index.ts'
import type { CustomCredential } from '../../credentials/index.ts'
import { TokenRefused, TokenUnavailable } from '../token-errors.ts'
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
 * Gets the token that requests carry from what the connection keeps, with the app as it is now. Holds no lock and
 * writes nothing.
 *
 * @throws TokenRefused (`no_client`: the project has no app that gives all that the provider needs), TokenUnavailable
 */
export async function mintCustomToken(
  db: ProjectDb,
  services: { outbound: Outbound; now: () => Date; keyring: Keyring },
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
    const { taken = {}, cookies, expiresAt } = minted ?? {}
    const token = {
      values: { ...app.carried, ...taken },
      ...(cookies !== undefined && { cookies }),
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
