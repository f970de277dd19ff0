import { type Kysely, sql } from 'kysely'

/**
 * Where a destination is and what it sends, sealed. `metadata` is what an earlier release wrote: while it is not empty
 * it counts, and the next start seals it. `url_changes` tells attempts at an earlier URL from those at the present one,
 * which can no longer be compared.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `alter table destinations
    alter column metadata set default '{}',
    add column sealed_metadata text,
    add column url_changes integer not null default 0,
    add check (metadata ? 'url' or sealed_metadata is not null)`,
]
