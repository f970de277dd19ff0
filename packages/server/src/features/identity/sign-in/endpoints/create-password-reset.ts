import { Type } from 'typebox'
import type { Config } from '../../../../config.ts'
import type { Database } from '../../../../kernel/db/index.ts'
import {
  endpoint,
  Forbidden,
  NotFound,
  named,
  Path,
  Ref,
  reply,
  secret,
  Timestamp,
} from '../../../../kernel/http/index.ts'
import type { JobQueue } from '../../../../kernel/jobs/index.ts'
import type { Logger } from '../../../../kernel/telemetry/index.ts'
import { listMemberships, lockBuilder, MemberNotFound, withMember } from '../../orgs/index.ts'
import { sendPasswordReset } from '../job-references.ts'
import { newReset } from '../password-reset.ts'
import { MemberOfOtherOrg, SignsInElsewhere } from '../problems.ts'

const PasswordReset = named(
  'PasswordReset',
  Type.Object(
    {
      builderId: Type.String({ description: 'Id of the builder whose password can be reset.' }),
      email: Type.String({ description: 'Mail address of the builder.' }),
      mailed: Type.Boolean({ description: 'Whether the link goes to the builder by mail.' }),
      link: Type.Optional(
        secret(
          Type.String({
            description:
              'Where the builder sets a new password, for you to hand over. Shown only here, and only if the service sends no mail.',
          }),
        ),
      ),
      expireTime: Type.Optional(
        Type.Unsafe<Date | string>({ ...Timestamp, description: 'When `link` expires: one hour after its creation.' }),
      ),
    },
    { description: 'A link with which a builder resets a forgotten password.' },
  ),
)

export const createPasswordReset = endpoint({
  id: 'createPasswordReset',
  method: 'POST',
  path: '/orgs/{orgId}/builders/{builderId}/password-resets',
  access: 'owner',
  summary: 'Create a one-time link that lets a member reset a forgotten password.',
  description:
    'With a mail server, the service sends the link by email. Otherwise, the response shows it once. It works for one hour. You can create it only for people who belong to no other organization, and not for yourself.',
  tag: 'Organizations',
  extension: true,
  params: Path({ orgId: Ref, builderId: Ref }),
  reply: { 201: PasswordReset },
  problems: [NotFound, Forbidden, MemberNotFound, MemberOfOtherOrg, SignsInElsewhere],
  run: async (
    { caller, org, params: { builderId } },
    services: { config: Config; database: Database; log: Logger; now: () => Date; publicUrl: string; queue: JobQueue },
  ) => {
    const { config, database, log, queue } = services
    const by = caller.builderId
    const mailed = config.smtpUrl !== undefined
    const made = await withMember(database.system, { orgId: org.id, builderId, by }, async (tx, member) => {
      // A session alone does not change a password: the current one is needed.
      if (member.builderId === by)
        throw new Forbidden({
          detail: 'You cannot make a link for yourself.',
          remedy: 'Change your password with the current one, or ask another owner.',
        })
      const builder = await lockBuilder(tx, member.builderId)
      if (!builder) throw new MemberNotFound()
      if ((await listMemberships(tx, builder.id)).length > 1) throw new MemberOfOtherOrg()
      if (builder.idp_provider !== 'mortise') throw new SignsInElsewhere()
      if (mailed) await queue.enqueue({ sql: tx }, sendPasswordReset, { email: builder.email }, builder.email)
      const link = mailed ? {} : await newReset(tx, services, builder.id, { madeBy: { orgId: org.id, builderId: by } })
      return { builderId: builder.id, email: builder.email, mailed, ...link }
    })
    log.info({ orgId: org.id, builderId: made.builderId, by, mailed }, 'an owner created a link to reset a password')
    return reply(201, made)
  },
})
