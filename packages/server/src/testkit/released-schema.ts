import type pg from 'pg'

/**
 * What the code of a release relies on in the schema: one line for each table, column, key, constraint, trigger and
 * function, sorted. `scripts/write-released-schema.ts` records it for the last release in `e2e/fixtures/last-release`.
 */
export type Schema = readonly string[]

/** Reads the schema of a migrated database. Partitions are left out: they follow their tables. */
export async function schemaOf(client: pg.Client): Promise<Schema> {
  const { rows } = await client.query<{ line: string }>(`
    with tables as (
      select oid, relname as name from pg_class
       where relnamespace = 'mortise'::regnamespace and relkind in ('r', 'p') and not relispartition
         and relname not like 'kysely%'
    )
    select 'table ' || name as line from tables
    union all
    select concat_ws(' ', 'column', name || '.' || attname, format_type(atttypid, atttypmod),
                     case when attnotnull then 'required' end, case when atthasdef then 'with default' end)
      from tables join pg_attribute on attrelid = tables.oid and attnum > 0 and not attisdropped
    union all
    select 'unique ' || name || regexp_replace(pg_get_indexdef(indexrelid), '^.* USING btree', '')
      from tables join pg_index on indrelid = tables.oid where indisunique
    union all
    select 'constraint ' || name || ' ' || pg_get_constraintdef(c.oid)
      from tables join pg_constraint c on conrelid = tables.oid and contype in ('c', 'f', 'x') and conparentid = 0
    union all
    select 'trigger ' || name || ' ' || tgname
      from tables join pg_trigger on tgrelid = tables.oid and not tgisinternal
    union all
    select 'function ' || proname || '(' || pg_get_function_identity_arguments(oid) || ') ' || pg_get_function_result(oid)
      from pg_proc where pronamespace = 'mortise'::regnamespace
  `)
  // Definitions name the schema where it is not in the search path of the session.
  return rows.map(({ line }) => line.replaceAll('mortise.', '')).sort()
}

/**
 * Compares the schema of the last release with that of this one. Returns what would break a node of the last release
 * that runs on it, one sentence each.
 *
 * @param unused lines, or names of columns and tables, that the last release has already stopped using
 * @param compatible new lines that the last release keeps to
 */
export function breaksOf(
  last: Schema,
  next: Schema,
  { unused = [], compatible = [] }: { unused?: readonly string[]; compatible?: readonly string[] } = {},
): string[] {
  const [before, after] = [last, next].map((lines) => new Map(lines.map((line) => [keyOf(line), line])))
  if (!before || !after) return []
  const isUnused = (line: string) => {
    const [, name = ''] = line.split(/[ (]/)
    return [line, name, name.split('.')[0]].some((one) => unused.includes(one ?? ''))
  }
  // Whatever a check refused, the last release does not write.
  const removed = last
    .filter((line) => !isUnused(line) && !/^constraint \S+ CHECK/.test(line))
    .flatMap((line) => {
      const now = after.get(keyOf(line))
      return now === undefined ? [`${line}: removed, but the last release uses it`] : changeOf(line, now)
    })
  const isOld = (line: string) =>
    before.has(`table ${tableOf(line)}`) && !before.has(keyOf(line)) && !compatible.includes(line)
  return [...removed, ...next.filter(isOld).flatMap((line) => additionOf(line))]
}

/** What identifies a line; the rest of it may change. */
function keyOf(line: string): string {
  const [kind, name] = line.split(' ')
  return kind === 'column' ? `${kind} ${name}` : line
}

const tableOf = (line: string) => line.split(/[ .(]/)[1]

function changeOf(was: string, now: string): string[] {
  if (was === now || !was.startsWith('column')) return []
  const typeOf = (line: string) => line.replace(/ (required|with default)/g, '')
  if (typeOf(was) !== typeOf(now)) return [`${was}: now ${now}; the last release reads and writes the former type`]
  if (!was.includes(' required') && now.includes(' required'))
    return [`${now}: required now, but the last release may write null`]
  if (was.includes(' with default') && !now.includes(' with default'))
    return [`${now}: without its default, but the last release may leave it out`]
  return []
}

/** What a node of the last release cannot write to a table that it knows. */
function additionOf(line: string): string[] {
  if (/^column .* required$/.test(line))
    return [`${line}: required and without a default, but the last release leaves it out`]
  if (/^(unique|constraint) /.test(line)) return [`${line}: new, but the last release may write rows against it`]
  return []
}
