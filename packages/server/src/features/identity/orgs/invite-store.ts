import { type Kysely, sql } from 'kysely'
import { prepared, type Tables } from '../../../kernel/db/index.ts'
import type { OrgRole, PageBounds } from '../../../kernel/http/index.ts'
import { storedRole } from '../projects/index.ts'
import type { InviteRow } from './model.ts'

export async function findInvite(system: Kysely<Tables>, id: string): Promise<InviteRow | undefined> {
  return await system.selectFrom('invites').selectAll().where('id', '=', id).executeTakeFirst()
}

export async function findInviteOf(system: Kysely<Tables>, orgId: string, id: string): Promise<InviteRow | undefined> {
  const { rows } = await sql<InviteRow>`${prepared}
    select * from invites where org_id = ${orgId} and id = ${id}`.execute(system)
  return rows[0]
}

/** Lists the invites of an organization, the newest first. */
export async function listInvites(
  system: Kysely<Tables>,
  orgId: string,
  { after, limit }: PageBounds = {},
): Promise<InviteRow[]> {
  return await system
    .selectFrom('invites')
    .selectAll()
    .where('org_id', '=', orgId)
    .$if(after !== undefined, (query) => query.where('id', '<', after ?? ''))
    .orderBy('id', 'desc')
    .$if(limit !== undefined, (query) => query.limit(limit ?? 0))
    .execute()
}

/** Returns whether the address has a pending invite. */
export async function hasPendingInvite(system: Kysely<Tables>, email: string, now: Date): Promise<boolean> {
  const row = await system
    .selectFrom('invites')
    .select('id')
    .where('invited_email', '=', email)
    .where('status', '=', 'pending')
    .where('expire_time', '>', now)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Adds an invite; undefined if the address already has a pending one from this organization. */
export async function insertInvite(
  tx: Kysely<Tables>,
  invite: {
    id: string
    orgId: string
    email: string
    role: OrgRole
    mailed: boolean
    createdBy: string
    expireTime: Date
  },
): Promise<InviteRow | undefined> {
  return await tx
    .insertInto('invites')
    .values({
      id: invite.id,
      org_id: invite.orgId,
      invited_email: invite.email,
      ...storedRole(invite.role),
      mailed: invite.mailed,
      created_by: invite.createdBy,
      expire_time: invite.expireTime,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst()
}

/** Marks expired invites, so that the address can be invited again. */
export async function expireInvites(tx: Kysely<Tables>, orgId: string, email: string, now: Date): Promise<void> {
  await tx
    .updateTable('invites')
    .set((eb) => ({ status: 'expired' as const, update_time: eb.fn('now', []) }))
    .where('org_id', '=', orgId)
    .where('invited_email', '=', email)
    .where('status', '=', 'pending')
    .where('expire_time', '<=', now)
    .execute()
}

/** Accepts or revokes a pending invite. Of two concurrent calls, the second one gets undefined. */
export async function settleInvite(
  tx: Kysely<Tables>,
  id: string,
  status: 'accepted' | 'revoked',
  now: Date,
): Promise<InviteRow | undefined> {
  return await tx
    .updateTable('invites')
    .set((eb) => ({ status, update_time: eb.fn('now', []) }))
    .where('id', '=', id)
    .where('status', '=', 'pending')
    .where('expire_time', '>', now)
    .returningAll()
    .executeTakeFirst()
}

/** Accepts every pending invite to an address, and returns them. */
export async function acceptInvites(tx: Kysely<Tables>, email: string, now: Date): Promise<InviteRow[]> {
  return await tx
    .updateTable('invites')
    .set((eb) => ({ status: 'accepted' as const, update_time: eb.fn('now', []) }))
    .where('invited_email', '=', email)
    .where('status', '=', 'pending')
    .where('expire_time', '>', now)
    .returningAll()
    .execute()
}

/** Revokes the pending invites of an organization to an address. */
export async function revokeInvites(tx: Kysely<Tables>, orgId: string, email: string): Promise<void> {
  await tx
    .updateTable('invites')
    .set((eb) => ({ status: 'revoked' as const, update_time: eb.fn('now', []) }))
    .where('org_id', '=', orgId)
    .where('invited_email', '=', email)
    .where('status', '=', 'pending')
    .execute()
}
