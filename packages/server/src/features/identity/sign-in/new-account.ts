import { normalizeEmail } from '../orgs/index.ts'
import { passwordFault } from './password.ts'

/** Reads and validates the form of a new account. `fault` lists everything that is wrong with it. */
export async function readNewAccount(
  form: URLSearchParams,
  knownEmail?: string,
): Promise<{ email: string; fullName: string | undefined; password: string } | { fault: string }> {
  const email = knownEmail ?? normalizeEmail((form.get('email') ?? '').slice(0, 1_000))
  const fullName = (form.get('name') ?? '').trim()
  const password = form.get('password') ?? ''
  const faults = [
    email === undefined && 'Enter an email address like ada@example.com.',
    fullName.length > 200 && 'The name can have at most 200 characters.',
    await passwordFault(password, [email ?? '', fullName.slice(0, 200)]),
  ].filter((fault) => typeof fault === 'string')
  if (email === undefined || faults.length > 0) return { fault: faults.join(' ') }
  return { email, fullName: fullName || undefined, password }
}
