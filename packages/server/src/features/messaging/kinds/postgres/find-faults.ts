import type { Client } from 'pg'
import { checkedTablesMax } from '../tables/check-steps.ts'
import type { Deletions } from '../tables/record-removals.ts'
import { quoted } from './table.ts'

export interface CheckedTable {
  schema: string
  name: string
}

export interface CheckedSchema {
  /** Host and port of the server, for people. */
  shown: string
  /** Its name, or what the names of the schemas of all groups begin with. */
  schema: string
  isPrefix: boolean
  deletions: Deletions
}

/** Names of tables that have no rows of records. */
export const ownTables = { messages: '_mortise_messages', removals: '_mortise_deleted' }

/**
 * Returns what would stop a delivery although its statements without rows succeed, in sentences with what to change:
 * all that the catalog of the server says.
 */
export async function findFaults(client: Client, checked: CheckedSchema): Promise<string[]> {
  const { rows } = await client.query<{ role: string; isReplica: boolean; isReadOnly: boolean }>(
    `select current_user as role, pg_is_in_recovery() as "isReplica",
            current_setting('transaction_read_only')::boolean as "isReadOnly"`,
  )
  const { role = '', isReplica = false, isReadOnly = false } = rows[0] ?? {}
  if (isReplica) return [`${checked.shown} is a read-only replica. Use the URL of its primary.`]
  if (isReadOnly) {
    const change = `alter role ${quoted(role)} set default_transaction_read_only = off`
    return [`${checked.shown} makes transactions of this user read-only. Run: ${change}.`]
  }
  return [...(await faultsOfSchemas(client, checked, role)), ...(await faultsOfTables(client, checked, role))]
}

async function faultsOfSchemas(client: Client, { schema, isPrefix }: CheckedSchema, role: string): Promise<string[]> {
  const { rows } = await client.query<{ name: string; missing: string[] }>(
    `select nspname as name, missing
       from pg_namespace, lateral (
         select array(select privilege from unnest('{usage,create}'::text[]) as privilege
                       where not has_schema_privilege(oid, privilege)) as missing) as privileges
      where (nspname = $1 or ($2 and starts_with(nspname, $1))) and missing <> '{}'
      order by 1 limit ${checkedTablesMax}`,
    [schema, isPrefix],
  )
  return rows.map(({ name, missing }) => {
    const grant = `grant ${missing.join(', ')} on schema ${quoted(name)} to ${quoted(role)}`
    return `This user needs ${missing.map((one) => one.toUpperCase()).join(' and ')} on the schema ${name}. Run: ${grant}.`
  })
}

interface TableFaults extends CheckedTable {
  /** The owner, if this user may not add columns. */
  otherOwner: string | null
  /** Whether policies may refuse or hide rows. */
  isSecured: boolean
  /** Columns that require a value which Mortise does not always have. */
  required: string[]
}

/** Columns that have a value in every row that Mortise inserts. */
const filled = ['group', 'provider', 'workspace', 'id', 'installation', 'message', 'read_at'].map(
  (name) => `_mortise_${name}`,
)

/** Expressions of tables `c`, of the parameters of the statement below. */
const isOfRecords = `exists (select from pg_index i join pg_attribute a on a.attrelid = c.oid and a.attnum = any(i.indkey)
  where i.indrelid = c.oid and i.indisprimary and a.attname = '_mortise_id')`
const isChecked = `c.relkind in ('r', 'p') and not c.relispartition
  and (n.nspname = $1 or ($2::boolean and starts_with(n.nspname, $1)))`
const commands = `case when c.relname = $3 then '{r,a}' when c.relname = $4 or $5 then '{r,a,w,d}' else '{r,a,w}' end::text[]`
/** Whether a policy lets every row through. */
const isOpen = `coalesce(pg_get_expr(polqual, polrelid), 'true') = 'true'
  and coalesce(pg_get_expr(polwithcheck, polrelid), 'true') = 'true'`
const isOfUser = `exists (select from unnest(polroles) as role where role = 0 or pg_has_role(role, 'usage'))`

async function faultsOfTables(
  client: Client,
  { schema, isPrefix, deletions }: CheckedSchema,
  role: string,
): Promise<string[]> {
  const { rows } = await client.query<TableFaults>(
    `select * from (
       select n.nspname as schema, c.relname as name,
              case when ${isOfRecords} and not pg_has_role(c.relowner, 'usage') then pg_get_userbyid(c.relowner) end as "otherOwner",
              row_security_active(c.oid) and exists (
                select from unnest(${commands}) as command, lateral (
                  select polpermissive, ${isOpen} as is_open from pg_policy
                   where polrelid = c.oid and polcmd::text in ('*', command) and ${isOfUser}) as policy
                 group by command having not bool_or(polpermissive and is_open) or bool_or(not polpermissive and not is_open)
                 union all
                select from unnest(${commands}) as command where not exists (
                  select from pg_policy where polrelid = c.oid and polcmd::text in ('*', command) and ${isOfUser})) as "isSecured",
              array(select attname::text from pg_attribute
                     where ${isOfRecords} and attrelid = c.oid and attnum > 0 and not attisdropped and attnotnull
                       and not atthasdef and attidentity = '' and not attname = any($6) and not exists (
                         select from pg_trigger where tgrelid = c.oid and not tgisinternal and tgtype & 7 = 7)
                     order by attnum) as required
         from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where ${isChecked} and (c.relname in ($3, $4) or ${isOfRecords})
        order by 1, 2 limit ${checkedTablesMax}) as found
      where "otherOwner" is not null or "isSecured" or required <> '{}'`,
    [schema, isPrefix, ownTables.messages, ownTables.removals, deletions === 'hard', filled],
  )
  return rows.flatMap((table) => sentencesOf(table, role))
}

function sentencesOf({ schema, name, otherOwner, isSecured, required }: TableFaults, role: string): string[] {
  const [shown, table, user] = [`${schema}.${name}`, `${quoted(schema)}.${quoted(name)}`, quoted(role)]
  const sentences: string[] = []
  if (otherOwner !== null)
    sentences.push(
      `The table ${shown} belongs to the role ${otherOwner}, so Mortise cannot add columns for new fields. Run: alter table ${table} owner to ${user}.`,
    )
  if (isSecured)
    sentences.push(
      `Row-level security of the table ${shown} may refuse or hide rows. Run: alter role ${user} bypassrls. Or: create policy mortise on ${table} to ${user} using (true) with check (true).`,
    )
  for (const column of required)
    sentences.push(
      `The column ${column} of the table ${shown} takes no null and has no default, and Mortise does not write it in every row. Run: alter table ${table} alter column ${quoted(column)} drop not null.`,
    )
  return sentences
}

/** Returns the tables of messages and removals, and those with the key of records: no copies without a key. */
export async function tablesOf(client: Client, { schema, isPrefix }: CheckedSchema): Promise<CheckedTable[]> {
  const { rows } = await client.query<CheckedTable>(
    `select n.nspname as schema, c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where ${isChecked} and (c.relname in ($3, $4) or ${isOfRecords})
      order by 1, 2 limit ${checkedTablesMax}`,
    [schema, isPrefix, ownTables.messages, ownTables.removals],
  )
  return rows
}
