import type { Kysely } from 'kysely'
import type { Database, Tables } from '../../../kernel/db/index.ts'
import {
  acceptInvitesByEmail,
  type BuilderRow,
  findBuilderByEmail,
  findBuilderByIdentity,
  insertBuilder,
  joinByDomain,
  lockBuilder,
  mayEnter,
  normalizeEmail,
  updateIdentity,
} from '../orgs/index.ts'
import type { VouchedPerson } from './single-sign-on.ts'

/**
 * Why a sign-in with an identity provider is refused. `unverified`: the provider does not say that the email is the
 * person's. `stranger`: nobody invited them, and no organization claims their domain. `has-password`: the account's
 * email was never proven, so that another person may have created it (account pre-hijacking). `other-identity`: the
 * account belongs to another person of the provider, or to another provider.
 */
export type Refusal = 'unverified' | 'stranger' | 'has-password' | 'other-identity'

/**
 * Returns the builder of a person whom an identity provider has authenticated. Finds the builder by the identity,
 * otherwise by the verified email. Otherwise creates one if the person is invited, or an organization claims their
 * domain.
 *
 * @param signedInAs the builder who is signed in with this browser, which proves that the account is theirs
 */
export async function findOrCreateBuilder(
  { database, now }: { database: Database; now: () => Date },
  person: VouchedPerson,
  signedInAs: string | undefined,
): Promise<BuilderRow | { refused: Refusal }> {
  return await database.system.transaction().execute(async (tx) => {
    const identity = { idpProvider: person.issuer, idpRef: person.subject }
    const known = await findBuilderByIdentity(tx, identity.idpProvider, identity.idpRef)
    if (known) return known
    const email = person.email === undefined ? undefined : normalizeEmail(person.email)
    if (email === undefined || !person.emailVerified) return { refused: 'unverified' as const }
    const found = await findBuilderByEmail(tx, email)
    // Of two people with one email, the second finds the identity of the first.
    const same = found && (await lockBuilder(tx, found.id))
    if (same) return await linked(tx, same, identity, signedInAs)
    if (!(await mayEnter(tx, email, now()))) return { refused: 'stranger' as const }
    const { firstName, lastName, fullName } = person
    const made = await insertBuilder(tx, { ...identity, email, emailVerified: true, firstName, lastName, fullName })
    // A concurrent request created the builder; the next attempt finds it.
    if (!made) return { refused: 'other-identity' as const }
    await acceptInvitesByEmail(tx, { now }, made)
    await joinByDomain(tx, made)
    return made
  })
}

async function linked(
  tx: Kysely<Tables>,
  builder: BuilderRow,
  identity: { idpProvider: string; idpRef: string },
  signedInAs: string | undefined,
): Promise<BuilderRow | { refused: Refusal }> {
  if (builder.idp_provider === identity.idpProvider && builder.idp_ref === identity.idpRef) return builder
  if (builder.idp_provider !== 'mortise') return { refused: 'other-identity' }
  if (!builder.email_verified && builder.id !== signedInAs) return { refused: 'has-password' }
  await updateIdentity(tx, builder.id, identity)
  return builder
}
