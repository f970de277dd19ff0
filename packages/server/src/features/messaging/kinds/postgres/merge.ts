import type { Client } from 'pg'
import { createTimeOf } from '../message-time.ts'
import { type Columns, writtenColumns } from '../tables/columns.ts'
import { cleanText, jsonText } from '../tables/json-text.ts'
import { type RecordRow, valueAt } from '../tables/rows.ts'
import type { KeptMessage } from '../tables/table-database.ts'
import { type Staging, stagingTable } from './staging.ts'
import { quoted } from './table.ts'

/** Rows from which a COPY takes less processor time than arrays (decision 0095). */
const stagedRowsMin = 1_000

/**
 * Merges rows into a table. Many are copied into a staging table. Few are sent in the statement that merges them, an
 * array for each column.
 *
 * @param staging undefined where the statement is only tried
 */
export async function mergeRecords(
  client: Client,
  table: string,
  columns: Columns,
  rows: readonly RecordRow[],
  staging?: Staging,
): Promise<void> {
  const sent = [
    ...rowColumns,
    ...writtenColumns(columns, rows).map((column, index) => fieldColumn(column, index, rows)),
  ]
  if (staging !== undefined && rows.length >= stagedRowsMin && (await staging.isPermitted())) {
    const copied = [...commonColumns(rows), ...sent]
    await staging.run(copied, rows, mergeStatement(table, copied, stagingTable))
  } else await mergeArrays(client, table, sent, rows)
}

/** The columns of messages, whose values are written once for each message. */
function commonColumns(rows: readonly RecordRow[]): SentColumn[] {
  const { messages, positions } = messagesOf(rows)
  return messageColumns.map((column) => {
    const values = messages.map(column.textOf)
    return { ...column, textOf: (_, at) => values[positions[at] ?? 0] ?? null }
  })
}

async function mergeArrays(
  client: Client,
  table: string,
  sent: readonly SentColumn[],
  rows: readonly RecordRow[],
): Promise<void> {
  const { messages, positions } = messagesOf(rows)
  const types = [...sent.map(({ type }) => type), 'integer', ...messageColumns.map(({ type }) => type)]
  const parameters = types.map((type, index) => `$${index + 1}::${type}[]`)
  const unnested = parameters.splice(0, sent.length + 1)
  const common = messageColumns.map((column, index) => ({ ...column, value: `(${parameters[index]})[k + 1]` }))
  const source = `unnest(${unnested.join(', ')}) as r(${[...sent.map(({ name }) => name), 'k'].join(', ')})`
  await client.query(mergeStatement(table, [...common, ...sent], source), [
    ...sent.map(({ textOf }) => rows.map(textOf)),
    positions,
    ...messageColumns.map(({ textOf }) => messages.map(textOf)),
  ])
}

/** Returns the statement that merges the rows of a source, in their order. */
function mergeStatement(table: string, columns: readonly SentColumn[], source: string): string {
  const targets = columns.map(({ target }) => target)
  const set = ['_mortise_deleted_at', ...targets.filter((target) => !keys.includes(target))]
  return `insert into ${table} as t (${targets.join(', ')})
     select ${columns.map(({ value }) => value).join(', ')} from ${source}
     on conflict (${keys.join(', ')}) do update set ${set.map((name) => `${name} = excluded.${name}`).join(', ')}
      where t._mortise_message < excluded._mortise_message`
}

/** A column, and how its values are sent. */
interface SentColumn {
  /** Its name in the table, quoted where necessary. */
  target: string
  /** Its name in what is sent. */
  name: string
  type: string
  /** @param at the index of the row */
  textOf(row: RecordRow, at: number): string | null
  /** The expression of its value in the table. */
  value: string
}

const ownColumn = (name: string, type: string, textOf: SentColumn['textOf']): SentColumn => ({
  ...{ target: name, name, type, textOf },
  value: name,
})

/** What all rows of a message have in common. */
const messageColumns: readonly SentColumn[] = [
  ownColumn('_mortise_group', 'text', ({ group }) => cleanText(group)),
  ownColumn('_mortise_provider', 'text', ({ provider }) => cleanText(provider)),
  ownColumn('_mortise_workspace', 'text', ({ workspace }) => cleanText(workspace)),
  ownColumn('_mortise_installation', 'uuid', ({ installation }) => installation || null),
  ownColumn('_mortise_message', 'uuid', ({ message }) => message),
  ownColumn('_mortise_read_at', 'timestamptz', ({ message }) => createTimeOf({ id: message }).toISOString()),
]

const rowColumns: readonly SentColumn[] = [
  ownColumn('_mortise_id', 'text', ({ id }) => cleanText(id)),
  ownColumn('_mortise_raw', 'jsonb', ({ raw }) => jsonOf(raw)),
]

