import type { Config } from '../../../../config.ts'
import type { Database } from '../../../../kernel/db/index.ts'
import { job } from '../../../../kernel/jobs/index.ts'
import type { NameResolver } from '../../../../kernel/net/index.ts'
import type { Logger } from '../../../../kernel/telemetry/index.ts'
import { findBuilder, mailFrom, sendMail } from '../../orgs/index.ts'
import { confirmFactorChange, type FactorChange } from '../job-references.ts'

/**
 * Mails a person that their second factors changed, so that they notice when somebody else did it. It retries for about
 * eight hours.
 */
export const confirmFactorChangeHandler = job(confirmFactorChange, {
  policy: 'one-per-key',
  concurrency: 1,
  expireInSeconds: 120,
  retryLimit: 10,
  retryDelaySeconds: 15,
  run: async (
    { id, data, signal, log }: { id: string; data: FactorChange; signal: AbortSignal; log: Logger },
    services: { config: Config; database: Database; names: NameResolver; publicUrl: string },
  ) => {
    const { smtpUrl } = services.config
    const builder = await findBuilder(services.database.system, data.builderId)
    if (!builder) return
    if (smtpUrl === undefined) throw new Error('MORTISE_SMTP_URL is not set on this node')
    const mail = {
      id: `factors-${id}`,
      from: mailFrom(services),
      to: builder.email,
      subject: 'Your second factors were changed',
      text: [
        `${sentenceOf(data)} The account is ${builder.email} at ${services.publicUrl}.`,
        `Time: ${data.time.replace('T', ' ').replace(/\.\d+Z$/, ' UTC')}`,
        `If this was not you, reset your password now, and ask an owner of your organization to remove your factors: ${services.publicUrl}/signin/forgot`,
      ].join('\n\n'),
    }
    await sendMail({ smtpUrl, names: services.names }, mail, signal)
    log.info({ builderId: builder.id }, 'emailed a person that the second factors changed')
  },
})

function sentenceOf({ change, name = '' }: FactorChange): string {
  const sentences: Record<FactorChange['change'], string> = {
    added: `The second factor "${name}" was added to your account.`,
    removed: `The second factor "${name}" was removed from your account.`,
    'all-removed': 'All second factors of your account were removed.',
    'recovery-codes': 'The recovery codes of your account were replaced. The former ones no longer work.',
  }
  return sentences[change]
}
