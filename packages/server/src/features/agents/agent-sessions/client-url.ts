import { withParameters } from './redirect-uri.ts'
import type { SignInRow } from './sign-in-store.ts'
import type { TokenIssuer } from './token-issuer.ts'

/** Returns where the browser goes after a sign-in: to the client, with the code or with the refusal. */
export function clientUrl(
  issuer: TokenIssuer,
  { status, redirect_uri, state }: Pick<SignInRow, 'status' | 'redirect_uri' | 'state'>,
  code: string,
): string {
  const outcome = status === 'granted' ? { code } : { error: 'access_denied', error_description: 'The user refused.' }
  return withParameters(redirect_uri, { ...outcome, state: state ?? undefined, iss: issuer.url })
}
