import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { rankInstallations } from '../../packages/server/src/features/platform/counts/rankings.ts'
import type { Tables } from '../../packages/server/src/kernel/db/index.ts'

/** How much a database is filled with. */
export interface ConsoleRows {
  installations: number
  operations: number
  messages: number
  /** Days over which operations and messages are spread, up to today. */
  days: number
  /** Leaves out the counts, which are most of the rows. */
  withoutCounts?: true
}

/** One of ten thousand operations failed, and belongs to the object `rare`. */
const rareEvery = 10_000

/**
 * Fills a project with installations, operations, messages and counts, by statements of many rows. Ids are UUIDv7 whose
 * times are spread evenly. The first group has ten installations, every other one has one. Every twentieth installation
 * fails, for one of four reasons. 12,000 messages wait for one of ten destinations, and 500 for each other one.
 *
 * @param superuser of the database of the service, which has created its tables
 */
export async function fillConsole(superuser: pg.ClientConfig, projectId: string, rows: ConsoleRows): Promise<void> {
  const client = new pg.Client(superuser)
  await client.connect()
  try {
    await client.query('set search_path = mortise')
    await client.query(`set session_replication_role = replica`)
    await client.query(
      "set synchronous_commit = off; set maintenance_work_mem = '512MB'; set max_parallel_maintenance_workers = 0",
    )
    await client.query(functions)
    await client.query('select ensure_partitions(current_date - $1::int, current_date + 1)', [rows.days])
    await client.query('select ensure_count_partitions(current_date - $1::int, current_date)', [rows.days])
    const rebuild = await dropIndexes(client)
    for (const [statement, count] of [
      [installations, rows.installations],
      [accounts, rows.installations],
      [failures, rows.installations],
      [destinations, 10],
      [waiting, 12_000],
      [operations, rows.operations],
      [histories, rows.installations],
      [providerEvents, rows.operations / 10],
      [messages, rows.messages],
    ] as const)
      await client.query(statement, [projectId, count, rows.installations, rows.days])
    if (!rows.withoutCounts) {
      await client.query(installationCounts, [projectId, rows.installations])
      await client.query(integrationCounts, [projectId])
    }
    for (const statement of rebuild) await client.query(statement)
    await client.query(
      'vacuum (analyze) installations, connections, groups, consumers, read_states, installation_counts',
    )
    await client.query('analyze operations, messages, backfills, subscriptions, integration_counts')
    await client.query('analyze resource_events, provider_events, schema_changes, configs')
  } finally {
    await client.end()
  }
  if (!rows.withoutCounts) await rankHours(superuser)
}

/** Ranks the last two days, as a service that ran all the time has done: each call ranks two hours. */
async function rankHours(superuser: pg.ClientConfig): Promise<void> {
  const pool = new pg.Pool({ ...superuser, max: 1, options: '-c search_path=mortise' })
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
  for (let hour = hoursCounted - 2; hour >= 0; hour -= 2)
    await rankInstallations(db, new Date(Date.now() - hour * 3_600_000))
  await db.destroy()
}

/**
 * Drops the indexes of the large tables, except their keys. Returns the statements that build them again, which
 * is faster than adding to them row by row.
 */
async function dropIndexes(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string; definition: string }>(
    `select i.indexrelid::regclass::text as name, pg_get_indexdef(i.indexrelid) as definition
       from pg_index i where i.indrelid in ('operations'::regclass, 'messages'::regclass, 'installation_counts'::regclass) and not i.indisunique`,
  )
  for (const { name } of rows) await client.query(`drop index ${name}`)
  return rows.map(({ definition }) => definition.replace(' ON ONLY ', ' ON '))
}

/** Ids by number, and a UUIDv7 of a time. */
const functions = `
  create function pg_temp.number_id(kind int, n bigint) returns uuid language sql immutable as
    $$ select (lpad(to_hex(kind), 8, '0') || '-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid $$;
  create function pg_temp.time_id(at timestamptz, n bigint) returns uuid language sql immutable as
    $$ select (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7000' || '8000' || lpad(to_hex(n), 12, '0'))::uuid $$`

/** $1 project, $2 count, $3 installations, $4 days. */
const installations = `
  with numbers as (select n, case when n < 10 then 'group-0' else 'group-' || n end as ref from generate_series(0, $2 - 1) n),
       integration as (
    insert into integrations (project_id, id, name, provider, latest_revision_id)
    select $1::uuid, pg_temp.number_id(1, n), 'bench-' || n, 'benchCrm', pg_temp.number_id(2, n) from generate_series(0, 19) n
  ), made_groups as (
    insert into groups (project_id, group_ref, group_name) select distinct $1::uuid, ref, 'Company ' || md5(ref) from numbers
  )
  insert into installations (project_id, id, integration_id, group_ref, connection_id, config_id, created_by)
  select $1::uuid, pg_temp.number_id(3, n), pg_temp.number_id(1, n % 20), ref, pg_temp.number_id(4, n),
         pg_temp.number_id(5, n), 'consumer:bench'
    from numbers where $3::bigint > 0 and $4::int > 0`

