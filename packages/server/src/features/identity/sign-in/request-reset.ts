import type { Config } from '../../../config.ts'
import type { Database } from '../../../kernel/db/index.ts'
import type { Keyring } from '../../../kernel/encryption/index.ts'
import type { JobQueue } from '../../../kernel/jobs/index.ts'
import { sendPasswordReset } from './job-references.ts'
import { MailNotSetUp } from './problems.ts'
import { countReset, type Origin } from './throttle.ts'

/**
 * Requests a reset link by email for the account with this address. Known and unknown addresses take the same steps,
 * because only the job looks up the account.
 *
 * @param email normalized
 * @throws MailNotSetUp, TooManyPasswordResets
 */
export async function requestReset(
  services: { config: Config; database: Database; keyring: Keyring; now: () => Date; queue: JobQueue },
  email: string,
  origin: Origin,
): Promise<void> {
  const { config, database, queue } = services
  if (config.smtpUrl === undefined) throw new MailNotSetUp()
  await countReset(services, email, origin)
  await queue.enqueue({ sql: database.system }, sendPasswordReset, { email }, email)
}
