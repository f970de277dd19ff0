import { createHmac } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../../kernel/db/index.ts'
import { isSameBytes, type Keyring, Secret } from '../../../kernel/encryption/index.ts'
import type { Services } from '../../../services.ts'
import { insertBuilder, insertMembership } from '../orgs/index.ts'
import { hasBuilder } from './builder-password-store.ts'

/**
 * The link with which the first person comes in, as owner. Its token is derived from the root key and the organisation,
 * so that every node prints the same one at each start and nothing is stored; it is good while nobody has an account.
 */

/** The link to print; undefined once somebody has an account. */
export async function firstOwnerLink({
  database,
  keyring,
  publicUrl,
}: Pick<Services, 'database' | 'keyring' | 'publicUrl'>): Promise<Secret<string> | undefined> {
  if (await hasBuilder(database.system)) return undefined
  const orgId = await findFirstOrg(database.system)
  if (orgId === undefined) return undefined
  const token = tokenUnder(keyring.derive('sign-in'), orgId).toString('base64url')
  return new Secret(`${publicUrl}/signin/setup?token=${token}`)
}

/** Whether the link of this token may be used now. */
export async function isFirstOwnerToken(
  system: Kysely<Tables>,
  keyring: Pick<Keyring, 'deriveAll'>,
  given: string,
): Promise<boolean> {
  const orgId = await findFirstOrg(system)
  const bytes = Buffer.from(given, 'base64url')
  if (orgId === undefined || bytes.length !== 32) return false
  return (
    keyring.deriveAll('sign-in').some((key) => isSameBytes(tokenUnder(key, orgId), bytes)) &&
    !(await hasBuilder(system))
  )
}

/** Makes the first builder. Undefined when somebody was quicker, or the token is not the one. */
export async function setUpFirstOwner(
  { database, keyring, newId }: Pick<Services, 'database' | 'keyring' | 'newId'>,
  owner: { token: string; email: string; fullName: string | undefined; password: string },
): Promise<{ builderId: string } | undefined> {
  return await database.system.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(hashtext('mortise.first-owner'))`.execute(tx)
    const orgId = await findFirstOrg(tx)
    if (orgId === undefined || !(await isFirstOwnerToken(tx, keyring, owner.token))) return undefined
    const id = newId()
    const { email, fullName, password } = owner
    // Whoever reads what the service prints is the operator: their word for the address is good.
    const made = await insertBuilder(tx, {
      id,
      idpProvider: 'mortise',
      idpRef: id,
      email,
      emailVerified: true,
      fullName,
      password,
    })
    if (!made) return undefined
    await insertMembership(tx, { orgId, builderId: id, role: 'owner' })
    return { builderId: id }
  })
}

/** The organisation of the project `default`, which every start makes sure of. */
async function findFirstOrg(system: Kysely<Tables>): Promise<string | undefined> {
  const row = await system.selectFrom('projects').select('org_id').where('name', '=', 'default').executeTakeFirst()
  return row?.org_id
}

function tokenUnder(key: Buffer, orgId: string): Buffer {
  return createHmac('sha256', key)
    .update(JSON.stringify(['first-owner', orgId]))
    .digest()
}
