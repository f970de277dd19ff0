import { type Kysely, sql } from 'kysely'

/**
 * A claim on a domain takes effect with a DNS proof. Claims from before were made without one, so they become pending:
 * nobody joins by them until their owner proves them.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  // `challenge` is what the TXT record must hold. It is public once it is published. The default fills the rows that
  // exist.
  `alter table claimed_domains
    add column challenge text not null default
      replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', '') check (challenge ~ '^[0-9a-f]{64}$'),
    add column verify_time timestamptz,
    add column check_time timestamptz`,
  // Anyone may claim a domain; only one organization can have proven it.
  `alter table claimed_domains drop constraint claimed_domains_domain_key`,
  `create unique index claimed_domains_verified on claimed_domains (domain) where verify_time is not null`,
  `drop index claimed_domains_org_id_idx`,
  `create unique index claimed_domains_org on claimed_domains (org_id, domain)`,
  `create index claimed_domains_domain on claimed_domains (domain)`,
]
