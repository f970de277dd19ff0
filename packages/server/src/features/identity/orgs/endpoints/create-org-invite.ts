import { Type } from 'typebox'
import type { Config } from '../../../../config.ts'
import type { Database, NewId } from '../../../../kernel/db/index.ts'
import type { Keyring } from '../../../../kernel/encryption/index.ts'
import { authorOf, endpoint, InvalidInput, NotFound, named, Path, Ref, reply } from '../../../../kernel/http/index.ts'
import type { JobQueue } from '../../../../kernel/jobs/index.ts'
import { bodyIssue, requireEmail } from '../body.ts'
import { isMemberByEmail } from '../builder-store.ts'
import { inviteLink } from '../invite-link.ts'
import { expireInvites, insertInvite } from '../invite-store.ts'
import { sendInvite } from '../job-references.ts'
import { Invite, inviteLifeMs, inviteResource, RequestedRole, requestedRole } from '../model.ts'

const NewInvite = named(
  'NewInvite',
  Type.Object({
    ...Invite.properties,
    link: Type.Optional(
      Type.String({
        description:
          'The link of the invite, for you to pass on. Present only here, and only if the service has no mail server. An extension.',
      }),
    ),
  }),
)

export const createOrgInvite = endpoint({
  id: 'createOrgInvite',
  method: 'POST',
  path: '/orgs/{orgId}/invites',
  access: 'owner',
  summary: 'Invite an email address to an organization, with any role.',
  description: 'With a mail server, the service sends the link by email. Otherwise, the response shows it once.',
  tag: 'Organizations',
  params: Path({ orgId: Ref }),
  body: Type.Object({
    email: Type.String({ description: 'The email address to invite.' }),
    role: Type.Optional(
      RequestedRole({
        default: 'developer',
        description:
          'Role that the person gets. An invite as owner gives the role `developer` if you are no longer an owner when the person accepts. An extension.',
      }),
    ),
  }),
  reply: { 201: NewInvite },
  problems: [NotFound],
  run: async (
    { org, body, caller },
    services: {
      config: Config
      database: Database
      keyring: Keyring
      newId: NewId
      now: () => Date
      publicUrl: string
      queue: JobQueue
    },
  ) => {
    const email = requireEmail('email', body.email)
    const mailed = services.config.smtpUrl !== undefined
    const now = services.now()
    const id = services.newId()
    const row = await services.database.system.transaction().execute(async (tx) => {
      if (await isMemberByEmail(tx, org.id, email))
        throw new InvalidInput({
          issues: [bodyIssue('email', body.email, 'A person with this address already belongs to the organization.')],
        })
      await expireInvites(tx, org.id, email, now)
      const expireTime = new Date(now.getTime() + inviteLifeMs)
      const invite = await insertInvite(tx, {
        id,
        orgId: org.id,
        email,
        role: requestedRole(body.role ?? 'developer'),
        mailed,
        createdBy: authorOf(caller),
        expireTime,
      })
      if (!invite)
        throw new InvalidInput({
          issues: [
            bodyIssue(
              'email',
              body.email,
              'This address has a pending invite already.',
              'Revoke that invite first to send another one.',
            ),
          ],
        })
      if (mailed) await services.queue.enqueue({ sql: tx }, sendInvite, { inviteId: id }, id)
      return invite
    })
    return reply(201, { ...inviteResource(row, now), ...(!mailed && { link: inviteLink(services, row.id) }) })
  },
})
