import { hash, randomBytes } from 'node:crypto'
import {
  asksForSecret,
  fillTemplate,
  openSubscriber,
  ProviderError,
  planRegistrations,
  type RegistrationPlan,
  type RegistrationRequest,
  type Subscriber,
  streamOf,
  type Webhooks,
  webhooksOf,
} from '@mortise/providers'
import { sql } from 'kysely'
import { backoffMs } from '../../../kernel/backoff.ts'
import type { ProjectDb } from '../../../kernel/db/index.ts'
import type { Keyring } from '../../../kernel/encryption/index.ts'
import { keepLeases, type Lease, LeaseLost } from '../../../kernel/work/index.ts'
import {
  findInstallation,
  type InstallationRecord,
  lockInstallation,
  refreshHealth,
} from '../../integrations/installations/index.ts'
import { receiverUrl } from '../../integrations/integrations/index.ts'
import { findProviderApp } from '../../integrations/provider-apps/index.ts'
import { classifyFailure, openProviderAccess, type ProviderFailure } from '../../provider-calls/calls/index.ts'
import { effectiveSubscribeObjects, wantedEvents } from './effective-subscribe.ts'
import { readMissed } from './read-missed.ts'
import { isPlaceOf, placesOf } from './registration-places.ts'
import { encryptRegistrationSecret, openRegistrationSecret } from './registration-secret.ts'
import {
  claimSubscription,
  deleteRegistration,
  extendRegistration,
  insertRegistration,
  type Lifetime,
  listRegistrations,
  type RegistrationRow,
  type SubscriptionRow,
  setAccount,
  settleRegistration,
} from './store.ts'
import { setUpStream } from './streams/set-up-stream.ts'
import type { SubscribeServices } from './subscribe-services.ts'
import { findWebhookSecret } from './webhook-secret-store.ts'

const backoff = { firstMs: 30_000, factor: 4, maxMs: 3_600_000 }
/** Number of attempts after which an unreachable provider is reported: about ten minutes. */
const reportedAfterAttempts = 4

/** Interval at which to check a subscription whose provider no longer declares webhooks. */
const withoutWebhooksMs = 20 * 60_000

/**
 * Syncs the registrations at the provider with what an installation subscribes to. Creates new registrations before it
 * ends those that they replace, and renews those that expire soon. It can run again at any time, and continues where it
 * stopped. Does nothing unless the subscription is due.
 */
export async function setUp(
  db: ProjectDb,
  services: SubscribeServices,
  installationId: string,
  signal: AbortSignal,
): Promise<void> {
  const lease = await claimSubscription(db, services.work, installationId)
  if (!lease) return
  try {
    await keepLeases(db, [lease], signal, (signal) => setUpLeased(db, services, lease, signal))
  } catch (error) {
    if (!(error instanceof LeaseLost)) throw error
  }
}

async function setUpLeased(
  db: ProjectDb,
  services: SubscribeServices,
  lease: Lease<SubscriptionRow>,
  signal: AbortSignal,
): Promise<void> {
  const { installation_id: installationId } = lease.row
  const installation = await findInstallation(db, installationId)
  const entry = services.catalogue.find(installation?.provider ?? '')
  if (installation && streamOf(entry, installation.module))
    return setUpStream(db, services, lease, effectiveSubscribeObjects(installation).size > 0)
  const webhooks = webhooksOf(entry, installation?.module)
  if (!installation || !webhooks) return settle(db, services, lease, 'undeclared')
  let outcome: Outcome
  try {
    const { nextTime, refusal } = await register(db, services, { installation, webhooks, signal })
    if (refusal !== undefined) outcome = { ...failureOf(refusal), nextTime }
    else outcome = effectiveSubscribeObjects(installation).size === 0 ? 'gone' : { nextTime }
  } catch (error) {
    signal.throwIfAborted()
    outcome = failureOf(error)
  }
  await settle(db, services, lease, outcome)

  function failureOf(error: unknown): ProviderFailure {
    const failure = classifyFailure(error)
    if (failure.scope === 'service') throw error
    services.log.info({ projectId: db.projectId, installationId, err: error }, 'failed to set up a subscription')
    return failure
  }
}

