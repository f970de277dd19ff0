import { type Kysely, type Selectable, sql } from 'kysely'
import { andIf, isId, type ProjectDb, prepared, type Tables } from '../../../kernel/db/index.ts'
import type { PreviousSecret } from '../../../kernel/encryption/index.ts'
import type { PageBounds } from '../../../kernel/http/index.ts'

/** Where a destination that does not send gives its messages. */
export interface Forwarding {
  /** Names of the destinations that get each message; empty if each group has one; null for one that sends. */
  members: string[] | null
  /** Name of the destination of messages whose group has none. */
  groupDefault: string | null
}

export type DestinationRow = Selectable<Tables['destinations']>

/** Oldest first. */
export async function listDestinations(db: ProjectDb, { after, limit }: PageBounds = {}): Promise<DestinationRow[]> {
  const { rows } = await sql<DestinationRow>`${prepared}
    select * from destinations where project_id = ${db.projectId} ${andIf(after, (id) => sql`id > ${id}`)}
    order by id limit ${limit ?? null}`.execute(db.sql)
  return rows
}

/** By id or name; the id wins where a name looks like one. */
export async function findDestination(db: ProjectDb, idOrName: string): Promise<DestinationRow | undefined> {
  return (isId(idOrName) ? await findDestinationById(db, idOrName) : undefined) ?? findDestinationByName(db, idOrName)
}

export async function findDestinationById(db: ProjectDb, id: string): Promise<DestinationRow | undefined> {
  const { rows } = await sql<DestinationRow>`${prepared}
    select * from destinations where project_id = ${db.projectId} and id = ${id}`.execute(db.sql)
  return rows[0]
}

export async function findDestinationByName(db: ProjectDb, name: string): Promise<DestinationRow | undefined> {
  const { rows } = await sql<DestinationRow>`${prepared}
    select * from destinations where project_id = ${db.projectId} and name = ${name}`.execute(db.sql)
  return rows[0]
}

/** Finds destinations of several projects by name, in one statement of the system role. */
export async function findDestinationsByName(
  system: Kysely<Tables>,
  names: readonly { projectId: string; name: string }[],
): Promise<Pick<DestinationRow, 'project_id' | 'id' | 'name' | 'disabled_time'>[]> {
  const wanted = JSON.stringify(names.map(({ projectId, name }) => ({ project_id: projectId, name })))
  const { rows } = await sql<Pick<DestinationRow, 'project_id' | 'id' | 'name' | 'disabled_time'>>`${prepared}
    select distinct project_id, id, name, disabled_time
      from jsonb_to_recordset(${wanted}::jsonb) as wanted (project_id uuid, name text)
      join destinations using (project_id, name)`.execute(system)
  return rows
}

