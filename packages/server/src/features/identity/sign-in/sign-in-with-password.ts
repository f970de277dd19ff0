import type { Config } from '../../../config.ts'
import type { Database } from '../../../kernel/db/index.ts'
import type { Keyring } from '../../../kernel/encryption/index.ts'
import type { AuditNote } from '../../../kernel/http/index.ts'
import type { JobQueue } from '../../../kernel/jobs/index.ts'
import type { Logger } from '../../../kernel/telemetry/index.ts'
import { type BuilderRow, findBuilderByEmail, normalizeEmail } from '../orgs/index.ts'
import { type UsableFactor, usableFactors } from './factors/use-factor.ts'
import type { Passwords } from './password.ts'
import { SignInRefused } from './problems.ts'
import { beginAttempt, type Origin } from './throttle.ts'

/**
 * The builder with this email and password. An unknown email, a wrong password and an account that signs in elsewhere
 * have the same answer, after the same time. With factors, the person is not signed in yet.
 *
 * @throws SignInRefused, TooManyAttempts
 */
export async function signInWithPassword(
  services: {
    config: Config
    database: Database
    keyring: Keyring
    log: Logger
    now: () => Date
    passwords: Passwords
    queue: JobQueue
  },
  input: { email: string; password: string; note: (note: AuditNote) => void } & Origin,
): Promise<{ builder: BuilderRow; factors: UsableFactor[] }> {
  const email = normalizeEmail(input.email)
  const attempt = await beginAttempt(services, email ?? input.email, input)
  const builder = await findBuilderByEmail(services.database.system, email ?? '')
  const isRight = await services.passwords.verify(builder?.password, input.password)
  // An address that is not known stays out of the audit log: people also type passwords into this field.
  if (builder) input.note({ actor: { kind: 'person', id: builder.id, name: builder.email }, resourceId: builder.id })
  if (!isRight || !builder) {
    input.note({ outcome: 'failure' })
    services.log.info({ builderId: builder?.id, address: input.address }, 'sign-in with a password refused')
    throw new SignInRefused()
  }
  const factors = await usableFactors(services.database.system, builder.id)
  await attempt.succeeded({ secondStepFollows: factors.length > 0 })
  const message = factors.length > 0 ? 'password accepted, second factor required' : 'sign-in with a password'
  services.log.info({ builderId: builder.id, address: input.address }, message)
  return { builder, factors }
}
