import { type Kysely, sql } from 'kysely'
import { andIf, isId, newId, prepared, type Tables } from '../../../kernel/db/index.ts'
import type { OrgRole, PageBounds } from '../../../kernel/http/index.ts'
import { roleOf, type StoredRole } from '../projects/index.ts'
import type { BuilderRow } from './model.ts'

export interface NewBuilder {
  /** Generated if absent. */
  id?: string
  /** The identity provider: `mortise` for an account with a password, otherwise the issuer. */
  idpProvider: string
  /** The provider's id of the person. */
  idpRef: string
  /** As `normalizeEmail` returns it. */
  email: string
  /**
   * Whether the person is known to read email at this address: an identity provider says so, or the operator created
   * the account. An invite alone does not prove it; accepting a mailed one does.
   */
  emailVerified: boolean
  firstName?: string | undefined
  lastName?: string | undefined
  fullName?: string | undefined
  /** The hash, not the password. */
  password?: string | undefined
}

/** Adds a builder; undefined if the email or the identity already has one. */
export async function insertBuilder(system: Kysely<Tables>, builder: NewBuilder): Promise<BuilderRow | undefined> {
  return await system
    .insertInto('builders')
    .values({
      id: builder.id ?? newId(),
      idp_provider: builder.idpProvider,
      idp_ref: builder.idpRef,
      email: builder.email,
      email_verified: builder.emailVerified,
      first_name: builder.firstName ?? null,
      last_name: builder.lastName ?? null,
      full_name: builder.fullName ?? null,
      password: builder.password ?? null,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst()
}

export async function findBuilder(system: Kysely<Tables>, id: string): Promise<BuilderRow | undefined> {
  const { rows } = await sql<BuilderRow>`${prepared} select * from builders where id = ${id}`.execute(system)
  return rows[0]
}

/** @param email as `normalizeEmail` returns it */
export async function findBuilderByEmail(system: Kysely<Tables>, email: string): Promise<BuilderRow | undefined> {
  return await system.selectFrom('builders').selectAll().where('email', '=', email).executeTakeFirst()
}

export async function findBuilderByIdentity(
  system: Kysely<Tables>,
  idpProvider: string,
  idpRef: string,
): Promise<BuilderRow | undefined> {
  return await system
    .selectFrom('builders')
    .selectAll()
    .where('idp_provider', '=', idpProvider)
    .where('idp_ref', '=', idpRef)
    .executeTakeFirst()
}

/** A builder with the role and the time of the membership. */
type MemberRow = BuilderRow & { role: OrgRole; joined_key: string }

/** Lists the members of an organization in the order of joining. */
export async function listBuilders(
  system: Kysely<Tables>,
  orgId: string,
  { after, limit }: PageBounds = {},
): Promise<MemberRow[]> {
  const { rows } = await sql<BuilderRow & StoredRole & { joined_key: string }>`${prepared}
    select b.*, m.role, m.member_role, (extract(epoch from m.create_time) * 1000000)::bigint || ' ' || b.id as joined_key
    from builders b join memberships m on m.builder_id = b.id
    where m.org_id = ${orgId} ${andIf(after, (key) => {
      const [micros = '0', id = ''] = key.split(' ')
      return sql`(m.create_time, b.id) > (timestamptz 'epoch' + ${micros}::bigint * interval '1 microsecond', ${id}::uuid)`
    })}
    order by m.create_time, b.id limit ${limit ?? null}`.execute(system)
  return rows.map((row) => ({ ...row, role: roleOf(row) }))
}

/**
 * Returns whether a text can be a `joined_key`: the microsecond of joining (a double would lose precision), and the
 * builder's id.
 */
export function isJoinedKey(text: string): boolean {
  const [micros = '', id = ''] = text.split(' ')
  return /^\d{1,16}$/.test(micros) && isId(id) && text === `${micros} ${id}`
}

/** Marks the builder's address as verified. */
export async function updateEmailVerified(tx: Kysely<Tables>, builderId: string): Promise<void> {
  await tx
    .updateTable('builders')
    .set((eb) => ({ email_verified: true, update_time: eb.fn('now', []) }))
    .where('id', '=', builderId)
    .where('email_verified', '=', false)
    .execute()
}

/** Returns whether a builder with this address belongs to the organization. */
export async function isMemberByEmail(system: Kysely<Tables>, orgId: string, email: string): Promise<boolean> {
  const row = await system
    .selectFrom('builders')
    .innerJoin('memberships', 'memberships.builder_id', 'builders.id')
    .select('builders.id')
    .where('builders.email', '=', email)
    .where('memberships.org_id', '=', orgId)
    .executeTakeFirst()
  return row !== undefined
}
