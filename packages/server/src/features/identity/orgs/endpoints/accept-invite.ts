import type { Kysely } from 'kysely'
import { Type } from 'typebox'
import type { Database, Tables } from '../../../../kernel/db/index.ts'
import type { Keyring } from '../../../../kernel/encryption/index.ts'
import { endpoint, InvalidInput, reply, secret, Unauthenticated } from '../../../../kernel/http/index.ts'
import { acceptInviteByToken, acceptInvitesByEmail } from '../accept-invite.ts'
import { bodyIssue, requireEmail } from '../body.ts'
import { BuilderInfo, builderInfo } from '../builder-info.ts'
import { findBuilder } from '../builder-store.ts'
import type { BuilderRow } from '../model.ts'
import { AddressNotVerified, NothingToAccept } from '../problems.ts'

export const acceptInvite = endpoint({
  id: 'acceptInvite',
  method: 'POST',
  path: '/invites:accept',
  access: 'builder',
  summary: 'Accept the pending invites to your email address.',
  description:
    'The address must be verified: by single sign-on, or by an invite that came by email. Otherwise, also send the token of the invite’s link.',
  tag: 'Organizations',
  body: Type.Object({
    invitedEmail: Type.String({ description: 'The address that was invited: the one that you signed in with.' }),
    token: Type.Optional(
      secret(
        Type.String({ maxLength: 200, description: 'Token of the invite’s link. Accepts that invite. An extension.' }),
      ),
    ),
  }),
  reply: { 200: BuilderInfo },
  problems: [AddressNotVerified, NothingToAccept],
  run: async ({ caller, body, note }, services: { database: Database; keyring: Keyring; now: () => Date }) => {
    const { system } = services.database
    const email = requireEmail('invitedEmail', body.invitedEmail)
    const builder = await findBuilder(system, caller.builderId)
    if (!builder) throw new Unauthenticated()
    if (email !== builder.email)
      throw new InvalidInput({
        issues: [bodyIssue('invitedEmail', body.invitedEmail, 'This is not the address that you signed in with.')],
      })
    const { token } = body
    if (token === undefined && !builder.email_verified) throw new AddressNotVerified()
    const info = await system.transaction().execute(async (tx) => {
      const orgIds = await joinedOrgs(tx, services, { token, builder })
      if (orgIds.length === 0) throw new NothingToAccept()
      note({ log: orgIds, resourceId: builder.id })
      return await builderInfo(tx, builder)
    })
    return reply(200, info)
  },
})

/** Accepts the invite of a token, or all to the address. Returns the organizations. */
async function joinedOrgs(
  tx: Kysely<Tables>,
  services: { keyring: Keyring; now: () => Date },
  { token, builder }: { token: string | undefined; builder: BuilderRow },
): Promise<string[]> {
  if (token === undefined) return await acceptInvitesByEmail(tx, services, builder)
  const accepted = await acceptInviteByToken(tx, services, { token, builderId: builder.id })
  return 'orgId' in accepted ? [accepted.orgId] : []
}
