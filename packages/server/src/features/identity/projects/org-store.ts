import { type Kysely, type Selectable, sql } from 'kysely'
import { isId, prepared, type Tables } from '../../../kernel/db/index.ts'

export type OrgRow = Selectable<Tables['orgs']>

export async function findOrg(system: Kysely<Tables>, id: string): Promise<OrgRow | undefined> {
  if (!isId(id)) return undefined
  const { rows } = await sql<OrgRow>`${prepared} select * from orgs where id = ${id}`.execute(system)
  return rows[0]
}

export async function insertOrg(tx: Kysely<Tables>, org: { id: string; label: string }): Promise<OrgRow> {
  return await tx.insertInto('orgs').values(org).returningAll().executeTakeFirstOrThrow()
}

/** Changes the defined values. */
export async function updateOrgRow(
  system: Kysely<Tables>,
  id: string,
  { label, requireSecondFactor }: { label?: string | undefined; requireSecondFactor?: boolean | undefined },
): Promise<OrgRow | undefined> {
  return await system
    .updateTable('orgs')
    .set((eb) => ({
      ...(label !== undefined && { label }),
      ...(requireSecondFactor !== undefined && { require_second_factor: requireSecondFactor }),
      update_time: eb.fn('now', []),
    }))
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()
}

/** Locks an organization: changes that lock it too happen one after the other. */
export async function lockOrg(tx: Kysely<Tables>, id: string): Promise<void> {
  await sql`select from orgs where id = ${id} for no key update`.execute(tx)
}
