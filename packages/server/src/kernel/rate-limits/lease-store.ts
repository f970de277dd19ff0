import { sql } from 'kysely'
import type { Database } from '../db/index.ts'

/** A node's request for a share of one limit. */
export interface Ask {
  projectId: string
  name: string
  /** Total of all nodes. */
  capacity: number
  /** What this node could use now, at least 1. */
  wanted: number
  /** What it uses now and cannot return immediately; always granted. */
  needed: number
}

/** Renews the shares of a node, for all of its limits in one statement. Returns them in the order of the requests. */
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

/** Returns all shares of a node. */
export async function returnShares({ system }: Pick<Database, 'system'>, node: string): Promise<void> {
  await sql`delete from limit_shares where node = ${node}`.execute(system)
}
