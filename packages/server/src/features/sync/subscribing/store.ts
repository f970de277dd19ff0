import { sql } from 'kysely'
import type { Database, ProjectDb } from '../../../kernel/db/index.ts'

/** A subscription that cannot be set up is told of by its `error`. */
export interface SubscriptionRow {
  account: string | null
  error: string | null
  attempts: number
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
  sealed_secret: string
  expire_time: Date | null
  create_time: Date
  renew_time: Date | null
}

/** Makes a subscription, or wakes the one that there is: it is looked at right away. */
export async function upsertSubscription(
  tx: ProjectDb,
  { installationId, integrationId, nextTime }: { installationId: string; integrationId: string; nextTime: Date },
): Promise<void> {
  await sql`
    insert into subscriptions as s (project_id, installation_id, integration_id, next_time)
    values (${tx.projectId}, ${installationId}, ${integrationId}, ${nextTime})
    on conflict (project_id, installation_id) do update set next_time = excluded.next_time, attempts = 0,
      update_time = now()`.execute(tx.sql)
}

export async function findSubscription(db: ProjectDb, installationId: string): Promise<SubscriptionRow | undefined> {
  const { rows } = await sql<SubscriptionRow>`
    select account, error, attempts from subscriptions
    where project_id = ${db.projectId} and installation_id = ${installationId}`.execute(db.sql)
  return rows[0]
}

/** Locks a subscription, so that what is said of it fits what was known; undefined when it is gone. */
export async function lockSubscription(tx: ProjectDb, installationId: string): Promise<SubscriptionRow | undefined> {
  const { rows } = await sql<SubscriptionRow>`
    select account, error, attempts from subscriptions
    where project_id = ${tx.projectId} and installation_id = ${installationId} for update`.execute(tx.sql)
  return rows[0]
}

export async function updateSubscription(
  tx: ProjectDb,
  installationId: string,
  { error, attempts, nextTime }: { error: string | null; attempts: number; nextTime: Date | null },
): Promise<void> {
  await sql`
    update subscriptions set error = ${error}, attempts = ${attempts}, next_time = ${nextTime}, update_time = now()
    where project_id = ${tx.projectId} and installation_id = ${installationId}`.execute(tx.sql)
}

export async function setAccount(db: ProjectDb, installationId: string, account: string | null): Promise<void> {
  await sql`
    update subscriptions set account = ${account}
    where project_id = ${db.projectId} and installation_id = ${installationId}
      and account is distinct from ${account}`.execute(db.sql)
}

export async function deleteSubscription(tx: ProjectDb, installationId: string): Promise<void> {
  await sql`
    delete from subscriptions
    where project_id = ${tx.projectId} and installation_id = ${installationId}`.execute(tx.sql)
}

/** Has subscriptions of a connection that could not be set up looked at again. */
export async function wakeFailedOf(tx: ProjectDb, connectionId: string, now: Date): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    update subscriptions s set next_time = ${now}, attempts = 0
    from installations i
    where s.project_id = ${tx.projectId} and s.error is not null
      and i.project_id = s.project_id and i.id = s.installation_id and i.connection_id = ${connectionId}
    returning s.installation_id as id`.execute(tx.sql)
  return rows.map(({ id }) => id)
}

/** Ids of all installations of an integration. */
export async function listInstallationIdsOf(db: ProjectDb, integrationId: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from installations where project_id = ${db.projectId} and integration_id = ${integrationId} order by id`.execute(
    db.sql,
  )
  return rows.map(({ id }) => id)
}

/** Those of them that have no subscription. */
export async function listUnsubscribedIdsOf(db: ProjectDb, integrationId: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select i.id from installations i
    left join subscriptions s on s.project_id = i.project_id and s.installation_id = i.id
    where i.project_id = ${db.projectId} and i.integration_id = ${integrationId} and s.installation_id is null
    order by i.id`.execute(db.sql)
  return rows.map(({ id }) => id)
}

/** Installations of an integration whose account events name so. */
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
 * Notes a registration before it is asked for. Does nothing where the subscription is gone: answers whether it is
 * there.
 */
export async function insertRegistration(
  db: ProjectDb,
  row: Pick<
    RegistrationRow,
    'id' | 'installation_id' | 'connection_id' | 'key' | 'object' | 'event' | 'events' | 'sealed_secret'
  >,
): Promise<boolean> {
  const { rows } = await sql`
    insert into registrations (project_id, id, installation_id, connection_id, key, object, event, events, sealed_secret)
    select s.project_id, ${row.id}, s.installation_id, ${row.connection_id}, ${row.key}, ${row.object}, ${row.event},
      ${row.events}::text[], ${row.sealed_secret}
    from subscriptions s
    where s.project_id = ${db.projectId} and s.installation_id = ${row.installation_id} for key share
    returning 1`.execute(db.sql)
  return rows.length > 0
}

/** Notes what the provider answered. Answers whether the registration is still wanted. */
export async function settleRegistration(
  db: ProjectDb,
  id: string,
  answer: { providerId: string; sealedSecret: string; expireTime: Date | null },
): Promise<boolean> {
  const { rows } = await sql`
    update registrations set provider_id = ${answer.providerId}, sealed_secret = ${answer.sealedSecret},
      expire_time = ${answer.expireTime}, renew_time = now()
    where project_id = ${db.projectId} and id = ${id} returning 1`.execute(db.sql)
  return rows.length > 0
}

export async function extendRegistration(db: ProjectDb, id: string, expireTime: Date | null): Promise<void> {
  await sql`
    update registrations set expire_time = ${expireTime}, renew_time = now()
    where project_id = ${db.projectId} and id = ${id}`.execute(db.sql)
}

export async function deleteRegistration(db: ProjectDb, id: string): Promise<void> {
  await sql`delete from registrations where project_id = ${db.projectId} and id = ${id}`.execute(db.sql)
}

/** Claims subscriptions that are due, across projects; each is due again after `again` unless somebody settles it. */
export async function claimDueSubscriptions(
  system: Database['system'],
  { now, again, limit }: { now: Date; again: Date; limit: number },
): Promise<{ projectId: string; installationId: string }[]> {
  const { rows } = await sql<{ projectId: string; installationId: string }>`
    with due as (
      select project_id, installation_id from subscriptions
      where next_time <= ${now} order by next_time limit ${limit} for no key update skip locked
    )
    update subscriptions s set next_time = ${again} from due
    where s.project_id = due.project_id and s.installation_id = due.installation_id
    returning s.project_id as "projectId", s.installation_id as "installationId"`.execute(system)
  return rows
}
