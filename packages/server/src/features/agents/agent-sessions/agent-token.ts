import type { Database } from '../../../kernel/db/index.ts'
import type { Identity } from '../../../kernel/http/index.ts'
import type { FindIdentity } from '../../identity/access/index.ts'
import { findBuilderSession } from './builder-session.ts'
import { digestOf, isAccessToken } from './secrets.ts'
import { type FoundAgentSession, findAgentSession } from './session-store.ts'
import { noProject } from './token-issuer.ts'

/**
 * Finds the caller of an access token: the consumer or the builder who signed in, limited to the MCP server that the
 * token is for.
 */
export function createAgentTokens({ database, now }: { database: Database; now: () => Date }): FindIdentity {
  return async (token) => {
    if (!isAccessToken(token)) return undefined
    const row = await findAgentSession(database.system, { accessHash: digestOf(token), now: now() })
    if (!row) return undefined
    return row.project_id === noProject ? await builderOf(row, { database, now }) : consumerOf(row)
  }
}

function consumerOf(row: FoundAgentSession): Identity | undefined {
  const { project_id: id, project_name: name, org_id: orgId, group_ref: groupRef, consumer_ref: consumerRef } = row
  if (name === null || orgId === null || groupRef === null || consumerRef === null) return undefined
  const agent = { sessionId: row.id, name: row.client_name }
  return {
    caller: { kind: 'consumer', keyId: row.id, groupRef, consumerRef, agent },
    project: { id, name, orgId },
    expiresAt: row.access_expire_time,
  }
}

/** The session of the person may have ended before the agent session. */
async function builderOf(
  row: FoundAgentSession,
  { database, now }: { database: Database; now: () => Date },
): Promise<Identity | undefined> {
  const owner = await findBuilderSession({ database, now }, row.id)
  if (!owner) return undefined
  const { sessionId, builderId, email, mayChange, lacksSecondFactor } = owner
  const agent = { sessionId, name: row.client_name }
  return {
    caller: {
      kind: 'builder',
      builderId,
      sessionId,
      email,
      agent,
      ...(!mayChange && { onlyReads: true }),
      ...(lacksSecondFactor && { lacksSecondFactor: true }),
    },
    expiresAt: row.access_expire_time,
  }
}
