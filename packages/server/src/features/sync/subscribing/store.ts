import { type RawBuilder, type Selectable, sql } from 'kysely'
import type { ProjectDb, Tables } from '../../../kernel/db/index.ts'
import type { Lease, Work, WorkTable } from '../../../kernel/work/index.ts'

/** A subscription that cannot be set up has an `error`. */
export type SubscriptionRow = Selectable<Tables['subscriptions']>

/** Subscriptions are recurring work: due at `next_time`, or not until a change makes them due. */
export const subscriptions: WorkTable<SubscriptionRow> = {
  table: 'subscriptions',
  key: ['project_id', 'installation_id'],
  due: 'next_time',
  failures: 'attempts',
}

/** Claims the subscription of an installation if it is due and no worker has it. */
export function claimSubscription(
  db: ProjectDb,
  work: Work,
  installationId: string,
): Promise<Lease<SubscriptionRow> | undefined> {
  return work.claimOne(db, subscriptions, { where: sql`work.installation_id = ${installationId}` })
}

export interface RegistrationRow {
  id: string
  installation_id: string
  connection_id: string
  key: string
  object: string | null
  event: string | null
  events: string[]
  provider_id: string | null
  encrypted_secret: string
  expire_time: Date | null
  create_time: Date
  /** When it was registered or renewed last. */
  renew_time: Date | null
  next_renew_time: Date | null
}

/** Inserts a subscription that is due at this time, or makes the existing one due then. */
export async function upsertSubscription(
  tx: ProjectDb,
  { installationId, integrationId, due }: { installationId: string; integrationId: string; due: RawBuilder<Date> },
): Promise<void> {
  await sql`
    insert into subscriptions as s (project_id, installation_id, integration_id, next_time)
    values (${tx.projectId}, ${installationId}, ${integrationId}, ${due})
    on conflict (project_id, installation_id) do update set next_time = excluded.next_time, attempts = 0,
      update_time = now()`.execute(tx.sql)
}

export async function hasSubscription(db: ProjectDb, installationId: string): Promise<boolean> {
  const { rows } = await sql`
    select from subscriptions
    where project_id = ${db.projectId} and installation_id = ${installationId}`.execute(db.sql)
  return rows.length > 0
}

export async function setAccount(db: ProjectDb, installationId: string, account: string | null): Promise<void> {
  await sql`
    update subscriptions set account = ${account}
    where project_id = ${db.projectId} and installation_id = ${installationId}
      and account is distinct from ${account}`.execute(db.sql)
}

/**
 * Makes the failed subscriptions of a connection due again. So are those that a worker is setting up: it may have met
 * the former credential, and not stored that yet.
 */
export async function wakeFailedOf(tx: ProjectDb, connectionId: string, now: RawBuilder<Date>): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    update subscriptions s set next_time = ${now}, attempts = 0
    from installations i
    where s.project_id = ${tx.projectId} and (s.error is not null or s.fence is not null)
      and i.project_id = s.project_id and i.id = s.installation_id and i.connection_id = ${connectionId}
    returning s.installation_id as id`.execute(tx.sql)
  return rows.map(({ id }) => id)
}

/** Lists the ids of all installations of an integration. */
export async function listInstallationIdsOf(db: ProjectDb, integrationId: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from installations where project_id = ${db.projectId} and integration_id = ${integrationId} order by id`.execute(
    db.sql,
  )
  return rows.map(({ id }) => id)
}

/** Lists the ids of the installations of an integration without a subscription, or with one that failed. */
export async function listUnsubscribedOrFailedIdsOf(db: ProjectDb, integrationId: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select i.id from installations i
    left join subscriptions s on s.project_id = i.project_id and s.installation_id = i.id
    where i.project_id = ${db.projectId} and i.integration_id = ${integrationId}
      and (s.installation_id is null or s.error is not null)
    order by i.id`.execute(db.sql)
  return rows.map(({ id }) => id)
}

/** Lists the installations of an integration whose account has the name that an event carries. */
export async function listInstallationIdsOfAccount(
  db: ProjectDb,
  integrationId: string,
  account: string,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select installation_id as id from subscriptions
    where project_id = ${db.projectId} and integration_id = ${integrationId} and account = ${account}
    order by 1`.execute(db.sql)
  return rows.map(({ id }) => id)
}

