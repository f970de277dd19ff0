import { randomBytes } from 'node:crypto'
import { newId, type ProjectDb } from '../kernel/db/index.ts'

/** Stores a sign-in that the builder's page refused, and an agent session. Returns their ids. */
export async function storeAgentRows(
  db: ProjectDb,
  { groupRef, consumerRef }: { groupRef: string; consumerRef: string },
): Promise<{ signInId: string; agentSessionId: string }> {
  const [signInId, agentSessionId] = [newId(), newId()]
  const now = new Date()
  const later = new Date(now.getTime() + 86_400_000)
  const common = { project_id: db.projectId, client_id: newId(), client_name: 'Desk', create_time: now }
  await db.sql
    .insertInto('agent_sign_ins')
    .values({
      ...common,
      id: signInId,
      redirect_uri: 'http://127.0.0.1:41000/callback',
      code_challenge: 'x'.repeat(43),
      browser_hash: randomBytes(32),
      status: 'refused',
      expire_time: later,
    })
    .execute()
  await db.sql
    .insertInto('agent_sessions')
    .values({
      ...common,
      id: agentSessionId,
      group_ref: groupRef,
      consumer_ref: consumerRef,
      access_hash: randomBytes(32),
      access_expire_time: later,
      family_hash: randomBytes(32),
      refresh_hash: randomBytes(32),
      expire_time: later,
    })
    .execute()
  return { signInId, agentSessionId }
}
