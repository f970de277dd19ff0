import { createHash } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import { analyzeNewTables } from './functions/analyze-new-tables.ts'
import { claimDueMessages } from './functions/claim-due-messages.ts'
import { findDueDestinations } from './functions/find-due-destinations.ts'
import { findReattachableDestinations } from './functions/find-reattachable-destinations.ts'
import { isCollected } from './functions/is-collected.ts'
import { leaseShares } from './functions/lease-shares.ts'
import { waitingInSequences } from './functions/waiting-in-sequences.ts'

/**
 * Functions whose SQL changes with the release, not with a migration. A changed signature needs a new name: a node of
 * the release before calls the former one until it stops.
 */
const functions: Record<string, string> = {
  analyze_new_tables: analyzeNewTables,
  claim_due_messages: claimDueMessages,
  find_due_destinations: findDueDestinations,
  find_reattachable_destinations: findReattachableDestinations,
  is_collected: isCollected,
  lease_shares: leaseShares,
  waiting_in_sequences: waitingInSequences,
}

/** Replaces the functions that this release defines differently. Their comments say what they were made from. */
export async function replaceFunctions(
  db: Kysely<unknown>,
  definitions: Record<string, string> = functions,
): Promise<string[]> {
  const { rows } = await sql<{ name: string; hash: string | null }>`
    select proname as name, obj_description(oid, 'pg_proc') as hash from pg_proc
     where pronamespace = 'mortise'::regnamespace and proname = any(${Object.keys(definitions)})`.execute(db)
  const present = new Map(rows.map(({ name, hash }) => [name, hash]))
  const replaced: string[] = []
  for (const [name, definition] of Object.entries(definitions)) {
    const hash = createHash('sha256').update(definition).digest('hex')
    if (present.get(name) === hash) continue
    await sql.raw(definition).execute(db)
    await sql.raw(`comment on function ${name} is '${hash}'`).execute(db)
    replaced.push(name)
  }
  return replaced
}
