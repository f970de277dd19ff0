import { keyColumns, type StagedColumn, timeText } from './staged-rows.ts'

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

/**
 * Merges staged records into a table, or their marks: without columns and the raw record.
 *
 * @param options.removals the table of removals, to leave out what they outdate
 */
export function mergeStatement(
  target: string,
  dialect: MergeDialect,
  {
    columns,
    hasValues,
    removals,
  }: { columns: readonly StagedColumn[]; hasValues: boolean; removals: string | undefined },
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
  return merge(target, dialect, {
    keys,
    others: updated,
    matched: ` WHEN MATCHED AND ${isOlder(dialect, '_mortise_message')} THEN UPDATE SET ${changesOf(updated)}`,
    removals,
  })
}

/** Removes the rows of staged records that are from an older message. */
export function removeStatement(target: string, dialect: MergeDialect): string {
  const part = own(dialect)
  const keys = keyColumns.map(([name, key]) => part(name, key))
  const rows = selectOf([...keys, part('_mortise_message', 'v_message')], dialect)
  return `MERGE INTO ${target} AS t USING (${rows}) AS s ON ${isSame(keys)} WHEN MATCHED AND ${isOlder(dialect, '_mortise_message')} THEN DELETE`
}

/** The columns of the table of removals. */
export const removalColumns = ['record', 'message', 'deleted_at'] as const

/** Remembers staged removals. The newest of each record counts. */
export function rememberStatement(removals: string, dialect: MergeDialect): string {
  const part = own(dialect)
  const others = [
    part('message', 'v_message'),
    part('deleted_at', 'v_deleted_at', dialect.time(dialect.text('v_deleted_at'))),
  ]
  return merge(removals, dialect, {
    keys: [part('record', 'k_record')],
    others,
    matched: ` WHEN MATCHED AND ${isOlder(dialect, 'message')} THEN UPDATE SET ${changesOf(others)}`,
  })
}

/** Forgets removals by messages that were created before a time. */
export function forgetStatement(removals: string, dialect: MergeDialect, before: Date): string {
  return `DELETE FROM ${removals} WHERE ${dialect.own('deleted_at')} < ${dialect.time(`'${timeText(before)}'`)}`
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

/** Whether the stored row is from an older message than the staged one. */
function isOlder(dialect: MergeDialect, column: string): string {
  return `t.${dialect.own(column)} < s.v_message`
}

function changesOf(parts: readonly Part[]): string {
  return parts.map(({ name, key }) => `${name} = s.${key}`).join(', ')
}

function isSame(keys: readonly Part[]): string {
  return keys.map(({ name, key }) => `t.${name} = s.${key}`).join(' AND ')
}

/** Staged rows with the values of their parts. */
function selectOf(parts: readonly { key: string; value: string }[], { source }: MergeDialect): string {
  return `SELECT ${parts.map(({ key, value }) => `${value} AS ${key}`).join(', ')} FROM ${source}`
}

/**
 * Staged rows that no removal outdates. No warehouse enforces the key of the table of removals, and BigQuery can insert
 * the removal of a record twice: then, a join with the table would double the staged row.
 */
function selectWithout(removals: string, parts: readonly Part[], dialect: MergeDialect): string {
  const staged = { key: 'k_record', value: dialect.text('k_record') }
  const [record, message] = [dialect.own('record'), dialect.own('message')]
  const newest = `SELECT ${record}, MAX(${message}) AS ${message} FROM ${removals} GROUP BY ${record}`
  return `SELECT v.* FROM (${selectOf([...parts, staged], dialect)}) AS v LEFT JOIN (${newest}) AS d ON d.${record} = v.k_record WHERE d.${message} IS NULL OR d.${message} < v.v_message`
}

function own(dialect: MergeDialect) {
  return (name: string, key: string, value = dialect.text(key)): Part => ({ name: dialect.own(name), key, value })
}

function merge(
  target: string,
  dialect: MergeDialect,
  {
    keys,
    others,
    matched,
    removals,
  }: { keys: readonly Part[]; others: readonly Part[]; matched: string; removals?: string | undefined },
): string {
  const all = [...keys, ...others]
  const rows = removals === undefined ? selectOf(all, dialect) : selectWithout(removals, all, dialect)
  const names = all.map(({ name }) => name).join(', ')
  const values = all.map(({ key }) => `s.${key}`).join(', ')
  return `MERGE INTO ${target} AS t USING (${rows}) AS s ON ${isSame(keys)}${matched} WHEN NOT MATCHED THEN INSERT (${names}) VALUES (${values})`
}