const keys = ['_mortise_group', '_mortise_provider', '_mortise_workspace', '_mortise_id']

/** Returns one row of each message, and for each row the index of that of its message. */
function messagesOf(rows: readonly RecordRow[]): { messages: RecordRow[]; positions: number[] } {
  const positionOf = new Map<string, number>()
  const messages: RecordRow[] = []
  const positions = rows.map((row) => {
    const known = positionOf.get(row.message)
    if (known !== undefined) return known
    positionOf.set(row.message, messages.length)
    return messages.push(row) - 1
  })
  return { messages, positions }
}

/**
 * Returns how the values of a field are sent. PostgreSQL converts texts to the type of the column, and each other value
 * in the way of `jsonb`, so that a number or an object in a column of text is written as PostgreSQL writes it.
 */
function fieldColumn(
  [field, { type }]: readonly [string, { type: string }],
  index: number,
  rows: readonly RecordRow[],
): SentColumn {
  const [target, name] = [quoted(field), `c${index}`]
  // Each is looked up once: its type decides before its text is written.
  const values = rows.map((row) => valueAt(row.values, field) ?? null)
  const asJson = { target, name, type: 'jsonb', textOf: (_: RecordRow, at: number) => jsonOf(values[at]) }
  if (type === 'jsonb') return { ...asJson, value: name }
  const sent = sentTypes.get(type)
  const isDirect = values.every((value) => value === null || (sent ?? texts).has(typeof value))
  if (!isDirect) return { ...asJson, value: `(${name} #>> '{}')::${type}` }
  const textOf = (_: RecordRow, at: number) => {
    const value = values[at]
    return typeof value === 'string' ? cleanText(value) : jsonOf(value)
  }
  return sent === undefined
    ? { target, name, type: 'text', textOf, value: `${name}::${type}` }
    : { target, name, type, textOf, value: name }
}

const texts: ReadonlySet<string> = new Set(['string'])
/** Types whose values are sent as such, with those of JSON whose text is one of theirs. */
const sentTypes: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['text', texts],
  ['numeric', new Set(['string', 'number'])],
  ['boolean', new Set(['string', 'boolean'])],
])

export async function markRecords(client: Client, table: string, rows: readonly RecordRow[]): Promise<void> {
  await client.query(
    `insert into ${table} as t (${[...own, '_mortise_deleted_at'].join(', ')})
     select ${[...ownValues, 'deleted'].join(', ')}
       from jsonb_to_recordset($1::jsonb) as r(${[ownRecordset, 'deleted timestamptz'].join(', ')})
     on conflict (${keys.join(', ')}) do update
        set ${[ownUpdate, '_mortise_deleted_at = excluded._mortise_deleted_at'].join(', ')}
      where t._mortise_message < excluded._mortise_message`,
    [
      jsonText(
        rows.map((row) => ({ ...ownOf(row), deleted: row.isDeleted ? createTimeOf({ id: row.message }) : null })),
      ),
    ],
  )
}

export async function insertMessages(client: Client, table: string, messages: readonly KeptMessage[]): Promise<void> {
  await client.query(
    `insert into ${table} (id, kind, event_type, created_at, body)
     select id, kind, event_type, created_at, body
       from jsonb_to_recordset($1::jsonb) as r(id uuid, kind text, event_type text, created_at timestamptz, body jsonb)
     on conflict (id) do nothing`,
    [
      jsonText(
        messages.map(({ id, kind, eventType, body }) => ({
          ...{ id, kind, body },
          event_type: eventType ?? null,
          created_at: createTimeOf({ id }),
        })),
      ),
    ],
  )
}

const own = [
  '_mortise_group',
  '_mortise_provider',
  '_mortise_workspace',
  '_mortise_id',
  '_mortise_installation',
  '_mortise_message',
  '_mortise_read_at',
]
const ownValues = ['g', 'p', 'w', 'id', 'i', 'm', 'at']
const ownRecordset = 'g text, p text, w text, id text, i uuid, m uuid, at timestamptz'
const ownUpdate = ['_mortise_installation', '_mortise_message', '_mortise_read_at']
  .map((name) => `${name} = excluded.${name}`)
  .join(', ')

function ownOf({ group, provider, workspace, id, installation, message }: RecordRow) {
  return {
    g: group,
    p: provider,
    w: workspace,
    id,
    i: installation || null,
    m: message,
    at: createTimeOf({ id: message }),
  }
}

/** The JSON of a value; null for null, which a column has no value of. */
function jsonOf(value: unknown): string | null {
  return value === null || value === undefined || (typeof value === 'number' && !Number.isFinite(value))
    ? null
    : jsonText(value)
}