/** Locks the row until the transaction ends, so that of two changes the second sees the first. */
export async function lockDestination(tx: ProjectDb, id: string): Promise<DestinationRow | undefined> {
  return await tx.sql
    .selectFrom('destinations')
    .selectAll()
    .where('project_id', '=', tx.projectId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
}

/** Finds destinations of some names. */
export async function findDestinationsNamed(db: ProjectDb, names: readonly string[]): Promise<DestinationRow[]> {
  const { rows } = await sql<DestinationRow>`${prepared}
    select * from destinations where project_id = ${db.projectId} and name = any(${names})`.execute(db.sql)
  return rows
}

/** Names of all destinations of the project. */
export async function destinationNames(db: ProjectDb): Promise<Set<string>> {
  const rows = await db.sql.selectFrom('destinations').select('name').where('project_id', '=', db.projectId).execute()
  return new Set(rows.map((row) => row.name))
}

/** Undefined when the name is taken. */
export async function insertDestination(
  db: ProjectDb,
  destination: {
    id: string
    name: string
    type: string
    encryptedMetadata: string
    encryptedSecrets: string
    members: string[] | null
    groupDefault?: string | null
  },
): Promise<DestinationRow | undefined> {
  return await db.sql
    .insertInto('destinations')
    .values({
      project_id: db.projectId,
      id: destination.id,
      name: destination.name,
      type: destination.type,
      encrypted_metadata: destination.encryptedMetadata,
      encrypted_secrets: destination.encryptedSecrets,
      members: destination.members,
      group_default: destination.groupDefault ?? null,
    })
    .onConflict((conflict) => conflict.columns(['project_id', 'name']).doNothing())
    .returningAll()
    .executeTakeFirst()
}

/** Writes the name, and the metadata when they are given; with `enable`, whatever stopped deliveries is forgotten. */
export async function updateDestinationRow(
  db: ProjectDb,
  destination: {
    id: string
    name: string
    type?: string
    metadata?: { encrypted: string; isNewAddress: boolean } & Forwarding
    enable: boolean
  },
): Promise<DestinationRow> {
  return await db.sql
    .updateTable('destinations')
    .set({
      name: destination.name,
      ...(destination.type !== undefined && { type: destination.type }),
      ...(destination.metadata && {
        metadata: '{}',
        encrypted_metadata: destination.metadata.encrypted,
        members: destination.metadata.members,
        group_default: destination.metadata.groupDefault,
        url_changes: sql<number>`url_changes + ${destination.metadata.isNewAddress ? 1 : 0}`,
      }),
      update_time: sql`now()`,
      ...(destination.enable && {
        disabled_time: null,
        disabled_reason: null,
        first_failure_at: null,
        failure_count: 0,
        probe_at: null,
        failed_probes: 0,
      }),
    })
    .where('project_id', '=', db.projectId)
    .where('id', '=', destination.id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Disables a destination for a reason. */
export async function updateDestinationDisabled(db: ProjectDb, id: string, reason: string): Promise<DestinationRow> {
  return await db.sql
    .updateTable('destinations')
    .set({ disabled_time: sql`now()`, disabled_reason: reason, update_time: sql`now()` })
    .where('project_id', '=', db.projectId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

export async function updateDestinationSecrets(
  db: ProjectDb,
  destination: { id: string; encryptedSecrets: string; previous: PreviousSecret[] },
): Promise<DestinationRow> {
  return await db.sql
    .updateTable('destinations')
    .set({
      encrypted_secrets: destination.encryptedSecrets,
      previous_secrets: JSON.stringify(destination.previous),
      update_time: sql`now()`,
    })
    .where('project_id', '=', db.projectId)
    .where('id', '=', destination.id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Its messages are left as they are: the poll finds them without a destination and makes them orphans. */
export async function deleteDestinationRow(db: ProjectDb, id: string): Promise<void> {
  await db.sql.deleteFrom('destinations').where('project_id', '=', db.projectId).where('id', '=', id).execute()
}

/**
 * Locks destinations of all projects whose metadata an earlier release wrote in plain text, those that nobody else has
 * locked.
 */
export async function lockPlainDestinations(
  system: Kysely<Tables>,
  limit: number,
): Promise<Pick<DestinationRow, 'project_id' | 'id' | 'metadata' | 'encrypted_metadata'>[]> {
  const { rows } = await sql<Pick<DestinationRow, 'project_id' | 'id' | 'metadata' | 'encrypted_metadata'>>`
    select project_id, id, metadata, encrypted_metadata from destinations where metadata <> '{}'
    limit ${limit} for update skip locked`.execute(system)
  return rows
}

/** Puts encrypted metadata in the place of plain ones. */
export async function replacePlainMetadata(
  system: Kysely<Tables>,
  rows: { project_id: string; id: string; encrypted: string }[],
): Promise<void> {
  await sql`
    update destinations d set encrypted_metadata = s.encrypted, metadata = '{}'
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as s (project_id uuid, id uuid, encrypted text)
     where d.project_id = s.project_id and d.id = s.id`.execute(system)
}
