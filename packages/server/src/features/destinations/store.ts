import { type Selectable, sql } from 'kysely'
import { andIf, isId, type ProjectDb, prepared, type Tables } from '../../kernel/db/index.ts'
import type { PageBounds } from '../../kernel/http/index.ts'
import type { WebhookMetadata } from './model.ts'
import type { PreviousSecret } from './signing.ts'

export type DestinationRow = Omit<Selectable<Tables['destinations']>, 'metadata'> & { metadata: WebhookMetadata }

/** Oldest first. */
export async function listDestinations(db: ProjectDb, { after, limit }: PageBounds = {}): Promise<DestinationRow[]> {
  const { rows } = await sql<Selectable<Tables['destinations']>>`${prepared}
    select * from destinations where project_id = ${db.projectId} ${andIf(after, (id) => sql`id > ${id}`)}
    order by id limit ${limit ?? null}`.execute(db.sql)
  return rows.map(typed)
}

/** By id or name; the id wins where a name looks like one. */
export async function findDestination(db: ProjectDb, idOrName: string): Promise<DestinationRow | undefined> {
  return (isId(idOrName) ? await findDestinationById(db, idOrName) : undefined) ?? findDestinationByName(db, idOrName)
}

export async function findDestinationById(db: ProjectDb, id: string): Promise<DestinationRow | undefined> {
  const { rows } = await sql<Selectable<Tables['destinations']>>`${prepared}
    select * from destinations where project_id = ${db.projectId} and id = ${id}`.execute(db.sql)
  return rows[0] && typed(rows[0])
}

export async function findDestinationByName(db: ProjectDb, name: string): Promise<DestinationRow | undefined> {
  const { rows } = await sql<Selectable<Tables['destinations']>>`${prepared}
    select * from destinations where project_id = ${db.projectId} and name = ${name}`.execute(db.sql)
  return rows[0] && typed(rows[0])
}

/** Locks the row until the transaction ends, so that of two changes the second sees the first. */
export async function lockDestination(tx: ProjectDb, id: string): Promise<DestinationRow | undefined> {
  const row = await tx.sql
    .selectFrom('destinations')
    .selectAll()
    .where('project_id', '=', tx.projectId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  return row && typed(row)
}

/** Names of all destinations of the project. */
export async function destinationNames(db: ProjectDb): Promise<Set<string>> {
  const rows = await db.sql.selectFrom('destinations').select('name').where('project_id', '=', db.projectId).execute()
  return new Set(rows.map((row) => row.name))
}

/** Undefined when the name is taken. */
export async function insertDestination(
  db: ProjectDb,
  destination: { id: string; name: string; type: string; metadata: WebhookMetadata; sealedSecrets: string },
): Promise<DestinationRow | undefined> {
  const row = await db.sql
    .insertInto('destinations')
    .values({
      project_id: db.projectId,
      id: destination.id,
      name: destination.name,
      type: destination.type,
      metadata: JSON.stringify(destination.metadata),
      sealed_secrets: destination.sealedSecrets,
    })
    .onConflict((conflict) => conflict.columns(['project_id', 'name']).doNothing())
    .returningAll()
    .executeTakeFirst()
  return row && typed(row)
}

/** Writes name and metadata; with `enable`, whatever stopped deliveries is forgotten. */
export async function updateDestinationRow(
  db: ProjectDb,
  destination: { id: string; name: string; metadata: WebhookMetadata; enable: boolean },
): Promise<DestinationRow> {
  const row = await db.sql
    .updateTable('destinations')
    .set({
      name: destination.name,
      metadata: JSON.stringify(destination.metadata),
      update_time: sql`now()`,
      ...(destination.enable && {
        disabled_time: null,
        disabled_reason: null,
        first_failure_at: null,
        failure_count: 0,
        probe_at: null,
        probe_rung: 0,
      }),
    })
    .where('project_id', '=', db.projectId)
    .where('id', '=', destination.id)
    .returningAll()
    .executeTakeFirstOrThrow()
  return typed(row)
}

/** Disables a destination for a reason. */
export async function updateDestinationDisabled(db: ProjectDb, id: string, reason: string): Promise<DestinationRow> {
  const row = await db.sql
    .updateTable('destinations')
    .set({ disabled_time: sql`now()`, disabled_reason: reason, update_time: sql`now()` })
    .where('project_id', '=', db.projectId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
  return typed(row)
}

export async function updateDestinationSecrets(
  db: ProjectDb,
  destination: { id: string; sealedSecrets: string; previous: PreviousSecret[] },
): Promise<DestinationRow> {
  const row = await db.sql
    .updateTable('destinations')
    .set({
      sealed_secrets: destination.sealedSecrets,
      previous_secrets: JSON.stringify(destination.previous),
      update_time: sql`now()`,
    })
    .where('project_id', '=', db.projectId)
    .where('id', '=', destination.id)
    .returningAll()
    .executeTakeFirstOrThrow()
  return typed(row)
}

/** Its messages are left as they are: the sweep finds them without a destination and holds them. */
export async function deleteDestinationRow(db: ProjectDb, id: string): Promise<void> {
  await db.sql.deleteFrom('destinations').where('project_id', '=', db.projectId).where('id', '=', id).execute()
}

function typed(row: Selectable<Tables['destinations']>): DestinationRow {
  return { ...row, metadata: row.metadata as unknown as WebhookMetadata }
}
