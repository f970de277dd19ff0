import type { Database } from '../../../kernel/db/index.ts'
import { isSameBytes } from '../../../kernel/encryption/index.ts'
import { clientUrl } from './client-url.ts'
import { codeSeconds, digestOf, later, newSecret } from './secrets.ts'
import { decideSignIn, findSignIn, type SignInRow, useTicket } from './sign-in-store.ts'
import { managementIssuer, noProject } from './token-issuer.ts'

type ConsentServices = { database: Database; now: () => Date; publicUrl: string }

/** Finds a sign-in that waits for a builder, in the browser that began it. */
export async function findWaiting(
  { database, now }: ConsentServices,
  id: string | undefined,
  browserSecret: string | undefined,
): Promise<SignInRow | undefined> {
  if (id === undefined || browserSecret === undefined) return undefined
  const row = await findSignIn(database.forProject(noProject), id, now())
  return row && isWaitingIn(row, browserSecret) ? row : undefined
}

/**
 * Stores the decision of a builder, once. Returns where the browser goes: to the client, with a code or with the
 * refusal. Returns undefined if the sign-in does not wait in this browser.
 */
export async function decideAsBuilder(
  { database, now: clock, publicUrl }: ConsentServices,
  { id, browserSecret }: { id: string; browserSecret: string },
  decision: { builderSessionId: string; mayChange: boolean } | 'refused',
): Promise<string | undefined> {
  const now = clock()
  const [ticketHash, code] = [digestOf(newSecret()), newSecret()]
  const decided = await database.forProject(noProject).transaction(async (tx) => {
    const row = await findSignIn(tx, id, now, { locks: true })
    if (!row || !isWaitingIn(row, browserSecret)) return undefined
    const outcome =
      decision === 'refused' ? { status: 'refused' as const } : { status: 'completed' as const, ...decision }
    await decideSignIn(tx, row.id, { ticketHash, ...outcome })
    return await useTicket(tx, row.id, {
      ticketHash,
      browserHash: digestOf(browserSecret),
      codeHash: digestOf(code),
      now,
      codeExpireTime: later(now, codeSeconds),
    })
  })
  return decided && clientUrl(managementIssuer(publicUrl), decided, code)
}

function isWaitingIn(row: SignInRow, browserSecret: string): boolean {
  return row.status === 'waiting' && isSameBytes(row.browser_hash, digestOf(browserSecret))
}