/** Interval at which registrations with `each` are spread over new items. */
const spreadAgainMs = 24 * 3_600_000

/** What customers and builders read while nobody has entered the secret: every event is refused until then. */
const secretMissing = (provider: string) =>
  `The webhook at ${provider} has no secret yet. Set it up there, and enter its secret.`

interface RegisterContext {
  installation: InstallationRecord
  webhooks: Webhooks
  signal: AbortSignal
}

interface Registering {
  /** When the next registration must be renewed. */
  nextTime?: Date | undefined
  /** Why an object is registered nowhere, while the others are. */
  refusal?: unknown
}

/** Creates and renews registrations. */
async function register(
  db: ProjectDb,
  services: SubscribeServices,
  { installation, webhooks, signal }: RegisterContext,
): Promise<Registering> {
  const { id: installationId, connectionId, module } = installation
  const { entry, context, http } = await openProviderAccess(db, services, connectionId, { module, isBackground: true })
  const now = () => services.now().getTime()
  const app = await appValues(db, installation)
  const subscriber = webhooks.registration && openSubscriber(entry, context, http, { now, app })
  const known = webhooks.account?.is === undefined ? undefined : fillTemplate(entry, webhooks.account.is, context)
  const account = known ?? (await subscriber?.account(signal))
  if (webhooks.account && !account)
    throw new ProviderError('bad_request', 'The connection does not say which account of the provider it is for.')
  await setAccount(db, installationId, account ?? null)
  if (webhooks.registration === undefined || subscriber === undefined) {
    if (asksForSecret(webhooks.verify) && (await findWebhookSecret(db, installationId)) === undefined)
      throw new ProviderError('bad_request', secretMissing(entry.displayName))
    return {}
  }

  const objects = [...effectiveSubscribeObjects(installation).values()]
  const there = await listRegistrations(db, [installationId])
  const planned = planRegistrations(
    webhooks,
    objects.map((object) => ({ object: object.objectName, events: wantedEvents(webhooks, object) })),
  )
  const kept = new Set<string>()
  const times: Date[] = []
  /** Brings a plan into force; false if the installation was deleted meanwhile. */
  const keep = async (plan: RegistrationPlan): Promise<boolean> => {
    const row =
      there.find((row) => row.connection_id === connectionId && isSame(row, plan)) ??
      (await noteRegistration(db, services, installation, plan))
    if (row === undefined) return false
    kept.add(row.id)
    const renewTime = await bringIntoForce(db, services, { installation, webhooks, row, subscriber, signal })
    if (renewTime) times.push(renewTime)
    return true
  }

  const spread = planned.filter((plan) => subscriber.isSpread(plan))
  // First, because they need no list of the provider.
  for (const plan of planned) if (!spread.includes(plan) && !(await keep(plan))) return {}
  const refused: { plan: RegistrationPlan; error: unknown }[] = []
  const { places: all, error: unlisted } = await placesOf(subscriber, spread, there, signal)
  for (const plan of spread) {
    const places = all.filter((place) => isPlaceOf(place, plan))
    const refusals: unknown[] = []
    for (const place of places) {
      try {
        if (!(await keep(place))) return {}
      } catch (error) {
        if (!isRefused(error)) throw error
        refusals.push(error)
      }
    }
    const isNowhere = refusals.length > 0 && refusals.length === places.length
    if (unlisted !== undefined || isNowhere) refused.push({ plan, error: unlisted ?? refusals[0] })
  }
  if (spread.length > 0) times.push(new Date(services.now().getTime() + spreadAgainMs))
  for (const row of there) {
    // What nothing replaces stays.
    if (kept.has(row.id) || refused.some(({ plan }) => isPlaceOf(row, plan))) continue
    if (row.provider_id !== null && row.connection_id === connectionId)
      await subscriber.unregister({ ...requestOf(db, services, installation, row), id: row.provider_id, signal })
    await deleteRegistration(db, row.id)
  }
  const [nextTime] = times.sort((one, other) => one.getTime() - other.getTime())
  return { nextTime, ...(refused[0] && { refusal: refused[0].error }) }
}

