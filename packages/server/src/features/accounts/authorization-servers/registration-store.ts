import type { RegisteredClient } from '@mortise/providers'
import { type Kysely, sql } from 'kysely'
import type { ProjectDb, Tables } from '../../../kernel/db/index.ts'
import { createEnvelope, type Keyring } from '../../../kernel/encryption/index.ts'
import type { OwnClient } from '../credentials/index.ts'

interface RegistrationRow {
  id: string
  encrypted: string
}

/** What a registration holds, encrypted. */
type Registered = Omit<Extract<OwnClient, { kind: 'registered' }>, 'kind' | 'registrationId'>

/**
 * How long a registration is used for new authorizations after the server has last accepted it. A server that has
 * forgotten a client shows an error to the person, and nothing to us.
 */
const usedDays = 30
/** A person may take this long until the client is used at the token endpoint. */
const flowMinutes = 15

export async function findRegistration(
  db: ProjectDb,
  { issuer, redirectUri, now }: { issuer: string; redirectUri: string; now: Date },
): Promise<RegistrationRow | undefined> {
  const { rows } = await sql<RegistrationRow>`
    select id, encrypted from client_registrations
    where project_id = ${db.projectId} and issuer = ${issuer} and redirect_uri = ${redirectUri}
      and expire_time > ${now}`.execute(db.sql)
  return rows[0]
}

/** Stores a registration. Returns the one of another node that was faster. */
export async function insertRegistration(
  db: ProjectDb,
  { keyring, now }: { keyring: Keyring; now: () => Date },
  { id, issuer, redirectUri, client }: { id: string; issuer: string; redirectUri: string; client: RegisteredClient },
): Promise<RegistrationRow> {
  const { clientId, clientSecret = '', authentication, expiresAt } = client
  const registered: Registered = { clientId, clientSecret, authentication }
  const encrypted = createEnvelope(keyring).encrypt(JSON.stringify(registered), encryptedAt(db.projectId, id))
  const end = expiresAt && new Date(expiresAt.getTime() - flowMinutes * 60_000)
  const { rows } = await sql<RegistrationRow>`
    insert into client_registrations as r
      (project_id, id, issuer, redirect_uri, encrypted, create_time, expire_time, secret_expire_time)
    values (${db.projectId}, ${id}, ${issuer}, ${redirectUri}, ${encrypted}, ${now()},
      least(${now()}::timestamptz + ${usedDays} * interval '1 day', ${end ?? null}::timestamptz), ${end ?? null})
    on conflict (project_id, issuer, redirect_uri) do update set
      id = case when r.expire_time > ${now()} then r.id else excluded.id end,
      encrypted = case when r.expire_time > ${now()} then r.encrypted else excluded.encrypted end,
      create_time = case when r.expire_time > ${now()} then r.create_time else excluded.create_time end,
      secret_expire_time =
        case when r.expire_time > ${now()} then r.secret_expire_time else excluded.secret_expire_time end,
      expire_time = case when r.expire_time > ${now()} then r.expire_time else excluded.expire_time end
    returning id, encrypted`.execute(db.sql)
  return rows[0] as RegistrationRow
}

/** @throws UnknownEncryptionKey, DecryptionFailed */
export function openRegistration(
  db: ProjectDb,
  { keyring }: { keyring: Keyring },
  { id, encrypted }: RegistrationRow,
): OwnClient {
  const text = createEnvelope(keyring).open(encrypted, encryptedAt(db.projectId, id)).toString()
  return { kind: 'registered', registrationId: id, ...(JSON.parse(text) as Registered) }
}

/** The server has accepted the client. */
export async function keepRegistration(db: ProjectDb, client: OwnClient | undefined, now: Date): Promise<void> {
  if (client?.kind !== 'registered') return
  await sql`
    update client_registrations
    set expire_time = least(${now}::timestamptz + ${usedDays} * interval '1 day', secret_expire_time)
    where project_id = ${db.projectId} and id = ${client.registrationId}`.execute(db.sql)
}

/** The server does not know the client any more: the next authorization registers another one. */
export async function forgetRegistration(db: ProjectDb, client: OwnClient | undefined): Promise<void> {
  if (client?.kind !== 'registered') return
  await sql`
    delete from client_registrations
    where project_id = ${db.projectId} and id = ${client.registrationId}`.execute(db.sql)
}

export async function deleteExpiredRegistrations(system: Kysely<Tables>, now: Date): Promise<void> {
  await system.deleteFrom('client_registrations').where('expire_time', '<=', now).execute()
}

function encryptedAt(projectId: string, id: string) {
  return { table: 'client_registrations', project: projectId, row: id, column: 'encrypted' }
}
