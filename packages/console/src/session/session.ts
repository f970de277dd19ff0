import { createClient, MortiseProblem } from '@mortise/client'

/** Who is signed in, and a token that acts for them. It lives in memory only; the session is a cookie. */
interface ConsoleToken {
  accessToken: string
  expiresAt: string
  builderId: string
  email: string
}

/** How long before its end a token is renewed. */
const earlyMs = 60_000

let known: ConsoleToken | undefined
let requested: Promise<ConsoleToken> | undefined

/** Returns a token that is valid for a minute at least. Requests at the same time share one. */
export async function token(): Promise<ConsoleToken> {
  if (known && Date.parse(known.expiresAt) - earlyMs > Date.now()) return known
  requested ??= request().finally(() => {
    requested = undefined
  })
  known = await requested
  return known
}

async function request(): Promise<ConsoleToken> {
  const answer = await fetch('/console/token', { method: 'POST', headers: { 'x-mortise-console': '1' } })
  if (answer.status === 401) signIn()
  if (!answer.ok) throw new Error(`The service answered ${answer.status} to the sign-in of the console.`)
  return (await answer.json()) as ConsoleToken
}

/** Leaves for the sign-in page, which leads back here. */
export function signIn(): never {
  const here = window.location.pathname + window.location.search
  window.location.assign(`/signin?next=${encodeURIComponent(here)}`)
  throw new SignedOut()
}

/** Nobody is signed in; the browser is on its way to the sign-in page. */
export class SignedOut extends Error {
  override readonly name = 'SignedOut'
}

/** The console's only way to the service. */
export const client = createClient({
  baseUrl: window.location.origin,
  token: async () => (await token()).accessToken,
  retries: 2,
  timeoutMs: 30_000,
})
export type Client = typeof client

/** Whether a problem says that the session ended. */
export function isSignedOut(error: unknown): boolean {
  return error instanceof SignedOut || (error instanceof MortiseProblem && error.status === 401)
}