/**
 * Returns the values of an installation's provider app, except secrets. A connection that was made without an app has
 * those of the newest one.
 */
async function appValues(db: ProjectDb, { row, provider }: InstallationRecord): Promise<Record<string, string>> {
  const metadata = row.app_id === null ? (await findProviderApp(db, { provider }))?.metadata : row.app_metadata
  return metadata?.providerParams ?? {}
}

/**
 * Whether the provider refuses one of several registrations: the account has no access to the item, or it no longer
 * exists.
 */
function isRefused(error: unknown): boolean {
  const { kind } = classifyFailure(error)
  return kind === 'forbidden' || kind === 'not_found'
}

function isSame(row: RegistrationRow, plan: RegistrationPlan): boolean {
  return row.key === plan.key && row.events.join('\n') === plan.events.join('\n')
}

/** Records a registration before requesting it, so that a repeated request has the same id. */
async function noteRegistration(
  db: ProjectDb,
  services: SubscribeServices,
  installation: InstallationRecord,
  plan: RegistrationPlan,
): Promise<RegistrationRow | undefined> {
  const id = services.newId()
  const secret = randomBytes(32).toString('hex')
  const row: RegistrationRow = {
    id,
    installation_id: installation.id,
    connection_id: installation.connectionId,
    key: plan.key,
    object: plan.object ?? null,
    event: plan.event ?? null,
    events: plan.events,
    provider_id: null,
    encrypted_secret: encryptRegistrationSecret(services, db.projectId, id, secret),
    expire_time: null,
    create_time: services.now(),
    renew_time: null,
    next_renew_time: null,
  }
  return (await insertRegistration(db, row)) ? row : undefined
}

/**
 * Creates a registration that does not exist yet, or renews one that expires soon. Registers again what the provider
 * does not know any more, and reads what was not reported meanwhile. Returns when to renew it next.
 */
async function bringIntoForce(
  db: ProjectDb,
  services: SubscribeServices,
  context: Pick<RegisterContext, 'installation' | 'webhooks' | 'signal'> & {
    row: RegistrationRow
    subscriber: Subscriber
  },
): Promise<Date | undefined> {
  const { installation, webhooks, row, subscriber, signal } = context
  const request = { ...requestOf(db, services, installation, row), signal }
  const { provider_id: id, expire_time: ends, id: ours } = row
  const now = services.now()
  const lifetimeOf = (expires: Date | undefined): Lifetime => ({
    expireTime: expires ?? null,
    nextRenewTime: expires ? renewalTime(expires, now, ours, webhooks.registration?.renewAfterSeconds) : null,
  })
  // It was in force, and is not now: events may be missing.
  let isGap = id !== null && ends !== null && ends <= now
  if (id !== null) {
    const due = row.next_renew_time ?? (ends && renewalTime(ends, row.renew_time ?? now, ours))
    if (due === null || due > now) return due ?? undefined
    const renewed = isGap ? undefined : await renew(subscriber, { ...request, id })
    if (renewed === 'lost') isGap = true
    else if (renewed !== undefined) {
      const lifetime = lifetimeOf(renewed.expires)
      await extendRegistration(db, row, lifetime)
      return lifetime.nextRenewTime ?? undefined
    }
  }
  const made = await subscriber.register(request)
  const lifetime = lifetimeOf(made.expires)
  const isWanted = await db.transaction(async (tx) => {
    if (isGap) await readMissed(tx, services, installation, row.object ?? undefined)
    return settleRegistration(tx, row, {
      providerId: made.id,
      encryptedSecret: encryptRegistrationSecret(services, db.projectId, ours, made.secret ?? request.secret),
      ...lifetime,
    })
  })
  // The installation was deleted meanwhile, and its teardown did not include this registration.
  if (!isWanted) await subscriber.unregister({ ...request, id: made.id })
  else if (id !== null && id !== made.id) await subscriber.unregister({ ...request, id })
  return lifetime.nextRenewTime ?? undefined
}

