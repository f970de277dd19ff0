import { job } from '../../../../kernel/jobs/index.ts'
import type { Services } from '../../../../services.ts'
import { findBuilder, mailFrom, sendMail } from '../../orgs/index.ts'

interface Change {
  builderId: string
  time: string
}

/**
 * Mails a person that their password changed, so that they notice when somebody else did it. It retries for about eight
 * hours.
 */
export const confirmPasswordChange = job({
  name: 'sign-in.confirm-password-change',
  policy: 'one-per-key',
  concurrency: 1,
  expireInSeconds: 120,
  retryLimit: 10,
  retryDelaySeconds: 15,
  run: async (
    { id, data, signal, log }: { id: string; data: Change; signal: AbortSignal; log: Services['log'] },
    services: Pick<Services, 'config' | 'database' | 'names' | 'publicUrl'>,
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
