import {
  attachCredential,
  type ConnectionContext,
  type LiveCredential,
  type ProviderEntry,
  ProviderError,
  type ProviderHttp,
} from '@mortise/providers'
import type { ProjectDb } from '../../../../kernel/db/index.ts'
import { createEnvelope } from '../../../../kernel/encryption/index.ts'
import type { Services } from '../../../../services.ts'
import { openCredential, type StoredCredential, usableCredential } from '../credential.ts'
import { findSealedConnection } from '../credential-store.ts'
import { entryOfConnection } from '../entry-of-connection.ts'
import { metadataValues } from '../model.ts'
import { createProviderHttp } from '../provider-http.ts'
import { type RenewedConnection, renewedCredential } from '../tokens/renewed-credential.ts'
import { TokenRefused, TokenUnavailable } from '../tokens/token-errors.ts'
import { providerPace } from './provider-pace.ts'
import { isRenewable, renewalNeed, tokenLife } from './renewal-rules.ts'
import { missingProvider } from './snapshot.ts'

/**
 * All that it takes to speak to a provider as a connection that is gone by then. It holds its credential: to be kept
 * sealed, and not for long.
 */
export interface DepartedConnection extends RenewedConnection {
  id: string
  credential: StoredCredential
}

/** Takes a connection along that is about to be deleted. Undefined when there is none. */
export async function takeAlong(
  tx: ProjectDb,
  { keyring }: Pick<Services, 'keyring'>,
  connectionId: string,
): Promise<DepartedConnection | undefined> {
  const row = await findSealedConnection(tx, connectionId)
  if (!row) return undefined
  const { provider, scheme_name, provider_metadata, provider_workspace_ref, provider_app_id } = row
  const credential = openCredential(createEnvelope(keyring), tx.projectId, row.connection_id, row.sealed)
  const place = { provider_metadata, provider_workspace_ref, provider_app_id }
  return { id: connectionId, provider, scheme_name, ...place, credential }
}

/**
 * Speaks to the provider as a connection that is gone. Its token is renewed before it ends, and once when it is
 * refused; nobody else uses it any more, so that the caller's being the only one is all the lock there is. Fails as a
 * live connection does.
 *
 * @param keep stores the credential that came of a renewal: the one before may be worth nothing from then on
 * @throws NoConnector when the catalogue does not know its provider any more
 */
export function openDeparted(
  db: ProjectDb,
  services: Pick<Services, 'keyring' | 'catalogue' | 'outbound' | 'now' | 'limits'>,
  connection: DepartedConnection,
  keep: (credential: StoredCredential) => Promise<void>,
): { entry: ProviderEntry; context: ConnectionContext & { credential: LiveCredential }; http: ProviderHttp } {
  const { catalogue, outbound, now } = services
  const entry = entryOfConnection(catalogue, connection)
  if (!entry) throw missingProvider(catalogue, connection.provider)
  const { provider_metadata: metadata, provider_workspace_ref: workspaceRef } = connection
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
      return { ...attachCredential(entry.authentication, usable), generation }
    },
    async refused(refused, { signal } = {}) {
      if (refused !== generation) return true
      if (generation > 0 || !isRenewable(stored)) return false
      await renew(signal)
      return true
    },
  }
  const pace = providerPace(services, { projectId: db.projectId, connectionId: connection.id, entry })
  return {
    entry,
    context: {
      metadata: metadataValues(metadata),
      ...(workspaceRef !== null && { workspaceRef }),
      credential,
    },
    http: createProviderHttp({ outbound, now, project: db.projectId, pace, isPatient: true }),
  }
}
