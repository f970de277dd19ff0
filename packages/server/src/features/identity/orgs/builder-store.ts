import { type Kysely, sql } from 'kysely'
import { andIf, isId, newId, prepared, type Tables } from '../../../kernel/db/index.ts'
import type { OrgRole, PageBounds } from '../../../kernel/http/index.ts'
import type { BuilderRow } from './model.ts'

export interface NewBuilder {
  /** Made when absent. */
  id?: string
  /** Who vouches for the person: `mortise` for an account with a password, else the issuer. */
  idpProvider: string
  /** What that provider calls the person. */
  idpRef: string
  /** As `normaliseEmail` gives it. */
  email: string
  /**
   * Whether it is known that the person reads mail to this address: a provider of identities says so, or the operator
   * made the account. False for whoever comes by an invite; accepting one that was mailed makes it true.
   */
  emailVerified: boolean
  firstName?: string | undefined
  lastName?: string | undefined
  fullName?: string | undefined
  /** The hash, not the password. */
  password?: string | undefined
}

/** Adds a builder; undefined when the email or the identity has one already. */
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

/** @param email as `normaliseEmail` gives it */
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

/** A builder with what the membership says. */
type MemberRow = BuilderRow & { role: OrgRole; joined_key: string }

/** Whoever belongs to the organisation, in the order of joining. */
export async function listBuilders(
  system: Kysely<Tables>,
  orgId: string,
  { after, limit }: PageBounds = {},
): Promise<MemberRow[]> {
  const { rows } = await sql<MemberRow>`${prepared}
    select b.*, m.role, (extract(epoch from m.create_time) * 1000000)::bigint || ' ' || b.id as joined_key
    from builders b join memberships m on m.builder_id = b.id
    where m.org_id = ${orgId} ${andIf(after, (key) => {
      const [micros = '0', id = ''] = key.split(' ')
      return sql`(m.create_time, b.id) > (timestamptz 'epoch' + ${micros}::bigint * interval '1 microsecond', ${id}::uuid)`
    })}
    order by m.create_time, b.id limit ${limit ?? null}`.execute(system)
  return rows
}

/** Whether a text can be a `joined_key`: the microsecond of joining (a double could not hold it), and who joined. */
export function isJoinedKey(text: string): boolean {
  const [micros = '', id = ''] = text.split(' ')
  return /^\d{1,16}$/.test(micros) && isId(id) && text === `${micros} ${id}`
}

/** It has been shown that the person reads mail to this address. */
export async function updateEmailVerified(tx: Kysely<Tables>, builderId: string): Promise<void> {
  await tx
    .updateTable('builders')
    .set((eb) => ({ email_verified: true, update_time: eb.fn('now', []) }))
    .where('id', '=', builderId)
    .where('email_verified', '=', false)
    .execute()
}

/** Whether somebody with this address belongs to the organisation. */
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
