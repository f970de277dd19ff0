import { randomBytes } from 'node:crypto'
import {
  answerTable,
  fillTemplate,
  InvalidInputs,
  NoConnector,
  openSubscriber,
  ProviderError,
  planRegistrations,
  type RegistrationPlan,
  type RegistrationRequest,
  type Subscriber,
  type Webhooks,
} from '@mortise/providers'
import { backoffMs } from '../../../kernel/backoff.ts'
import type { ProjectDb } from '../../../kernel/db/index.ts'
import { OutboundError } from '../../../kernel/net/index.ts'
import type { Services } from '../../../services.ts'
import { ConnectionNotFound, openProviderAccess } from '../../accounts/connections/index.ts'
import { findInstallation, type InstallationRecord, refreshHealth } from '../../integrations/installations/index.ts'
import { receiverUrl } from '../../integrations/integrations/index.ts'
import { effectiveSubscribeObjects, wantedEvents } from './effective-subscribe.ts'
import { openRegistrationSecret, sealRegistrationSecret } from './registration-secret.ts'
import {
  deleteRegistration,
  deleteSubscription,
  extendRegistration,
  findSubscription,
  insertRegistration,
  listRegistrations,
  lockSubscription,
  type RegistrationRow,
  setAccount,
  settleRegistration,
  updateSubscription,
} from './store.ts'

const backoff = { firstMs: 30_000, factor: 4, maxMs: 3_600_000 }
/** A provider that cannot be reached is reported after so many attempts: about ten minutes. */
const toldAfterAttempts = 4

/**
 * Brings what the provider knows in line with what an installation wants to hear: new registrations are made before
 * those that they replace end, those that end soon are renewed. It can be run again at any time, and goes on where it
 * stopped.
 */
export async function setUp(
  db: ProjectDb,
  services: Services,
  installationId: string,
  signal: AbortSignal,
): Promise<void> {
  const installation = await findInstallation(db, installationId)
  const webhooks = services.catalogue.find(installation?.provider ?? '')?.file?.webhooks
  if (!installation || !webhooks || !(await findSubscription(db, installationId))) return
  try {
    const nextTime = await register(db, services, { installation, webhooks, signal })
    const isDone = effectiveSubscribeObjects(installation).size === 0
    await settle(db, services, installationId, isDone ? 'gone' : { nextTime })
  } catch (error) {
    signal.throwIfAborted()
    const failure = failureOf(error)
    if (failure === undefined) throw error
    services.log.info({ projectId: db.projectId, installationId, err: error }, 'failed to set up a subscription')
    await settle(db, services, installationId, failure)
  }
}

/** Places that came since are found so much later. */
const spreadAgainMs = 24 * 3_600_000

interface Work {
  installation: InstallationRecord
  webhooks: Webhooks
  signal: AbortSignal
}

/** Answers when a registration has to be renewed next. */
async function register(db: ProjectDb, services: Services, { installation, webhooks, signal }: Work) {
  const { id: installationId, connectionId, module } = installation
  const { entry, context, http } = await openProviderAccess(db, services, connectionId, { module, isPatient: true })
  const account = webhooks.account && fillTemplate(entry, webhooks.account.is, context)
  if (webhooks.account && !account)
    throw new ProviderError('bad_request', 'The connection does not say which account of the provider it is for.')
  await setAccount(db, installationId, account ?? null)
  if (webhooks.registration === undefined) return undefined

  const objects = [...effectiveSubscribeObjects(installation).values()]
  const there = await listRegistrations(db, [installationId])
  const subscriber = openSubscriber(entry, context, http, { now: () => services.now().getTime() })
  const plans = await subscriber.spread(
    planRegistrations(
      webhooks,
      objects.map((object) => ({ object: object.objectName, events: wantedEvents(webhooks, object) })),
    ),
    signal,
  )
  const kept = new Set<string>()
  const times: Date[] = []
  const isSpread = webhooks.registration.each !== undefined
  if (isSpread && plans.length > 0) times.push(new Date(services.now().getTime() + spreadAgainMs))
  const refusals: ProviderError[] = []
  for (const plan of plans) {
    const row =
      there.find((row) => row.connection_id === connectionId && isSame(row, plan)) ??
      (await noteRegistration(db, services, installation, plan))
    if (row === undefined) return undefined
    kept.add(row.id)
    const expireTime = await bringIntoForce(db, services, { installation, row, subscriber, signal }).catch(
      (error: unknown) => {
        if (!isSpread || !isRefused(error)) throw error
        refusals.push(error)
      },
    )
    if (expireTime) times.push(renewalTime(expireTime, services.now()))
  }
  const [refusal] = refusals
  if (refusal !== undefined && refusals.length === plans.length) throw refusal
  for (const row of there) {
    if (kept.has(row.id)) continue
    if (row.provider_id !== null && row.connection_id === connectionId)
      await subscriber.unregister({ ...requestOf(db, services, installation, row), id: row.provider_id, signal })
    await deleteRegistration(db, row.id)
  }
  return times.sort((one, other) => one.getTime() - other.getTime())[0]
}

