import { type OfferedSecret, openSubscriber, ProviderError } from '@mortise/providers'
import type { ProjectDb } from '../../../kernel/db/index.ts'
import type { Keyring } from '../../../kernel/encryption/index.ts'
import { findInstallation } from '../../integrations/installations/index.ts'
import { receiverUrl } from '../../integrations/integrations/index.ts'
import { type ConnectionHandles, openProviderAccess } from '../../provider-calls/calls/index.ts'
import { EventUnverified, SubscriptionNotFound, SubscriptionUnconfirmed } from './problems.ts'
import { encryptRegistrationSecret, openRegistrationSecret } from './registration-secret.ts'
import { activate, extendRegistration, listRegistrations, type RegistrationRow } from './store.ts'

interface ActivationServices {
  keyring: Keyring
  publicUrl: string
  now: () => Date
  outbound: Parameters<typeof openProviderAccess>[1]['outbound']
  connectionHandles: ConnectionHandles
}

/** Registrations whose secret this node is sending back. */
const inProgress = new Set<string>()

const timeoutMs = 10_000

/**
 * Sends the secret of a handshake back to the provider, as the account of the installation, and stores it if the
 * provider accepts it. Anybody can send a handshake, so the provider decides: it knows which secret it sent. Only a
 * registration without a secret takes one, and one request of a registration is in progress at a time.
 *
 * @throws SubscriptionNotFound, EventUnverified if the registration has a secret, or the provider refuses this one;
 *   SubscriptionUnconfirmed if the provider is not available
 */
export async function activateRegistration(
  db: ProjectDb,
  services: ActivationServices,
  of: { installationId: string; registrationId: string | undefined },
  { secret, id }: OfferedSecret,
): Promise<void> {
  const rows = await listRegistrations(db, [of.installationId])
  const row = rows.find((one) => one.id === of.registrationId)
  const installation = await findInstallation(db, of.installationId)
  if (row === undefined || installation === undefined) throw new SubscriptionNotFound()
  if (id === undefined || (row.provider_id ?? id) !== id || !awaitsSecret(db, services, row))
    throw new EventUnverified()
  if (inProgress.has(row.id)) throw new SubscriptionUnconfirmed()
  inProgress.add(row.id)
  try {
    const { entry, context, http } = await openProviderAccess(db, services, row.connection_id, {
      ...(installation.module !== undefined && { module: installation.module }),
    })
    const subscriber = openSubscriber(entry, context, http, { now: () => services.now().getTime() })
    const { object, event } = row
    const named = { ...(object !== null && { object }), ...(event !== null && { event }) }
    const ids = { projectId: db.projectId, integrationId: installation.integrationId, installationId: installation.id }
    const url = receiverUrl(services, { ...ids, registrationId: row.id })
    const request = { registration: row.id, key: row.key, ...named, events: row.events, url, secret, id }
    await subscriber.activate({ ...request, signal: AbortSignal.timeout(timeoutMs) })
    const encryptedSecret = encryptRegistrationSecret(services, db.projectId, row.id, secret)
    await activate(db, row.id, { providerId: id, encryptedSecret })
  } catch (cause) {
    const isRefused = cause instanceof ProviderError && refusals.includes(cause.class)
    throw isRefused ? new EventUnverified({ cause }) : new SubscriptionUnconfirmed({ cause })
  } finally {
    inProgress.delete(row.id)
  }
}

/** Errors that say that the provider did not send this secret. */
const refusals: readonly string[] = ['bad_request', 'forbidden', 'not_found']

/** Whether the secret of a registration is still to come. A registration is recorded with an empty one. */
export function awaitsSecret({ projectId }: ProjectDb, services: { keyring: Keyring }, row: RegistrationRow): boolean {
  return openRegistrationSecret(services, projectId, row) === ''
}

/** Interval at which to request a handshake that does not arrive. */
const handshakeMs = 10 * 60_000

/** When to request the handshake of a registration that was made or requested now. */
export function nextHandshake(now: Date): { expireTime: null; nextRenewTime: Date } {
  return { expireTime: null, nextRenewTime: new Date(now.getTime() + handshakeMs) }
}

/** Requests a handshake that is due. Returns when to do it next, or `lost` if the provider has no such registration. */
export async function requestHandshake(
  db: ProjectDb,
  now: Date,
  row: RegistrationRow,
  resend: () => Promise<void>,
): Promise<Date | 'lost'> {
  if (row.next_renew_time !== null && row.next_renew_time > now) return row.next_renew_time
  try {
    await resend()
  } catch (error) {
    if (error instanceof ProviderError && error.class === 'not_found') return 'lost'
    throw error
  }
  const next = nextHandshake(now)
  await extendRegistration(db, row, next)
  return next.nextRenewTime
}
