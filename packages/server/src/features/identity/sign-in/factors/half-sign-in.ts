import type { Database } from '../../../../kernel/db/index.ts'
import { halfCookie, halfSignInSeconds } from '../browser.ts'
import { hashSecret, newSecret } from '../sessions.ts'
import type { Origin } from '../throttle.ts'
import { claimHalfSignIn, findHalfSignIn, type HalfSignInRow, insertHalfSignIn } from './half-sign-in-store.ts'
import type { UsedPasskey } from './passkeys.ts'
import { confirmFactor, type FactorServices } from './use-factor.ts'

/**
 * A sign-in in a browser between the password and the second factor. Its token is in a cookie, and only hashes are
 * stored. It works for ten minutes, once, and in the browser that began it alone.
 */

type Browser = { browserSecret: string; halfToken: string | undefined }
type Needed = { database: Database; now: () => Date; publicUrl: string }

/** Begins one. Returns its cookie. */
async function beginHalfSignIn(
  services: Needed,
  { browserSecret }: Pick<Browser, 'browserSecret'>,
  builderId: string,
): Promise<string> {
  const token = newSecret()
  await insertHalfSignIn(services.database.system, {
    tokenHash: hashSecret(token),
    browserHash: hashSecret(browserSecret),
    builderId,
    challenge: newSecret(),
    expireTime: new Date(services.now().getTime() + halfSignInSeconds * 1000),
  })
  return halfCookie(services, token)
}

/** Begins one, and leads the browser to the page of the second step. */
export async function leadToSecondStep(
  services: Needed,
  browser: Pick<Browser, 'browserSecret'>,
  builderId: string,
  next: string | undefined,
): Promise<{ to: string; cookies: string[] }> {
  return { to: secondStepPath(next), cookies: [await beginHalfSignIn(services, browser, builderId)] }
}

export function secondStepPath(next: string | undefined, way?: string): string {
  const query = new URLSearchParams({ ...(way !== undefined && { with: way }), ...(next !== undefined && { next }) })
  return `/signin/factor${query.size > 0 ? `?${query}` : ''}`
}

/** Returns the one of this browser, if it has not expired. */
export async function halfSignInOf(
  { database, now }: Needed,
  { browserSecret, halfToken }: Browser,
): Promise<HalfSignInRow | undefined> {
  if (halfToken === undefined) return undefined
  const wanted = { tokenHash: hashSecret(halfToken), browserHash: hashSecret(browserSecret), now: now() }
  return await findHalfSignIn(database.system, wanted)
}

/** Ends one with a second factor. @throws SecondFactorRefused, TooManyAttempts */
export async function finishHalfSignIn(
  services: FactorServices,
  half: HalfSignInRow,
  builder: { id: string; email: string },
  given: { code: string } | { passkey: UsedPasskey },
  origin: Origin,
): Promise<void> {
  const factor = 'code' in given ? given : { ...given, challenge: half.challenge }
  await confirmFactor(services, builder, factor, origin, (tx) => claimHalfSignIn(tx, half.token_hash))
}