/** Renews a registration. `lost`: the provider does not know it any more. Undefined where it knows no renewal. */
async function renew(subscriber: Subscriber, request: RegistrationRequest & { id: string; signal: AbortSignal }) {
  try {
    return await subscriber.renew(request)
  } catch (error) {
    if (!request.signal.aborted && classifyFailure(error).kind === 'not_found') return 'lost'
    throw error
  }
}

/** Returns the request about a registration, the same each time. */
export function requestOf(
  { projectId }: ProjectDb,
  services: { publicUrl: string; keyring: Keyring },
  { id: installationId, integrationId }: Pick<InstallationRecord, 'id' | 'integrationId'>,
  row: RegistrationRow,
): RegistrationRequest {
  return {
    registration: row.id,
    key: row.key,
    ...(row.object !== null && { object: row.object }),
    ...(row.event !== null && { event: row.event }),
    events: row.events,
    url: receiverUrl(services, { projectId, integrationId, installationId, registrationId: row.id }),
    secret: openRegistrationSecret(services, projectId, row),
  }
}

/**
 * Returns when to renew a registration: when 75 to 80 % of its lifetime are over, or as much of the declared time. The
 * share of each registration is constant, so that those that were made together are not renewed in one second.
 *
 * @param from when it was registered or renewed
 */
function renewalTime(ends: Date, from: Date, id: string, afterSeconds?: number): Date {
  const share = 0.75 + 0.05 * shareOf(id)
  const lifetimeMs = Math.max(0, ends.getTime() - from.getTime())
  const declaredMs = afterSeconds === undefined ? Number.POSITIVE_INFINITY : (afterSeconds * 1_000) / 0.8
  return new Date(from.getTime() + Math.min(lifetimeMs, declaredMs) * share)
}

/** Maps an id evenly to [0, 1). */
function shareOf(id: string): number {
  return hash('sha256', id, 'buffer').readUInt32BE() / 2 ** 32
}

type Outcome =
  | 'undeclared'
  | 'gone'
  | { nextTime: Date | undefined }
  | (ProviderFailure & { nextTime?: Date | undefined })

async function settle(
  db: ProjectDb,
  services: SubscribeServices,
  lease: Lease<SubscriptionRow>,
  outcome: Outcome,
): Promise<void> {
  await db.transaction(async (tx) => {
    // First, in the same order as every transaction that changes more than the subscription.
    await lockInstallation(tx, lease.row.installation_id)
    const known = await lease.lock(tx)
    // A change made it due again meanwhile: this result is for the previous config.
    if (known.next_time?.getTime() !== lease.row.next_time?.getTime()) return lease.release(tx)
    if (outcome === 'undeclared') return lease.postpone(tx, { ms: withoutWebhooksMs, isFailure: false })
    const { installation_id: installationId } = known
    if (outcome === 'gone') await lease.finish(tx)
    else if ('subscribe' in outcome) {
      const isPassing = outcome.subscribe === 'retry'
      const isReported = !isPassing || known.attempts + 1 >= reportedAfterAttempts
      const waitMs = Math.max(outcome.retryAfterMs ?? 0, backoffMs(backoff, known.attempts, Math.random()))
      const error = isReported ? outcome.sentence : known.error
      const set = sql`error = ${error}, update_time = now()`
      await lease.postpone(tx, {
        ...(isPassing ? { ms: waitMs } : { until: outcome.nextTime ?? null }),
        isFailure: true,
        set,
      })
      // Reported once for as long as it lasts.
      if (isReported && known.error === null)
        await services.hooks.subscriptionsFailed(tx, [{ installationId, error: outcome.sentence }])
    } else {
      await lease.complete(tx, { due: outcome.nextTime ?? null, set: sql`error = null, update_time = now()` })
      if (known.error !== null) await services.hooks.subscriptionRecovered(tx, { installationId })
    }
    await refreshHealth(tx, { installationId })
  })
}
