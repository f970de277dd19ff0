import type { Database } from '../../../kernel/db/index.ts'
import type { FindIdentity } from '../../identity/access/index.ts'
import { digestOf, isAccessToken } from './secrets.ts'
import { findAgentSession } from './session-store.ts'

/** Finds the caller of an access token: the consumer who signed in, limited to the MCP server of the project. */
export function createAgentTokens({ database, now }: { database: Database; now: () => Date }): FindIdentity {
  return async (token) => {
    if (!isAccessToken(token)) return undefined
    const row = await findAgentSession(database.system, { accessHash: digestOf(token), now: now() })
    if (!row) return undefined
    return {
      caller: {
        kind: 'consumer',
        keyId: row.id,
        groupRef: row.group_ref,
        consumerRef: row.consumer_ref,
        agent: { sessionId: row.id, name: row.client_name },
      },
      project: { id: row.project_id, name: row.project_name, orgId: row.org_id },
      expiresAt: row.access_expire_time,
    }
  }
}
