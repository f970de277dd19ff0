import { Problem } from '../../../kernel/http/index.ts'
import type { Page } from './pages/page.ts'
import { SecondFactorRefused, SignInRefused, TooManyAttempts, TooManyPasswordResets } from './problems.ts'

/** What a page says of a sign-in, or of a request for a link, that was refused; anything else is thrown on. */
export function signInFault(error: unknown, now: Date): { fault: string; status: Page['status'] } {
  if (error instanceof SignInRefused)
    return { fault: 'The email or the password is wrong. Check both and try again.', status: 401 }
  if (error instanceof SecondFactorRefused)
    return { fault: 'This was not accepted. A code works once; wait for the next one and try again.', status: 401 }
  if ((error instanceof TooManyAttempts || error instanceof TooManyPasswordResets) && error instanceof Problem) {
    const until = error.occurrence.retryAfter
    const minutes = until ? Math.max(1, Math.ceil((until.getTime() - now.getTime()) / 60_000)) : 1
    return {
      fault: `Too many attempts. Try again in ${minutes === 1 ? 'a minute' : `${minutes} minutes`}.`,
      status: 429,
    }
  }
  throw error
}
