import type { Kysely } from 'kysely'
import type { ProjectDb, Tables } from '../../../kernel/db/index.ts'

/** A flow as it lies in the database. */
export interface FlowRow {
  project_id: string
  encrypted: string
}

export async function insertFlow(
  db: ProjectDb,
  flow: { stateHash: Buffer; bound: boolean; encrypted: string; expireTime: Date },
): Promise<void> {
  await db.sql
    .insertInto('oauth_flows')
    .values({
      project_id: db.projectId,
      state_hash: flow.stateHash,
      bound: flow.bound,
      encrypted: flow.encrypted,
      expire_time: flow.expireTime,
    })
    .execute()
}

/** Gives a bound flow to the first browser that opens it; to any other it is not there. */
export async function bindFlow(
  system: Kysely<Tables>,
  { stateHash, browserHash, now }: { stateHash: Buffer; browserHash: Buffer; now: Date },
): Promise<FlowRow | undefined> {
  return await system
    .updateTable('oauth_flows')
    .set({ browser_hash: browserHash })
    .where('state_hash', '=', stateHash)
    .where('bound', '=', true)
    .where('expire_time', '>', now)
    .where((or) => or.or([or('browser_hash', 'is', null), or('browser_hash', '=', browserHash)]))
    .returning(['project_id', 'encrypted'])
    .executeTakeFirst()
}

/** Takes a flow away, so that no answer serves twice; one that is bound, for its browser alone. */
export async function claimFlow(
  system: Kysely<Tables>,
  { stateHash, browserHash, now }: { stateHash: Buffer; browserHash: Buffer | undefined; now: Date },
): Promise<FlowRow | undefined> {
  return await system
    .deleteFrom('oauth_flows')
    .where('state_hash', '=', stateHash)
    .where('expire_time', '>', now)
    .where((or) => or.or([or('bound', '=', false), ...(browserHash ? [or('browser_hash', '=', browserHash)] : [])]))
    .returning(['project_id', 'encrypted'])
    .executeTakeFirst()
}

/** Removes the flows that nobody finished. */
export async function deleteExpiredFlows(system: Kysely<Tables>, now: Date): Promise<void> {
  await system.deleteFrom('oauth_flows').where('expire_time', '<=', now).execute()
}
