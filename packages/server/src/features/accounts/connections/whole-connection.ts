import { CompiledQuery, type RawBuilder, sql } from 'kysely'
import { type Batched, createBatches, type ProjectDb, prepared } from '../../../kernel/db/index.ts'
import { madeEntries, madeEntriesUnsealed } from '../../platform/audit/index.ts'
import type { NewConnection } from '../connection-inputs/index.ts'
import { consumerUpsert, groupUpsert } from '../consumers/index.ts'
import { credentialInsert, credentialValues } from '../credentials/index.ts'
import type { ConnectionRow } from './resource.ts'
import { connectionColumns, connectionInsert, findConnection, inputColumns, inputOf } from './store.ts'

/** Connections of one project that concurrent requests make share a statement. */
const batchMax = 32

/** What is stored of a new connection. */
export interface WholeConnection {
  db: ProjectDb
  id: string
  connection: NewConnection
  encrypted: string
  /** Its entry in the audit log, as a row. */
  entry: object | undefined
  /** The job that checks the credential. */
  job: object
}

/** Makes a connection; see `createWholeConnectionInsert`. */
export type InsertWholeConnection = (whole: WholeConnection) => Promise<ConnectionRow | undefined>

/**
 * Returns a function that makes a connection with its group, consumer, credential, entry in the audit log and the job
 * that checks it, all in one statement, which it shares with concurrent requests. It does nothing and returns undefined
 * if `unless` is true. It also returns undefined if the account is connected already, and then only names the group and
 * the consumer.
 *
 * @param unless a condition on `input`
 * @param insertJobs an INSERT of `jobsOfMade`
 */
export function createWholeConnectionInsert(
  unless: RawBuilder<boolean>,
  insertJobs: RawBuilder<unknown>,
): InsertWholeConnection {
  const statement = insertStatement(unless, insertJobs)
  // Built once: that takes longer than sending it.
  let text: string | undefined
  const insert = async (db: ProjectDb, wholes: WholeConnection[]) => {
    text ??= statement.compile(db.sql).sql
    const input = JSON.stringify(wholes.map(inputOfWhole))
    const { rows } = await db.sql.executeQuery<ConnectionRow>(CompiledQuery.raw(text, [input]))
    return rows
  }
  const batched: Batched<WholeConnection, ConnectionRow | undefined> = createBatches({
    itemsMax: batchMax,
    async run(_, wholes) {
      const [first] = wholes
      if (!first) return []
      const [part = [], ...more] = inParts(wholes)
      const made = await (more.length === 0
        ? insert(first.db, part)
        : first.db.transaction(async (tx) => {
            const rows: ConnectionRow[] = []
            for (const one of [part, ...more]) rows.push(...(await insert(tx, one)))
            return rows
          }))
      const byId = new Map(made.map((row) => [row.connection_id, row]))
      return wholes.map(({ id }) => byId.get(id))
    },
  })
  return async (whole) => {
    const row = await batched(whole.db.projectId, whole)
    // Another transaction made the group or the consumer while the statement ran.
    return row && (row.group_ref === null || row.consumer_ref === null) ? findConnection(whole.db, whole.id) : row
  }
}

/** The jobs of the connections that were made, as text; null if there are none. */
export const jobsOfMade = '(select json_agg(input.job)::text from input join made on made.id = input.id)'

/**
 * Always true. It makes the statement lock groups, then consumers, then connections, as a transaction that saves a
 * connection does. Otherwise both could wait for each other.
 */
const areOwnersUpserted = sql`
  (select count(*) from upserted_group) >= 0 and (select count(*) from upserted_consumer) >= 0`

/** Rows that the statement makes are not yet in the tables that it reads. */
function insertStatement(unless: RawBuilder<boolean>, insertJobs: RawBuilder<unknown>): RawBuilder<ConnectionRow> {
  return sql<ConnectionRow>`${prepared}
    with input as materialized (
      select input.* from jsonb_to_recordset((${'[]'})) as input (${inputColumns}, group_name text, consumer_name text,
        encrypted text, expire_time timestamptz, is_kept_alive boolean, job jsonb, entry jsonb)
      where not (${unless})
    ),
    upserted_group as (${groupUpsert}),
    upserted_consumer as (${consumerUpsert}),
    made as (${connectionInsert(areOwnersUpserted)}),
    credential as (${credentialInsert}),
    audited as (${madeEntries}),
    unsealed as (${madeEntriesUnsealed}),
    job as (${insertJobs})
    select ${connectionColumns}
    from made c
    left join lateral (
      select * from upserted_group x where x.group_ref = c.group_ref union all
      select g.* from groups g where g.project_id = c.project_id and g.group_ref = c.group_ref limit 1) g on true
    left join lateral (
      select * from upserted_consumer x where x.consumer_ref = c.consumer_ref union all
      select u.* from consumers u where u.project_id = c.project_id and u.consumer_ref = c.consumer_ref limit 1) u on true
    left join provider_apps a on a.project_id = c.project_id and a.id = c.provider_app_id`
}

function inputOfWhole({ db, id, connection, encrypted, job, entry }: WholeConnection): object {
  return {
    ...inputOf(db, id, connection),
    group_name: connection.groupName,
    consumer_name: connection.consumerName,
    ...credentialValues(encrypted, connection.credential),
    job,
    entry: entry ?? null,
  }
}

/** Divides connections into parts in which each has another group and another consumer. */
function inParts(wholes: readonly WholeConnection[]): WholeConnection[][] {
  const parts: { wholes: WholeConnection[]; groups: Set<string>; consumers: Set<string> }[] = []
  for (const whole of wholes) {
    const { groupRef, consumerRef } = whole.connection
    let part = parts.find(({ groups, consumers }) => !groups.has(groupRef) && !consumers.has(consumerRef))
    if (!part) {
      part = { wholes: [], groups: new Set(), consumers: new Set() }
      parts.push(part)
    }
    part.wholes.push(whole)
    part.groups.add(groupRef)
    part.consumers.add(consumerRef)
  }
  return parts.map(({ wholes }) => wholes)
}
