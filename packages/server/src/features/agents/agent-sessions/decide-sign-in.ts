import type { ProjectDb } from '../../../kernel/db/index.ts'
import { upsertConsumer, upsertGroup } from '../../accounts/consumers/index.ts'
import { issuerOf, oauthUrl } from './addresses.ts'
import { AgentSignInDecided, AgentSignInNotFound } from './problems.ts'
import { digestOf, newSecret } from './secrets.ts'
import { decideSignIn, findSignIn } from './sign-in-store.ts'

/** The person whom the builder's page signed in. */
export interface SignedInConsumer {
  groupRef: string
  groupName?: string
  consumerRef: string
  consumerName?: string
}

/**
 * Completes a sign-in for a consumer, or refuses it without one. Returns where the browser goes: to Mortise, which
 * knows the browser that began, and then to the client.
 *
 * @throws AgentSignInNotFound, AgentSignInDecided
 */
export async function decide(
  db: ProjectDb,
  { now, publicUrl }: { now: () => Date; publicUrl: string },
  id: string,
  consumer?: SignedInConsumer,
): Promise<{ id: string; redirectUrl: string }> {
  const ticket = newSecret()
  const ticketHash = digestOf(ticket)
  const signIn = await db.transaction(async (tx) => {
    const row = await findSignIn(tx, id, now(), { locks: true })
    if (!row) throw new AgentSignInNotFound()
    if (row.status !== 'waiting') throw new AgentSignInDecided()
    if (consumer) {
      const { groupRef, groupName, consumerRef, consumerName } = consumer
      await upsertGroup(tx, groupRef, groupName)
      await upsertConsumer(tx, consumerRef, consumerName)
      await decideSignIn(tx, row.id, { ticketHash, status: 'completed', groupRef, consumerRef })
    } else await decideSignIn(tx, row.id, { ticketHash, status: 'refused' })
    return row
  })
  const query = new URLSearchParams({ request: signIn.id, ticket })
  return {
    id: signIn.id,
    redirectUrl: `${oauthUrl({ url: issuerOf(publicUrl, { id: db.projectId }) }, 'continue')}?${query}`,
  }
}
