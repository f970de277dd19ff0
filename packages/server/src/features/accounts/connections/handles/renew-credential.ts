import type { Catalogue } from '@mortise/providers'
import type { Database, ProjectDb } from '../../../../kernel/db/index.ts'
import { createEnvelope, type Keyring } from '../../../../kernel/encryption/index.ts'
import type { Outbound } from '../../../../kernel/net/index.ts'
import type { Logger } from '../../../../kernel/telemetry/index.ts'
import { CredentialRefused, CredentialUnavailable } from '../../../provider-calls/calls/index.ts'
import {
  credentialExpiry,
  encryptCredential,
  lockCredential,
  openCredential,
  type StoredCredential,
  storeFailure,
  storeRenewed,
  usableCredential,
} from '../../credentials/index.ts'
import {
  isRenewable,
  keepAliveAt,
  mayWorkLater,
  type Renewal,
  refusedDelayMs,
  renewedCredential,
  retryDelayMs,
  TokenRefused,
  TokenUnavailable,
} from '../../tokens/index.ts'
import { type EncryptedConnectionRow, findEncryptedConnection } from '../encrypted-connection.ts'
import type { ConnectionHooks } from '../hooks.ts'
import { ConnectionNotFound } from '../problems.ts'
import { keepAccount } from './keep-account.ts'
import { moveStatus } from './move-status.ts'
import { notifyInSavepoint, type Outcome, retryNotify } from './renewal-outcome.ts'
import { providerKeepAliveHours } from './snapshot.ts'

export type RenewServices = {
  database: Database
  keyring: Keyring
  catalogue: Catalogue
  outbound: Outbound
  now: () => Date
  hooks: ConnectionHooks
  log: Logger
}

export interface RenewalRequest {
  projectId: string
  connectionId: string
  /** The generation to replace. If the credential has another one by now, nothing is done. */
  generation: number
  /** `request`: a caller requested the renewal. It overrides remembered failures and emits no event. */
  why: 'use' | 'keep-alive' | 'request'
}

/** Covers both attempts if the method of client authentication is unknown. */
const renewalMostMs = 25_000

/**
 * Renews the tokens of a connection once, however many nodes try (decision 0020). Locks the credential's row first, and
 * calls the provider inside that transaction. This is the only place that does so: a caller that waited for the lock
 * finds the next generation. The new tokens, the next generation and their consequences commit together. If the process
 * dies, its session ends and releases the lock.
 *
 * The consequences (status, events) run in a savepoint. If they fail or deadlock, the tokens are stored all the same,
 * because the provider may have invalidated the old refresh token. The consequences are then retried right after.
 *
 * @throws ConnectionNotFound, CredentialRefused, CredentialUnavailable
 */
export async function renewCredential(services: RenewServices, request: RenewalRequest): Promise<void> {
  const { database, log } = services
  let outcome: Outcome | undefined
  try {
    outcome = await database.forRenewal(request.projectId).transaction((tx) => renewLocked(tx, services, request))
  } catch (cause) {
    if (cause instanceof ConnectionNotFound) throw cause
    log.warn({ err: cause, connectionId: request.connectionId }, 'failed to renew a credential')
    throw new CredentialUnavailable('The access token could not be renewed.', { cause })
  }
  if (outcome === undefined) return
  if (outcome.isPending) await retryNotify(database.forProject(request.projectId), request.connectionId, outcome)
  if (outcome.error) throw outcome.error
}

