import { keyColumns, type StagedColumn } from './staged-rows.ts'

/** How a warehouse writes the parts of a `MERGE`. */
export interface MergeDialect {
  quoted(name: string): string
  /** Quotes the name of a column that every table has, which is in lower case here. */
  own(name: string): string
  /** The text of a staged row under a key: an expression. */
  text(key: string): string
  /** Converts such an expression to the type of a column. */
  converted(text: string, column: StagedColumn['column']): string
  time(text: string): string
  json(text: string): string
  /** What follows `from`: the rows of the statement's parameter. */
  source: string
}

interface Part {
  /** Quoted. */
  name: string
  key: string
  value: string
}

/** Merges staged records into a table, or their marks: without columns and the raw record. */
export function mergeStatement(
  target: string,
  dialect: MergeDialect,
  { columns, hasValues }: { columns: readonly StagedColumn[]; hasValues: boolean },
): string {
  const part = own(dialect)
  const keys = keyColumns.map(([name, key]) => part(name, key))
  const updated = [
    part('_mortise_installation', 'v_installation'),
    part('_mortise_message', 'v_message'),
    part('_mortise_read_at', 'v_read_at', dialect.time(dialect.text('v_read_at'))),
    part('_mortise_deleted_at', 'v_deleted_at', dialect.time(dialect.text('v_deleted_at'))),
    ...(hasValues ? [part('_mortise_raw', 'v_raw', dialect.json(dialect.text('v_raw')))] : []),
    ...columns.map(({ name, key, column }) => ({
      name: dialect.quoted(name),
      key,
      value: dialect.converted(dialect.text(key), column),
    })),
  ]
  const changes = updated.map(({ name, key }) => `${name} = s.${key}`).join(', ')
  const isNewer = `t.${dialect.own('_mortise_message')} < s.v_message`
  return merge(target, dialect, {
    keys,
    others: updated,
    matched: ` WHEN MATCHED AND ${isNewer} THEN UPDATE SET ${changes}`,
  })
}

/** Keeps staged messages, each once. */
export function keepStatement(target: string, dialect: MergeDialect): string {
  const part = own(dialect)
  const others = [
    part('kind', 'v_kind'),
    part('event_type', 'v_event_type'),
    part('created_at', 'v_created_at', dialect.time(dialect.text('v_created_at'))),
    part('body', 'v_body', dialect.json(dialect.text('v_body'))),
  ]
  return merge(target, dialect, { keys: [part('id', 'k_id')], others, matched: '' })
}

function own(dialect: MergeDialect) {
  return (name: string, key: string, value = dialect.text(key)): Part => ({ name: dialect.own(name), key, value })
}

function merge(
  target: string,
  { source }: MergeDialect,
  { keys, others, matched }: { keys: readonly Part[]; others: readonly Part[]; matched: string },
): string {
  const all = [...keys, ...others]
  const selected = all.map(({ key, value }) => `${value} AS ${key}`).join(', ')
  const isSame = keys.map(({ name, key }) => `t.${name} = s.${key}`).join(' AND ')
  const names = all.map(({ name }) => name).join(', ')
  const values = all.map(({ key }) => `s.${key}`).join(', ')
  return `MERGE INTO ${target} AS t USING (SELECT ${selected} FROM ${source}) AS s ON ${isSame}${matched} WHEN NOT MATCHED THEN INSERT (${names}) VALUES (${values})`
}
