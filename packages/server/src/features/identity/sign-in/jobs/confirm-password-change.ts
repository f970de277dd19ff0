import type { Config } from '../../../../config.ts'
import type { Database } from '../../../../kernel/db/index.ts'
import { job } from '../../../../kernel/jobs/index.ts'
import type { NameResolver } from '../../../../kernel/net/index.ts'
import type { Logger } from '../../../../kernel/telemetry/index.ts'
import { findBuilder, mailFrom, sendMail } from '../../orgs/index.ts'
import { confirmPasswordChange } from '../job-references.ts'

/**
 * Mails a person that their password changed, so that they notice when somebody else did it. It retries for about eight
 * hours.
 */
export const confirmPasswordChangeHandler = job(confirmPasswordChange, {
  policy: 'one-per-key',
  concurrency: 1,
  expireInSeconds: 120,
  retryLimit: 10,
  retryDelaySeconds: 15,
  run: async (
    {
      id,
      data,
      signal,
      log,
    }: { id: string; data: { builderId: string; time: string }; signal: AbortSignal; log: Logger },
    services: { config: Config; database: Database; names: NameResolver; publicUrl: string },
  ) => {
    const { smtpUrl } = services.config
    const builder = await findBuilder(services.database.system, data.builderId)
    if (!builder) return
    if (smtpUrl === undefined) throw new Error('MORTISE_SMTP_URL is not set on this node')
    const mail = {
      id: `password-${id}`,
      from: mailFrom(services),
      to: builder.email,
      subject: 'Your password was changed',
      text: [
        `The password of ${builder.email} at ${services.publicUrl} was changed.`,
        `Time: ${data.time.replace('T', ' ').replace(/\.\d+Z$/, ' UTC')}`,
        `If this was not you, reset your password now: ${services.publicUrl}/signin/forgot`,
      ].join('\n\n'),
    }
    await sendMail({ smtpUrl, names: services.names }, mail, signal)
    log.info({ builderId: builder.id }, 'emailed a person that the password changed')
  },
})