async function renewLocked(
  tx: ProjectDb,
  services: RenewServices,
  { connectionId, generation, why }: RenewalRequest,
): Promise<Outcome | undefined> {
  const { keyring, now } = services
  if (!(await lockCredential(tx, connectionId))) throw new ConnectionNotFound()
  const row = await findEncryptedConnection(tx, connectionId)
  if (!row) throw new ConnectionNotFound()
  if (row.generation !== generation) return undefined
  const envelope = createEnvelope(keyring)
  const stored = openCredential(envelope, tx.projectId, connectionId, row.encrypted)
  const asked = why === 'request' ? { ...row, refused: null, retry_at: null } : row
  if (!isRenewable(stored)) return undefined
  const known = rememberedFailure(asked, now())
  if (known) return { generation, notify: async () => {}, isPending: false, error: known }

  let renewal: Renewal
  try {
    const signal = AbortSignal.timeout(renewalMostMs)
    renewal = await renewedCredential(tx, services, row, stored, { signal })
  } catch (error) {
    if (error instanceof TokenRefused) return refusedOutcome(tx, services, { row, stored, error })
    if (error instanceof TokenUnavailable) return unavailableOutcome(tx, services, { row, error })
    throw error
  }
  const { credential, account } = renewal
  const renewTime = now()
  await storeRenewed(tx, connectionId, {
    encrypted: encryptCredential(envelope, tx.projectId, connectionId, credential),
    expireTime: credentialExpiry(credential),
    renewTime,
    renewAt: keepAliveAt(credential, {
      since: renewTime,
      random: Math.random(),
      everyHours: providerKeepAliveHours(services.catalogue, row),
    }),
  })
  // The first token emits no event, because the connection was just made.
  const quiet = why === 'request' || usableCredential(stored) === undefined
  return notifyInSavepoint(tx, {
    generation: generation + 1,
    notify: async (tx) => {
      await moveStatus(tx, services, connectionId, 'refreshed')
      await keepAccount(tx, connectionId, account)
      if (!quiet) await services.hooks.connectionRefreshed(tx, { connectionId })
    },
  })
}

/** Returns the failure of an earlier renewal of this generation, if it still prevents another one. */
export function rememberedFailure(
  { refused, retry_at }: Pick<EncryptedConnectionRow, 'refused' | 'retry_at'>,
  now: Date,
): CredentialRefused | CredentialUnavailable | undefined {
  const waitMs = retry_at ? retry_at.getTime() - now.getTime() : 0
  if (refused !== null) return retry_at === null || waitMs > 0 ? new CredentialRefused(refusedText(refused)) : undefined
  if (waitMs <= 0) return undefined
  return new CredentialUnavailable('The provider could not renew the access token a moment ago.', {
    retryAfterMs: waitMs,
  })
}

async function refusedOutcome(
  tx: ProjectDb,
  services: RenewServices,
  { row, stored, error }: { row: EncryptedConnectionRow; stored: StoredCredential; error: TokenRefused },
): Promise<Outcome> {
  const { connection_id: connectionId, generation } = row
  const again = mayWorkLater(error.error, stored)
  const delayMs = refusedDelayMs(row.renewal_failures, Math.random())
  const isForgotten = error.error === 'invalid_client' && stored.scheme === 'oauth2' && stored.client !== undefined
  const code = isForgotten ? 'client_forgotten' : codeOf(error)
  await storeFailure(tx, connectionId, {
    refused: code,
    retryAt: again ? new Date(services.now().getTime() + delayMs) : undefined,
  })
  const outcome = await notifyInSavepoint(tx, {
    generation,
    notify: async (tx) => {
      await moveStatus(tx, services, connectionId, 'credentials', refusedText(code))
    },
  })
  return { ...outcome, error: new CredentialRefused(refusedText(code), { cause: error }) }
}

async function unavailableOutcome(
  tx: ProjectDb,
  services: RenewServices,
  { row, error }: { row: EncryptedConnectionRow; error: TokenUnavailable },
): Promise<Outcome> {
  const retryAfterMs = retryDelayMs(row.renewal_failures, Math.random(), error.retryAfterMs)
  const retryAt = new Date(services.now().getTime() + retryAfterMs)
  await storeFailure(tx, row.connection_id, { refused: row.refused, retryAt })
  const unavailable = new CredentialUnavailable('The provider cannot renew the access token just now.', {
    retryAfterMs,
    cause: error,
  })
  return { generation: row.generation, notify: async () => {}, isPending: false, error: unavailable }
}

/**
 * Returns the error code if it looks like one. A provider may put any text there, which must not be stored or shown.
 */
function codeOf({ error }: TokenRefused): string {
  return /^[a-z_]{1,40}$/.test(error) ? error : 'unspecified'
}

const reasons: Record<string, string> = {
  client_forgotten: 'The provider no longer knows this application. Authorize the account again.',
  host_not_allowed: 'The provider app may not be used at the host of this connection.',
  no_client: 'The project has no app of the provider to renew the access token with.',
  token_type_not_supported:
    'The provider gave a token of type DPoP, which needs a proof with each request. Set the app at the provider to Bearer tokens.',
  no_refresh_token: 'There is nothing to renew the access token with.',
}

function refusedText(code: string): string {
  return reasons[code] ?? `The provider refused to renew the access token (${code}).`
}