export async function listRegistrations(db: ProjectDb, installationIds: string[]): Promise<RegistrationRow[]> {
  const { rows } = await sql<RegistrationRow>`
    select * from registrations
    where project_id = ${db.projectId} and installation_id = any(${installationIds}) order by id`.execute(db.sql)
  return rows
}

/**
 * Records a registration before it is requested. Does nothing if the subscription is deleted. Returns whether it
 * exists.
 */
export async function insertRegistration(
  db: ProjectDb,
  row: Pick<
    RegistrationRow,
    'id' | 'installation_id' | 'connection_id' | 'key' | 'object' | 'event' | 'events' | 'encrypted_secret'
  >,
): Promise<boolean> {
  const { rows } = await sql`
    insert into registrations (project_id, id, installation_id, connection_id, key, object, event, events, encrypted_secret)
    select s.project_id, ${row.id}, s.installation_id, ${row.connection_id}, ${row.key}, ${row.object}, ${row.event},
      ${row.events}::text[], ${row.encrypted_secret}
    from subscriptions s
    where s.project_id = ${db.projectId} and s.installation_id = ${row.installation_id} for key share
    returning 1`.execute(db.sql)
  return rows.length > 0
}

/** Until when a registration is valid, and when to renew it. Both are null if it does not expire. */
export interface Lifetime {
  expireTime: Date | null
  nextRenewTime: Date | null
}

/** Makes the renewal of one registration due now, or of all of an installation. */
export async function demandRenewal(
  tx: ProjectDb,
  now: RawBuilder<Date>,
  { installationId, registrationId = null }: { installationId: string; registrationId: string | null | undefined },
): Promise<void> {
  await sql`
    update registrations set next_renew_time = ${now}
    where project_id = ${tx.projectId} and installation_id = ${installationId}
      and (${registrationId}::uuid is null or id = ${registrationId})`.execute(tx.sql)
  await sql`
    update subscriptions set next_time = ${now}, attempts = 0
    where project_id = ${tx.projectId} and installation_id = ${installationId}`.execute(tx.sql)
}

/**
 * Records the response of the provider to a registration as it was listed or noted. A renewal that was demanded
 * meanwhile stays due. Returns whether the registration is still wanted.
 */
export async function settleRegistration(
  db: ProjectDb,
  row: ListedRegistration,
  answer: { providerId: string; encryptedSecret: string } & Lifetime,
): Promise<boolean> {
  const { rows } = await sql`
    update registrations set provider_id = ${answer.providerId}, encrypted_secret = ${answer.encryptedSecret},
      expire_time = ${answer.expireTime}, next_renew_time = ${nextRenewTime(row, answer)}, renew_time = now()
    where project_id = ${db.projectId} and id = ${row.id} returning 1`.execute(db.sql)
  return rows.length > 0
}

/** Records a renewal of a registration as it was listed. A renewal that was demanded meanwhile stays due. */
export async function extendRegistration(db: ProjectDb, row: ListedRegistration, lifetime: Lifetime): Promise<void> {
  await sql`
    update registrations set expire_time = ${lifetime.expireTime}, renew_time = now(),
      next_renew_time = ${nextRenewTime(row, lifetime)}
    where project_id = ${db.projectId} and id = ${row.id}`.execute(db.sql)
}

type ListedRegistration = Pick<RegistrationRow, 'id' | 'next_renew_time'>

/** The time of the next renewal, unless another one was demanded since the registration was listed. */
function nextRenewTime({ next_renew_time: listed }: ListedRegistration, lifetime: Lifetime): RawBuilder<unknown> {
  // A `Date` has no microseconds.
  return sql`case when date_trunc('milliseconds', next_renew_time) is not distinct from ${listed}::timestamptz
    then ${lifetime.nextRenewTime}::timestamptz else next_renew_time end`
}

export async function deleteRegistration(db: ProjectDb, id: string): Promise<void> {
  await sql`delete from registrations where project_id = ${db.projectId} and id = ${id}`.execute(db.sql)
}
