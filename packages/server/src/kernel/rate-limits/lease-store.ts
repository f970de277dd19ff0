import { sql } from 'kysely'
import type { Database } from '../db/index.ts'

/** What a node asks of one limit. */
export interface Ask {
  projectId: string
  name: string
  /** Of all nodes together. */
  capacity: number
  /** What this node could use now, 1 at least. */
  wanted: number
  /** What it uses now and cannot give back at once; it is granted in any case. */
  needed: number
}

/** Renews the shares of a node, for all of its limits in one statement. Answers them in the order of the asks. */
export async function leaseShares(
  { system }: Pick<Database, 'system'>,
  node: string,
  asks: readonly Ask[],
  seconds: number,
): Promise<number[]> {
  const column = <K extends keyof Ask>(name: K) => asks.map((ask) => ask[name])
  const { rows } = await sql<{ granted: number }>`
    select granted from lease_shares(${node}::uuid, ${column('projectId')}::uuid[], ${column('name')}::text[],
      ${column('capacity')}::integer[], ${column('wanted')}::integer[], ${column('needed')}::integer[], ${seconds}::integer)
    order by ordinal`.execute(system)
  return rows.map(({ granted }) => granted)
}

/** Gives back all that a node has. */
export async function returnShares({ system }: Pick<Database, 'system'>, node: string): Promise<void> {
  await sql`delete from limit_shares where node = ${node}`.execute(system)
}
