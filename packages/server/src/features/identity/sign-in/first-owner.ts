import { createHmac } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import type { Database, NewId, Tables } from '../../../kernel/db/index.ts'
import { isSameBytes, type Keyring, Secret } from '../../../kernel/encryption/index.ts'
import { hasBuilder, insertBuilder, insertMembership } from '../orgs/index.ts'
import { findOrgOfProject } from '../projects/index.ts'

/**
 * The link with which the first owner signs up. Its token is derived from the encryption key and the organization, so
 * every node prints the same one at each start and nothing is stored. It is valid until there is an account.
 */

/** Returns the link to print; undefined once there is an account. */
export async function firstOwnerLink({
  database,
  keyring,
  publicUrl,
}: {
  database: Database
  keyring: Keyring
  publicUrl: string
}): Promise<Secret<string> | undefined> {
  if (await hasBuilder(database.system)) return undefined
  const orgId = await findOrgOfProject(database.system, 'default')
  if (orgId === undefined) return undefined
  const token = tokenUnder(keyring.derive('sign-in'), orgId).toString('base64url')
  return new Secret(`${publicUrl}/signin/setup?token=${token}`)
}

/** Returns whether the token is valid now. */
export async function isFirstOwnerToken(
  system: Kysely<Tables>,
  keyring: Pick<Keyring, 'deriveAll'>,
  submitted: string,
): Promise<boolean> {
  const orgId = await findOrgOfProject(system, 'default')
  const bytes = Buffer.from(submitted, 'base64url')
  if (orgId === undefined || bytes.length !== 32) return false
  return (
    keyring.deriveAll('sign-in').some((key) => isSameBytes(tokenUnder(key, orgId), bytes)) &&
    !(await hasBuilder(system))
  )
}

/** Creates the first builder. Returns undefined if another person was faster, or the token is not valid. */
export async function setUpFirstOwner(
  { database, keyring, newId }: { database: Database; keyring: Keyring; newId: NewId },
  owner: { token: string; email: string; fullName: string | undefined; password: string },
): Promise<{ builderId: string } | undefined> {
  return await database.system.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(hashtext('mortise.first-owner'))`.execute(tx)
    const orgId = await findOrgOfProject(tx, 'default')
    if (orgId === undefined || !(await isFirstOwnerToken(tx, keyring, owner.token))) return undefined
    const id = newId()
    const { email, fullName, password } = owner
    // Only the operator reads what the service prints, so the address counts as verified.
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

function tokenUnder(key: Buffer, orgId: string): Buffer {
  return createHmac('sha256', key)
    .update(JSON.stringify(['first-owner', orgId]))
    .digest()
}
