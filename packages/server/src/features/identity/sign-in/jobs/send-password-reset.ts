import type { Config } from '../../../../config.ts'
import type { Database } from '../../../../kernel/db/index.ts'
import { job } from '../../../../kernel/jobs/index.ts'
import type { NameResolver } from '../../../../kernel/net/index.ts'
import type { Logger } from '../../../../kernel/telemetry/index.ts'
import { findBuilderByEmail, lockBuilder, mailFrom, sendMail } from '../../orgs/index.ts'
import { sendPasswordReset } from '../job-references.ts'
import { newReset, signsInElsewhere } from '../password-reset.ts'
import type { SingleSignOn } from '../single-sign-on.ts'

/**
 * Mails a link that resets the password, if somebody has an account with this address. Each run makes a new link, so
 * the job carries no secret. It retries for half an hour: nobody waits longer for it.
 */
export const sendPasswordResetHandler = job(sendPasswordReset, {
  policy: 'one-per-key',
  concurrency: 2,
  expireInSeconds: 120,
  retryLimit: 7,
  retryDelaySeconds: 15,
  run: async (
    { id, data, signal, log }: { id: string; data: { email: string }; signal: AbortSignal; log: Logger },
    services: {
      config: Config
      database: Database
      names: NameResolver
      now: () => Date
      publicUrl: string
      singleSignOn: SingleSignOn | undefined
    },
  ) => {
    const { database, publicUrl, singleSignOn } = services
    const { smtpUrl } = services.config
    const builder = await findBuilderByEmail(database.system, data.email)
    if (!builder) return
    if (smtpUrl === undefined) throw new Error('MORTISE_SMTP_URL is not set on this node')
    const elsewhere = signsInElsewhere(services, builder)
    const reset = elsewhere
      ? undefined
      : await database.system.transaction().execute(async (tx) => {
          await lockBuilder(tx, builder.id)
          return await newReset(tx, services, builder.id)
        })
    const mail = {
      id: `reset-${id}`,
      from: mailFrom(services),
      to: builder.email,
      subject: 'Reset your password',
      text: reset
        ? resetText({ email: builder.email, publicUrl, link: reset.link })
        : singleSignOnText({ email: builder.email, publicUrl, name: singleSignOn?.name }),
    }
    await sendMail({ smtpUrl, names: services.names }, mail, signal)
    log.info({ builderId: builder.id }, 'emailed a link to reset a password')
  },
})

const ignore = 'If you did not request this, you can ignore this email. Your password does not change.'

function resetText({ email, publicUrl, link }: { email: string; publicUrl: string; link: string }): string {
  return [
    `Somebody asked to reset the password of ${email} at ${publicUrl}.`,
    'Open this link to choose a new password. It works once, and for one hour:',
    link,
    ignore,
  ].join('\n\n')
}

function singleSignOnText(about: { email: string; publicUrl: string; name: string | undefined }): string {
  return [
    `Somebody asked to reset the password of ${about.email} at ${about.publicUrl}.`,
    `This account has no password. Sign in with ${about.name ?? 'single sign-on'}: ${about.publicUrl}/signin`,
    'If you did not request this, you can ignore this email.',
  ].join('\n\n')
}
