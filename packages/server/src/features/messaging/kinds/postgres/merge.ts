import type { Client } from 'pg'
import { createTimeOf } from '../message-time.ts'
import { type Columns, writtenColumns } from '../tables/columns.ts'
import { cleanText, jsonText } from '../tables/json-text.ts'
import type { RecordRow } from '../tables/rows.ts'
import type { KeptMessage } from '../tables/table-database.ts'
import { quoted } from './table.ts'

/**
 * Merges rows into a table. Each column is one parameter: an array takes a third less of the server's time than a JSON
 * document of all rows.
 */
export async function mergeRecords(
  client: Client,
  table: string,
  columns: Columns,
  rows: readonly RecordRow[],
): Promise<void> {
  const written = writtenColumns(columns, rows)
  const names = written.map(([name]) => quoted(name))
  const { messages, positions } = messagesOf(rows)
  const parts = written.map(([name, { type }], index) => columnPart(`c${index}`, type, valuesIn(rows, name)))
  const parameters = [...parts.map(({ array }) => array), 'text[]', 'integer[]', 'jsonb[]']
  const unnested = parameters.map((array, index) => `$${index + 1}::${array}`)
  const common = messageColumns.map(({ type }, index) => `($${parameters.length + index + 1}::${type}[])[k]`)
  const [group, provider, workspace, ...others] = common
  const set = ['_mortise_raw', '_mortise_deleted_at', ...names]
  await client.query(
    `insert into ${table} as t (${[...own, '_mortise_raw', ...names].join(', ')})
     select ${[group, provider, workspace, 'id', ...others, 'raw', ...parts.map(({ value }) => value)].join(', ')}
       from unnest(${unnested.join(', ')}) as r(${[...parts.map(({ name }) => name), 'id', 'k', 'raw'].join(', ')})
     on conflict (_mortise_group, _mortise_provider, _mortise_workspace, _mortise_id) do update
        set ${[ownUpdate, ...set.map((name) => `${name} = excluded.${name}`)].join(', ')}
      where t._mortise_message < excluded._mortise_message`,
    [
      ...parts.map(({ values }) => values),
      rows.map(({ id }) => cleanText(id)),
      positions,
      rows.map(({ raw }) => jsonOf(raw ?? null)),
      ...messageColumns.map(({ of }) => messages.map(of)),
    ],
  )
}

/** What all rows of a message have in common: sent once for each message. */
const messageColumns: readonly { type: string; of(row: RecordRow): string | Date | null }[] = [
  { type: 'text', of: ({ group }) => cleanText(group) },
  { type: 'text', of: ({ provider }) => cleanText(provider) },
  { type: 'text', of: ({ workspace }) => cleanText(workspace) },
  { type: 'uuid', of: ({ installation }) => installation || null },
  { type: 'uuid', of: ({ message }) => message },
  { type: 'timestamptz', of: ({ message }) => createTimeOf({ id: message }) },
]

/** Returns one row of each message, and for each row the position of that of its message, from 1 on. */
function messagesOf(rows: readonly RecordRow[]): { messages: RecordRow[]; positions: number[] } {
  const positionOf = new Map<string, number>()
  const messages: RecordRow[] = []
  const positions = rows.map((row) => {
    const known = positionOf.get(row.message)
    if (known !== undefined) return known
    messages.push(row)
    positionOf.set(row.message, messages.length)
    return messages.length
  })
  return { messages, positions }
}

function valuesIn(rows: readonly RecordRow[], name: string): unknown[] {
  return rows.map(({ values }) => (values !== undefined && Object.hasOwn(values, name) ? values[name] : null))
}

/** A column of the statement: its parameter, and the expression of its value in the table. */
interface ColumnPart {
  name: string
  array: string
  values: (string | null)[]
  value: string
}

/**
 * Returns how a column is sent. PostgreSQL converts texts to the type of the column, and each other value in the way of
 * `jsonb`, so that a number or an object in a column of text is written as PostgreSQL writes it.
 */
function columnPart(name: string, type: string, values: readonly unknown[]): ColumnPart {
  if (type === 'jsonb') return { name, array: 'jsonb[]', values: values.map(jsonOf), value: name }
  const sent = sentTypes.get(type)
  const isDirect = values.every((value) => value === null || (sent ?? texts).has(typeof value))
  if (!isDirect) return { name, array: 'jsonb[]', values: values.map(jsonOf), value: `(${name} #>> '{}')::${type}` }
  const direct = values.map((value) => (typeof value === 'string' ? cleanText(value) : jsonOf(value)))
  return sent === undefined
    ? { name, array: 'text[]', values: direct, value: `${name}::${type}` }
    : { name, array: `${type}[]`, values: direct, value: name }
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
     on conflict (_mortise_group, _mortise_provider, _mortise_workspace, _mortise_id) do update
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
