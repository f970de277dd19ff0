import type { Config } from '../../../../config.ts'
import type { Database } from '../../../../kernel/db/index.ts'
import { job } from '../../../../kernel/jobs/index.ts'
import type { NameResolver } from '../../../../kernel/net/index.ts'
import type { Logger } from '../../../../kernel/telemetry/index.ts'
import { findBuilderByEmail, mailFrom, sendMail } from '../../orgs/index.ts'
import type { SignInWarning } from '../job-references.ts'
import { warnOwner } from '../job-references.ts'

/**
 * Emails the owner of an account that someone is guessing its password. Retries for an hour, because a mail that
 * arrives a day late is useless.
 */
export const warnOwnerHandler = job(warnOwner, {
  policy: 'one-per-key',
  concurrency: 1,
  expireInSeconds: 120,
  retryLimit: 7,
  retryDelaySeconds: 15,
  run: async (
    { data, signal, log }: { data: SignInWarning; signal: AbortSignal; log: Logger },
    services: { config: Config; database: Database; names: NameResolver; publicUrl: string },
  ) => {
    const { smtpUrl } = services.config
    const builder = await findBuilderByEmail(services.database.system, data.email)
    if (!builder || builder.password === null) return
    if (smtpUrl === undefined) throw new Error('MORTISE_SMTP_URL is not set on this node')
    const mail = {
      id: `attempts-${builder.id}-${Date.parse(data.time)}`,
      from: mailFrom(services),
      to: builder.email,
      subject: 'Failed attempts to sign in to your account',
      text: warningText(data, services.publicUrl),
    }
    await sendMail({ smtpUrl, names: services.names }, mail, signal)
    log.info({ builderId: builder.id }, 'emailed the owner of an account about failed attempts to sign in')
  },
})

function warningText(data: SignInWarning, publicUrl: string): string {
  const { email, address, attempts, minutes, time, knowsPassword } = data
  return [
    `There were more than ${attempts} failed attempts to sign in as ${email} at ${publicUrl} within ${minutes} minutes.`,
    `Time: ${time.replace('T', ' ').replace(/\.\d+Z$/, ' UTC')}\nLast address: ${address}`,
    `Attempts from unknown networks now have to wait, up to ${minutes} minutes. Browsers and networks that you signed in from before are not affected.`,
    knowsPassword
      ? `They entered your password, and then wrong codes. If this was not you, choose another password now: ${publicUrl}/signin/forgot`
      : 'If this was not you, you do not have to do anything. If you use the same password elsewhere, choose another one here.',
    'You receive this email at most once a day.',
  ].join('\n\n')
}