/** One place of several refuses: it is not the account's to decide, or is no longer there. */
function isRefused(error: unknown): error is ProviderError {
  return error instanceof ProviderError && (error.class === 'forbidden' || error.class === 'not_found')
}

function isSame(row: RegistrationRow, plan: RegistrationPlan): boolean {
  return row.key === plan.key && row.events.join('\n') === plan.events.join('\n')
}

/** A registration is noted before it is asked for, so that its id stays the same when it is asked for again. */
async function noteRegistration(
  db: ProjectDb,
  services: Services,
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
    sealed_secret: sealRegistrationSecret(services, db.projectId, id, secret),
    expire_time: null,
    create_time: services.now(),
    renew_time: null,
  }
  return (await insertRegistration(db, row)) ? row : undefined
}

/** Makes a registration that is not made yet, and renews one that ends soon. Answers when it ends. */
async function bringIntoForce(
  db: ProjectDb,
  services: Services,
  {
    installation,
    row,
    subscriber,
    signal,
  }: { installation: InstallationRecord; row: RegistrationRow; subscriber: Subscriber; signal: AbortSignal },
): Promise<Date | undefined> {
  const request = { ...requestOf(db, services, installation, row), signal }
  const { provider_id: id, expire_time: ends, id: ours } = row
  if (id !== null) {
    if (ends === null || renewalTime(ends, services.now(), row) > services.now()) return ends ?? undefined
    const renewed = await subscriber.renew({ ...request, id })
    if (renewed !== undefined) {
      await extendRegistration(db, ours, renewed.expires ?? null)
      return renewed.expires
    }
  }
  const made = await subscriber.register(request)
  const isWanted = await settleRegistration(db, ours, {
    providerId: made.id,
    sealedSecret: sealRegistrationSecret(services, db.projectId, ours, made.secret ?? request.secret),
    expireTime: made.expires ?? null,
  })
  // The installation went meanwhile, and its teardown did not know of this one.
  if (!isWanted) await subscriber.unregister({ ...request, id: made.id })
  else if (id !== null && id !== made.id) await subscriber.unregister({ ...request, id })
  return made.expires
}

/** The request about a registration, as it is made each time. */
export function requestOf(
  { projectId }: ProjectDb,
  services: Pick<Services, 'publicUrl' | 'keyring'>,
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
 * When four fifths of its life are over: of what is left of it now, or of all of it where it is known since when it
 * lasts.
 */
function renewalTime(ends: Date, now: Date, since: { renew_time: Date | null } = { renew_time: now }): Date {
  const from = (since.renew_time ?? now).getTime()
  return new Date(from + Math.max(0, ends.getTime() - from) * 0.8)
}

type Outcome = 'gone' | { nextTime: Date | undefined } | { error: string; isPassing: boolean; retryAfterMs?: number }

async function settle(db: ProjectDb, services: Services, installationId: string, outcome: Outcome): Promise<void> {
  await db.transaction(async (tx) => {
    const known = await lockSubscription(tx, installationId)
    if (!known) return
    if (outcome === 'gone') await deleteSubscription(tx, installationId)
    else if ('error' in outcome) {
      const attempts = known.attempts + 1
      const isTold = !outcome.isPassing || attempts >= toldAfterAttempts
      const waitMs = Math.max(outcome.retryAfterMs ?? 0, backoffMs(backoff, known.attempts, Math.random()))
      const nextTime = outcome.isPassing ? new Date(services.now().getTime() + waitMs) : null
      const error = isTold ? outcome.error : known.error
      await updateSubscription(tx, installationId, { error, attempts, nextTime })
      // Told once for as long as it lasts.
      if (isTold && known.error === null)
        await services.hooks.subscriptionsFailed(tx, [{ installationId, error: outcome.error }])
    } else
      await updateSubscription(tx, installationId, { error: null, attempts: 0, nextTime: outcome.nextTime ?? null })
    await refreshHealth(tx, { installationId })
  })
}

/** What a failure means: whether it passes by itself, and the public sentence. Undefined for what is our own fault. */
export function failureOf(error: unknown): { error: string; isPassing: boolean; retryAfterMs?: number } | undefined {
  if (error instanceof ProviderError) {
    const { message, providerMessage, retryAfterMs } = error
    return {
      error: [message, providerMessage].filter(Boolean).join(' '),
      isPassing: answerTable[error.class].setsUpAgain,
      ...(retryAfterMs !== undefined && { retryAfterMs }),
    }
  }
  if (error instanceof OutboundError) return { error: error.message, isPassing: error.kind !== 'refused_address' }
  if (error instanceof InvalidInputs || error instanceof NoConnector || error instanceof ConnectionNotFound)
    return { error: error.message, isPassing: false }
  return undefined
}
