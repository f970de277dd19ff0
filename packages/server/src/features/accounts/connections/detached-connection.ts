import {
  attachCredential,
  type Catalogue,
  type ConnectionContext,
  type LiveCredential,
  type ProviderEntry,
  ProviderError,
  type ProviderHttp,
  withAppValues,
} from '@mortise/providers'
import type { ProjectDb } from '../../../kernel/db/index.ts'
import { createEnvelope, type Keyring } from '../../../kernel/encryption/index.ts'
import type { Outbound } from '../../../kernel/net/index.ts'
import type { SharedLimits } from '../../../kernel/rate-limits/index.ts'
import { findAppValues } from '../../integrations/provider-apps/index.ts'
import { createProviderHttp, providerRateLimiter } from '../../provider-calls/calls/index.ts'
import { entryOfConnection, metadataValues, missingProvider } from '../connection-inputs/index.ts'
import { openCredential, type StoredCredential, usableCredential } from '../credentials/index.ts'
import {
  isRenewable,
  type RenewedConnection,
  renewalNeed,
  renewedCredential,
  TokenRefused,
  TokenUnavailable,
  tokenLife,
} from '../tokens/index.ts'
import { findEncryptedConnection } from './encrypted-connection.ts'

/**
 * What it takes to send requests to a provider as a deleted connection. It contains the credential: store it encrypted,
 * and not for long.
 */
export interface DetachedConnection extends RenewedConnection {
  id: string
  credential: StoredCredential
}

/** Detaches a connection that is about to be deleted. Returns undefined if it does not exist. */
export async function detachConnection(
  tx: ProjectDb,
  { keyring }: { keyring: Keyring },
  connectionId: string,
): Promise<DetachedConnection | undefined> {
  const row = await findEncryptedConnection(tx, connectionId)
  if (!row) return undefined
  const { provider, scheme_name, provider_metadata, provider_workspace_ref, provider_app_id } = row
  const credential = openCredential(createEnvelope(keyring), tx.projectId, row.connection_id, row.encrypted)
  const values = { provider_metadata, provider_workspace_ref, provider_app_id }
  return { id: connectionId, provider, scheme_name, ...values, credential }
}

/**
 * Opens the provider for a deleted connection. Renews the token before it expires, and once if it is refused. The
 * caller is the only user of the credential, so renewals need no lock. Requests fail as they do with a connection
 * handle.
 *
 * @param keep stores the renewed credential: a renewal may invalidate the previous one
 * @throws NoConnector if the catalog no longer has the provider
 */
export function openDetached(
  db: ProjectDb,
  services: { keyring: Keyring; catalogue: Catalogue; outbound: Outbound; now: () => Date; limits: SharedLimits },
  connection: DetachedConnection,
  keep: (credential: StoredCredential) => Promise<void>,
): { entry: ProviderEntry; context: ConnectionContext & { credential: LiveCredential }; http: ProviderHttp } {
  const { catalogue, outbound, now } = services
  const entry = entryOfConnection(catalogue, connection)
  if (!entry) throw missingProvider(catalogue, connection.provider)
  const { provider_metadata: metadata, provider_workspace_ref: workspaceRef, provider_app_id: appId } = connection
  const values = { metadata: metadataValues(metadata), ...(workspaceRef !== null && { workspaceRef }) }
  let stored = connection.credential
  let generation = 0

  async function renew(signal?: AbortSignal): Promise<void> {
    try {
      const renewal = await renewedCredential(db, services, connection, stored, signal ? { signal } : {})
      stored = renewal.credential
      generation++
    } catch (cause) {
      if (cause instanceof TokenRefused) throw new ProviderError('auth_invalidated', cause.message, { cause })
      if (cause instanceof TokenUnavailable)
        throw new ProviderError('provider_5xx', cause.message, {
          cause,
          ...(cause.retryAfterMs !== undefined && { retryAfterMs: cause.retryAfterMs }),
        })
      throw cause
    }
    await keep(stored)
  }

  const credential: LiveCredential = {
    async authenticate({ signal } = {}) {
      if (isRenewable(stored) && renewalNeed(tokenLife(stored), now()) !== 'none') await renew(signal)
      const usable = usableCredential(stored)
      if (!usable) throw new ProviderError('auth_invalidated', 'The connection had no access token.')
      const plain = { ...attachCredential(entry.authentication, usable), generation }
      if (entry.appValues === undefined) return plain
      return withAppValues(entry, plain, await findAppValues(db, services, entry, appId), values)
    },
    async refused(refused, { signal } = {}) {
      if (refused !== generation) return true
      if (generation > 0 || !isRenewable(stored)) return false
      await renew(signal)
      return true
    },
  }
  const rateLimiter = providerRateLimiter(services, { projectId: db.projectId, connectionId: connection.id, entry })
  return {
    entry,
    context: { ...values, credential },
    http: createProviderHttp({ outbound, now, project: db.projectId, rateLimiter, isBackground: true }),
  }
}
