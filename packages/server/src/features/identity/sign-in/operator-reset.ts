import type { Kysely } from 'kysely'
import type { Tables } from '../../../kernel/db/index.ts'
import { recordOperatorCommand } from '../../platform/audit/index.ts'
import { findBuilderByEmail, lockBuilder, normalizeEmail } from '../orgs/index.ts'
import { newReset, signsInElsewhere } from './password-reset.ts'

/** No link can be created. The message says why. */
export class ResetRefused extends Error {
  override name = 'ResetRefused'
}

/** Nobody has an account with the address. */
export class AccountNotFound extends Error {
  override name = 'AccountNotFound'
}

export interface OperatorReset {
  builderId: string
  email: string
  mailed: false
  link: string
  expireTime: Date
}

/**
 * Creates a reset link for any person on behalf of the service's operator, because a single owner without mail has
 * nobody else to ask. An operator with database access can do everything, so no organization is checked and the address
 * counts as verified. The link can also remove the second factors of a person who lost them all.
 *
 * @throws ResetRefused, AccountNotFound
 */
export async function newOperatorReset(
  system: Kysely<Tables>,
  services: { now: () => Date; publicUrl: string } & { singleSignOn: unknown },
  { email, removeFactors = false }: { email: string; removeFactors?: boolean },
): Promise<OperatorReset> {
  return await system.transaction().execute(async (tx) => {
    const found = await findBuilderByEmail(tx, normalizeEmail(email) ?? '')
    const builder = found && (await lockBuilder(tx, found.id))
    if (!builder) throw new AccountNotFound(`There is no account with the mail address ${email}.`)
    if (signsInElsewhere(services, builder))
      throw new ResetRefused(`${builder.email} has no password: the person signs in with single sign-on.`)
    const resource = { kind: 'password', id: builder.id }
    await recordOperatorCommand(tx, { action: 'createPasswordReset', verb: 'create', resource })
    const reset = await newReset(tx, services, builder.id, { removeFactors })
    return { builderId: builder.id, email: builder.email, mailed: false, ...reset }
  })
}