/** A connection, a consumer and the states of two objects of each installation. */
const accounts = `
  with made_consumers as (
    insert into consumers (project_id, consumer_ref, consumer_name)
    select $1::uuid, 'consumer-' || n, 'Person ' || md5(n::text) from generate_series(0, $2 - 1) n
  ), made_revisions as (
    insert into revisions (project_id, id, integration_id, spec_version, content, content_hash)
    select $1::uuid, pg_temp.number_id(2, n), pg_temp.number_id(1, n), '1.0.0', jsonb_build_object('name', 'bench-' || n, 'provider', 'benchCrm'), ''
      from generate_series(0, 19) n
  ), made_configs as (
    insert into configs (project_id, id, installation_id, version, revision_id, content, created_by)
    select $1::uuid, pg_temp.number_id(5, n), pg_temp.number_id(3, n), 1, pg_temp.number_id(2, n % 20),
           '{"provider": "benchCrm", "read": {"objects": {"contacts": {}, "companies": {}}}}', 'consumer:bench'
      from generate_series(0, $2 - 1) n
  ), made_connections as (
    insert into connections (project_id, id, provider, group_ref, consumer_ref, auth_scheme, status, check_reason, update_time)
    select $1::uuid, pg_temp.number_id(4, n), 'benchCrm', case when n < 10 then 'group-0' else 'group-' || n end, 'consumer-' || n,
           'apiKey', case when n % 80 = 0 then 'bad_credentials' when n % 50 = 1 then 'created' else 'working' end,
           case when n % 80 = 0 then 'The key was revoked.' end, now() - n * interval '1 minute' from generate_series(0, $2 - 1) n
  )
  insert into read_states (project_id, installation_id, object_name, paused, paused_time, failure_count, last_error, update_time, next_run_at)
  select $1::uuid, pg_temp.number_id(3, n), object, case when n % 80 = 20 then 'failures' when n % 80 = 0 then 'credentials' end,
         case when n % 80 in (0, 20) then now() - n * interval '1 minute' end, case when n % 80 in (20, 40) then 3 else 0 end,
         case when n % 80 in (20, 40) then 'The provider returned 500.' end, now() - n * interval '1 minute', now() + interval '1 year'
    from generate_series(0, $2 - 1) n, (values ('contacts'), ('companies')) objects (object)
   where $3::bigint > 0 and $4::int > 0`

const failures = `
  with failed as (
    insert into backfills (project_id, installation_id, object_name, operation_id, error, update_time)
    select $1::uuid, pg_temp.number_id(3, n), 'contacts', pg_temp.number_id(6, n),
           case when n % 80 = 60 then 'Page 7 has no end.' end, now() - n * interval '1 minute'
      from generate_series(0, $2 - 1) n
  )
  update installations set health_status = 'unhealthy'
   where project_id = $1::uuid and id in (select pg_temp.number_id(3, n) from generate_series(0, $2 - 1) n where n % 80 in (0, 20, 60))
     and $3::bigint > 0 and $4::int > 0`

const destinations = `
  insert into destinations (project_id, id, name, type, metadata, encrypted_secrets, failure_count)
  select $1::uuid, pg_temp.number_id(7, n), 'hook-' || n, 'webhook', '{"url": "https://example.com"}', '', n % 2 from generate_series(0, $2::int - 1) n
   where $3::bigint > 0 and $4::int > 0`

const waiting = `
  insert into messages (project_id, id, destination_id, destination_name, kind, installation_id, object_name, state, payload,
    payload_bytes, create_time, next_attempt_at, attempt)
  select $1::uuid, pg_temp.time_id(now() - n * interval '1 second', 1000000000000 + n * 10 + d), pg_temp.number_id(7, d), 'hook-' || d, 'read',
         pg_temp.number_id(3, n % $3), 'contacts', 'pending', '{}', 2, now() - n * interval '1 second', now() + interval '1 year', n % 3
    from generate_series(0, $2::bigint - 1) n, generate_series(0, 9) d where (d = 0 or n < 500) and $4::int > 0`

const operations = `
  insert into operations (project_id, id, integration_id, installation_id, config_id, action_type, read_type, resource, status,
    result, create_time, update_time)
  select $1::uuid, pg_temp.time_id(at, n), pg_temp.number_id(1, n % $3 % 20), pg_temp.number_id(3, n % $3),
         pg_temp.number_id(5, n % $3), case when n % 50 = 1 then 'write' else 'read' end,
         case when n % 50 = 1 then null when n % 1000 = 2 then 'backfill' else 'scheduled' end,
         case when n % ${rareEvery} = 0 then 'rare' when n % 2 = 0 then 'contacts' else 'companies' end,
         case when n % ${rareEvery} = 0 then 'failure' else 'success' end, '[contacts] 0 records read', at, at
    from (select n, now() - (1 - n / $2::float8) * $4 * interval '1 day' as at
            from generate_series(0, $2::bigint - 1) n) numbers`

