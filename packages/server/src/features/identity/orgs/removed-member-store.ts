import type { Kysely } from 'kysely'
import type { Tables } from '../../../kernel/db/index.ts'

interface Removed {
  orgId: string
  builderId: string
}

/** Records that an owner removed a person. */
export async function insertRemovedMember(tx: Kysely<Tables>, { orgId, builderId }: Removed): Promise<void> {
  await tx
    .insertInto('removed_members')
    .values({ org_id: orgId, builder_id: builderId })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

export async function deleteRemovedMember(tx: Kysely<Tables>, { orgId, builderId }: Removed): Promise<void> {
  await tx.deleteFrom('removed_members').where('org_id', '=', orgId).where('builder_id', '=', builderId).execute()
}

/** Returns whether an owner has removed a person. */
export async function wasRemoved(system: Kysely<Tables>, { orgId, builderId }: Removed): Promise<boolean> {
  const row = await system
    .selectFrom('removed_members')
    .select('org_id')
    .where('org_id', '=', orgId)
    .where('builder_id', '=', builderId)
    .executeTakeFirst()
  return row !== undefined
}
