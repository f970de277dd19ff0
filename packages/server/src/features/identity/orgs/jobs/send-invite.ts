import type { Config } from '../../../../config.ts'
import type { Database } from '../../../../kernel/db/index.ts'
import type { Keyring } from '../../../../kernel/encryption/index.ts'
import type { OrgRole } from '../../../../kernel/http/index.ts'
import { job } from '../../../../kernel/jobs/index.ts'
import type { NameResolver } from '../../../../kernel/net/index.ts'
import type { Logger } from '../../../../kernel/telemetry/index.ts'
import { findOrg, roleOf } from '../../projects/index.ts'
import { findBuilder } from '../builder-store.ts'
import { inviteLink } from '../invite-link.ts'
import { findInvite } from '../invite-store.ts'
import { sendInvite } from '../job-references.ts'
import { mailFrom, sendMail } from '../mail.ts'
import { inviteStatus, roleWithArticle } from '../model.ts'

/**
 * Mails the link of an invite. The link is derived here: the job carries the id alone. One that is no longer pending is
 * not sent. With its back-off it tries for about eight hours.
 */
export const sendInviteHandler = job(sendInvite, {
  policy: 'one-per-key',
  concurrency: 2,
  expireInSeconds: 120,
  retryLimit: 10,
  retryDelaySeconds: 15,
  run: async (
    { data, signal, log }: { data: { inviteId: string }; signal: AbortSignal; log: Logger },
    services: {
      config: Config
      database: Database
      keyring: Keyring
      names: NameResolver
      now: () => Date
      publicUrl: string
    },
  ) => {
    const { system } = services.database
    const { smtpUrl } = services.config
    const invite = await findInvite(system, data.inviteId)
    const org = invite && (await findOrg(system, invite.org_id))
    if (!invite || !org || inviteStatus(invite, services.now()) !== 'pending') return
    if (smtpUrl === undefined) {
      log.warn({ inviteId: invite.id }, 'cannot email an invite: MORTISE_SMTP_URL is not set on this node')
      throw new Error('MORTISE_SMTP_URL is not set on this node')
    }
    const inviter = await findBuilder(system, invite.created_by.replace(/^builder:/, ''))
    const mail = {
      id: `invite-${invite.id}`,
      from: mailFrom(services),
      to: invite.invited_email,
      subject: `Invitation to ${org.label}`,
      text: inviteText({
        inviter: inviter?.email ?? 'An owner',
        label: org.label,
        role: roleOf(invite),
        publicUrl: services.publicUrl,
        link: inviteLink(services, invite.id),
        until: invite.expire_time,
      }),
    }
    await sendMail({ smtpUrl, names: services.names }, mail, signal)
    log.info({ inviteId: invite.id }, 'emailed an invite')
  },
})

function inviteText(about: {
  inviter: string
  label: string
  role: OrgRole
  publicUrl: string
  link: string
  until: Date
}): string {
  const until = about.until.toLocaleDateString('en-GB', {
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    timeZone: 'UTC',
  })
  return [
    `${about.inviter} invites you to join ${about.label} as ${roleWithArticle(about.role)} on Mortise at ${about.publicUrl}.`,
    `Open this link to accept. It works once, and until ${until}:`,
    about.link,
    'If you did not expect this invite, you can ignore this email.',
  ].join('\n\n')
}