/** Ten changes of the health of each installation, a status of each connection, and fields of each tenth. */
const histories = `
  with changes as (
    insert into resource_events (project_id, id, kind, group_ref, integration_id, installation_id, connection_id, details)
    select $1::uuid, pg_temp.time_id(now() - (change * 7 + n::float8 / $3) * interval '1 hour', 2000000000000 + n * 10 + change),
           'installation.health', case when n < 10 then 'group-0' else 'group-' || n end, pg_temp.number_id(1, n % 20),
           pg_temp.number_id(3, n), pg_temp.number_id(4, n), '{"healthStatus": "healthy"}'
      from generate_series(0, $2::bigint - 1) n, generate_series(0, 9) change
  ), statuses as (
    insert into resource_events (project_id, id, kind, group_ref, connection_id, details)
    select $1::uuid, pg_temp.time_id(now() - n::float8 / $3 * interval '1 day', 3000000000000 + n), 'connection.status',
           case when n < 10 then 'group-0' else 'group-' || n end, pg_temp.number_id(4, n), '{"from": "created", "to": "working"}'
      from generate_series(0, $2::bigint - 1) n
  ), audited as (
    insert into audit_entries (project_id, id, actor_kind, actor_id, action, verb, outcome, resource_kind, resource_id)
    select $1::uuid, pg_temp.time_id(now() - n::float8 / $3 * interval '1 day', 6000000000000 + n), 'apiKey', 'bench',
           'updateInstallation', 'update', 'success', 'installation', pg_temp.number_id(3, n)::text
      from generate_series(0, $2::bigint - 1) n
  )
  insert into schema_changes (project_id, id, installation_id, object_name, created_fields, deleted_fields, changed_fields)
  select $1::uuid, pg_temp.time_id(now() - n::float8 / $3 * interval '1 day', 4000000000000 + n), pg_temp.number_id(3, n),
         'contacts', '[{"fieldName": "fax", "displayName": "Fax", "valueType": "string"}]', '[]', '[]'
    from generate_series(0, $2::bigint - 1, 10) n where $4::int > 0`

/** The signature of one of a thousand is not valid. */
const providerEvents = `
  insert into provider_events (project_id, id, outcome, reason, provider, integration_id, installation_id, object_name,
    event_name, requests, events, new_events, bytes)
  select $1::uuid, pg_temp.time_id(now() - (1 - n / $2::float8) * $4 * interval '1 day', 5000000000000 + n),
         case when n % 1000 = 0 then 'unverified' else 'accepted' end, case when n % 1000 = 0 then 'The signature is not valid.' end, 'benchCrm',
         pg_temp.number_id(1, n % $3 % 20), pg_temp.number_id(3, n % $3), 'contacts', 'update', 1, 1, 1, 200
    from generate_series(0, $2::bigint - 1) n`

const messages = `
  insert into messages (project_id, id, destination_name, kind, installation_id, object_name, state, payload, payload_bytes,
    create_time, end_time)
  select $1::uuid, pg_temp.time_id(at, n), 'bench', 'read', pg_temp.number_id(3, n % $3), 'contacts', 'delivered', '{}', 2, at, at
    from (select n, now() - (1 - n / $2::float8) * $4 * interval '1 day' as at
            from generate_series(0, $2::bigint - 1) n) numbers`

/** One of twenty installations fails. */
const counted = '1, case when n % 20 = 0 then n % 7 + 1 else 0 end, n % 997, 1, 1, 0, 1, 0'
const columns = `reads, failed_reads, records, messages, deliveries, failed_deliveries, provider_calls, failed_provider_calls`

const hoursCounted = 48

/** The last two days by hour, and the last week by day. */
const installationCounts = `
  insert into installation_counts (project_id, period, start_time, installation_id, object_name, integration_id, ${columns})
  select $1::uuid, period, start_time, pg_temp.number_id(3, n), 'contacts', pg_temp.number_id(1, n % 20), ${counted}
    from generate_series(0, $2::bigint - 1) n,
         (select 'hour' as period, date_trunc('hour', now(), 'UTC') - hour * interval '1 hour' as start_time
            from generate_series(0, ${hoursCounted} - 1) hour
          union all
          select 'day', date_trunc('day', now(), 'UTC') - day * interval '1 day' from generate_series(0, 6) day) periods`

const integrationCounts = `
  insert into integration_counts (project_id, period, start_time, integration_id, object_name, ${columns})
  select project_id, period, start_time, integration_id, object_name, sum(reads), sum(failed_reads), sum(records), sum(messages),
         sum(deliveries), sum(failed_deliveries), sum(provider_calls), sum(failed_provider_calls)
    from installation_counts where project_id = $1 group by 1, 2, 3, 4, 5`
