import type { Kysely } from 'kysely'
import type { Config } from '../../../config.ts'
import type { Database, Tables } from '../../../kernel/db/index.ts'
import type { Keyring } from '../../../kernel/encryption/index.ts'
import { InvalidInput } from '../../../kernel/http/index.ts'
import type { JobQueue } from '../../../kernel/jobs/index.ts'
import type { Logger } from '../../../kernel/telemetry/index.ts'
import { type BuilderRow, findBuilder, findRoleInOrg, listMemberships, lockBuilder } from '../orgs/index.ts'
import type { BuilderTokens } from './builder-token.ts'
import { removeAllFactors } from './factors/factor-changes.ts'
import { usableFactors } from './factors/use-factor.ts'
import { type Passwords, passwordFault } from './password.ts'
import { ResetLinkRefused } from './problems.ts'
import { replacePassword } from './replace-password.ts'
import { findReset, type ResetRow, replaceReset } from './reset-store.ts'
import { hashSecret, newSecret } from './sessions.ts'
import { rememberNetwork } from './throttle.ts'

/**
 * Links that reset a forgotten password. A link contains 256 random bits, of which a hash is stored. It works once, for
 * an hour, until a newer one is created or the password changes.
 *
 * A mailed link proves that the person reads email at the address. A link that an owner handed over does not: the
 * address counts as unverified afterwards. Otherwise an owner could take over an account and accept the invites of
 * other organizations to its address.
 */

const resetLifeMs = 3_600_000

/**
 * Creates a link for a builder whom the caller has locked.
 * @param options.madeBy the owner who hands the link over; absent if it is mailed
 * @param options.removeFactors whether its use removes the second factors of the person, too
 */
export async function newReset(
  tx: Kysely<Tables>,
  { now, publicUrl }: { now: () => Date; publicUrl: string },
  builderId: string,
  { madeBy, removeFactors = false }: { madeBy?: { orgId: string; builderId: string }; removeFactors?: boolean } = {},
): Promise<{ link: string; expireTime: Date }> {
  const token = newSecret()
  const expireTime = new Date(now().getTime() + resetLifeMs)
  await replaceReset(tx, {
    builderId,
    tokenHash: hashSecret(token),
    expireTime,
    removeFactors,
    ...(madeBy && { madeBy }),
  })
  return { link: `${publicUrl}/signin/reset?token=${token}`, expireTime }
}

/** Returns whether the person has no password here, because the identity provider signs them in. */
export function signsInElsewhere(
  { singleSignOn }: { singleSignOn: unknown },
  builder: Pick<BuilderRow, 'password'>,
): boolean {
  return builder.password === null && singleSignOn !== undefined
}

/** Returns the builder that a link was created for, if the link is valid. */
export async function findResetBuilder(
  { database, now }: { database: Database; now: () => Date },
  token: string,
): Promise<BuilderRow | undefined> {
  const { system } = database
  const reset = await findReset(system, hashSecret(token), now())
  if (!reset || !(await mayBeUsed(system, reset))) return undefined
  return await findBuilder(system, reset.builder_id)
}

/**
 * Sets the password with a link. Ends every session of the person, and signs nobody in. The network becomes known, so
 * that someone who guesses meanwhile does not keep the person from signing in.
 *
 * @throws ResetLinkRefused, InvalidInput for a password that is not allowed: the link still works then
 */
export async function completeReset(
  services: {
    builderTokens: BuilderTokens
    config: Config
    database: Database
    keyring: Keyring
    log: Logger
    now: () => Date
    passwords: Passwords
    queue: JobQueue
  },
  input: { token: string; newPassword: string; address: string },
): Promise<BuilderRow> {
  const { builderTokens, database, log, now, passwords } = services
  const { system } = database
  // Check the link before hashing the password, which is expensive.
  const found = await findResetBuilder(services, input.token)
  if (!found) throw new ResetLinkRefused()
  const fault = await passwordFault(input.newPassword, [found.email, found.full_name ?? ''])
  if (fault !== undefined) throw new InvalidInput({ issues: [{ in: 'body', name: 'newPassword', detail: fault }] })
  const password = await passwords.hash(input.newPassword)
  const { builder, ended } = await system.transaction().execute(async (tx) => {
    const builder = await lockBuilder(tx, found.id)
    const reset = await findReset(tx, hashSecret(input.token), now())
    if (!builder || !reset || !(await mayBeUsed(tx, reset))) throw new ResetLinkRefused()
    const emailVerified = reset.org_id === null
    if (reset.remove_factors) await removeAllFactors(tx, services, builder.id)
    return { builder, ended: await replacePassword(tx, services, builder.id, { password, emailVerified }) }
  })
  for (const sessionId of ended) builderTokens.forget(sessionId)
  // A link alone does not make the network of a person with factors known: see `beginCodeAttempt`.
  const hasFactors = (await usableFactors(system, builder.id)).length > 0
  if (!hasFactors) await rememberNetwork(services, builder.email, input.address)
  log.info({ builderId: builder.id, address: input.address }, 'password reset')
  return builder
}

/**
 * Returns whether a link may be used. An owner's link works while they are an owner, and while the person belongs to no
 * other organization.
 */
async function mayBeUsed(system: Kysely<Tables>, reset: ResetRow): Promise<boolean> {
  const { org_id, created_by } = reset
  if (org_id === null || created_by === null) return true
  const maker = await findRoleInOrg(system, created_by, org_id)
  const memberships = await listMemberships(system, reset.builder_id)
  return maker?.role === 'owner' && memberships.length === 1 && memberships[0]?.orgId === org_id
}
