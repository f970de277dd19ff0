import {
  type Columns,
  type DeclaredTypes,
  fieldComment,
  missingColumns,
  type StoredType,
  typeInComment,
  type Values,
} from '../tables/columns.ts'
import { hashedName, type RecordRow } from '../tables/rows.ts'
import type { ServerTraits } from './mysql-connection.ts'

/** Quotes a name. The table of a statement is a quoted name, of a database or of that of the connection. */
export function quoted(name: string): string {
  return `\`${name.replaceAll('`', '``')}\``
}

/** Types of columns. */
const columnTypes: Record<StoredType, string> = {
  boolean: 'boolean',
  integer: 'bigint',
  number: 'double',
  date: 'date',
  datetime: 'datetime(6)',
  text: 'longtext',
  json: 'json',
}

/**
 * How servers write them. MySQL 8 leaves out the width of `bigint`, MariaDB writes it, and keeps JSON in `longtext`.
 */
const writtenTypes: Record<StoredType, RegExp> = {
  boolean: /^tinyint\(1\)$/,
  integer: /^bigint(?:\(20\))?$/,
  number: /^double$/,
  date: /^date$/,
  datetime: /^datetime\(6\)$/,
  text: /^longtext$/,
  json: /^(?:json|longtext)$/,
}

/** Lengths of the parts of the key, in characters. InnoDB has 3,072 bytes for it, and each character has up to four. */
export const keyLengths = { group: 128, provider: 64, workspace: 128, id: 191 }

/** The definition of the columns of every table. */
function ownColumns({ binaryCollation }: ServerTraits): string {
  const text = (length: number) => `varchar(${length}) character set utf8mb4 collate ${binaryCollation} not null`
  const messageId = 'char(36) character set ascii collate ascii_bin'
  return [
    `_mortise_group ${text(keyLengths.group)}`,
    `_mortise_provider ${text(keyLengths.provider)}`,
    `_mortise_workspace ${text(keyLengths.workspace)} default ''`,
    `_mortise_id ${text(keyLengths.id)}`,
    `_mortise_installation ${messageId}`,
    `_mortise_message ${messageId} not null`,
    '_mortise_read_at datetime(6) not null',
    '_mortise_deleted_at datetime(6)',
    '_mortise_raw json',
    'primary key (_mortise_group, _mortise_provider, _mortise_workspace, _mortise_id)',
  ].join(', ')
}

const options = 'engine = InnoDB row_format = dynamic default character set utf8mb4'

export function createTable(table: string, traits: ServerTraits): string {
  return `create table if not exists ${table} (${ownColumns(traits)}) ${options}`
}

/** The table of messages that are not about records, or not only. */
export function createMessages(table: string): string {
  return `create table if not exists ${table} (
    id char(36) character set ascii collate ascii_bin primary key, kind varchar(64) not null, event_type varchar(255),
    created_at datetime(6) not null, body json not null) ${options}`
}

export function addColumns(table: string, columns: Columns, needed: ReadonlyMap<string, StoredType>): string {
  const changes = [...needed].map(([name, stores]) => {
    const change = columns.has(name) ? 'modify column' : 'add column'
    return `${change} ${quoted(name)} ${columnTypes[stores]} comment '${fieldComment(stores)}'`
  })
  return `alter table ${table} ${changes.join(', ')}`
}

const generated = /(?:virtual|stored|persistent) generated/i

/** Columns as `information_schema` has them. */
export function columnsOf(rows: readonly { name: string; type: string; comment: string; extra: string }[]): Columns {
  return new Map(
    rows.map(({ name, type, comment, extra }) => {
      const given = typeInComment(comment)
      const isGenerated = generated.test(extra)
      const isOurs = given !== undefined && writtenTypes[given].test(type) && !isGenerated
      return [name, { type, stores: isOurs ? given : undefined, isField: given !== undefined, isGenerated }]
    }),
  )
}

/**
 * Bytes of a row for fields. InnoDB stores a row in half a page of 16 KB, 8,126 bytes, and longer values elsewhere. The
 * columns of every table have up to 2,000.
 */
const fieldBytesMax = 6_000
const columnBytes: Record<StoredType, number> = {
  boolean: 2,
  integer: 9,
  number: 9,
  date: 4,
  datetime: 9,
  // A value of up to 40 bytes is in the row; a longer one has 20 there.
  text: 42,
  json: 42,
}
const columnsMax = 1_000

/** Returns the columns that rows need in addition to those of a table, and those that need another type. */
export function missing(columns: Columns, rows: readonly Values[], declared: DeclaredTypes): Map<string, StoredType> {
  const bytesOf = (types: Iterable<StoredType | undefined>) =>
    [...types].reduce((sum, type) => sum + columnBytes[type ?? 'text'], 0)
  const others = [...columns].filter(([name]) => !name.startsWith('_mortise')).map(([, { stores }]) => stores)
  const present = bytesOf(others)
  return missingColumns(columns, rows, declared, (needed, type) => {
    const added = [...needed].filter(([name]) => !columns.has(name)).map(([, added]) => added)
    // A column may become text later.
    const bytes = present + added.length * columnBytes.text + columnBytes[type]
    return bytes <= fieldBytesMax && columns.size + added.length < columnsMax
  })
}

/**
 * Gives the values of rows the names of columns that MySQL can have, and does not take for the same: it compares them
 * without case, and takes neither characters beyond U+FFFF nor spaces at the end. What the table has already decides,
 * so a field keeps its column.
 */
export function withColumnNames(columns: Columns, rows: readonly RecordRow[]): RecordRow[] {
  const taken = new Map([...columns.keys()].map((name) => [folded(name), name]))
  const names = new Map<string, string>()
  const nameOf = (field: string): string => {
    const known = names.get(field)
    if (known !== undefined) return known
    const plain = field.replaceAll(/[\u{10000}-\u{10ffff}]/gu, '_').trimEnd()
    const name = plain === field && (taken.get(folded(field)) ?? field) === field ? field : hashedName(plain, field)
    taken.set(folded(name), name)
    names.set(field, name)
    return name
  }
  return rows.map((row) => ({
    ...row,
    values: row.values && Object.fromEntries(Object.entries(row.values).map(([name, value]) => [nameOf(name), value])),
  }))
}

function folded(name: string): string {
  return name.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase()
}
