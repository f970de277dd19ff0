import type { Services } from '../../services.ts'
import { type BuilderRow, findBuilderByEmail, normaliseEmail } from '../orgs/index.ts'
import { SignInRefused } from './problems.ts'
import { beginAttempt } from './throttle.ts'

/**
 * The builder with this email and password. An unknown email, a wrong password and an account that signs in elsewhere have the same
 * answer, after the same time.
 *
 * @throws SignInRefused, TooManyAttempts
 */
export async function signInWithPassword(
  services: Pick<Services, 'database' | 'keyring' | 'now' | 'passwords'>,
  given: { email: string; password: string; address: string },
): Promise<BuilderRow> {
  const email = normaliseEmail(given.email)
  const attempt = await beginAttempt(services, { email: email ?? given.email, address: given.address })
  const builder = await findBuilderByEmail(services.database.system, email ?? '')
  if (!(await services.passwords.verify(builder?.password, given.password)) || !builder) throw new SignInRefused()
  await attempt.succeeded()
  return builder
}
