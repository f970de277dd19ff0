import type { Client } from 'pg'
import { createTimeOf } from '../message-time.ts'
import type { RecordRow } from './rows.ts'
import { type Columns, quoted } from './table.ts'

const ownTypes = new Set(['boolean', 'numeric', 'text', 'jsonb'])

/**
 * Merges rows into a table. Fields that a row does not have are null; columns of the user stay. A column of a type that
 * the user chose gets the text of a value, and PostgreSQL converts it. A row that is newer than the stored one takes
 * its place, whatever the order in which they arrive; a row that arrives again changes nothing.
 *
 * @param rows with values, at most one of each record
 */
export async function mergeRecords(
  client: Client,
  table: string,
  columns: Columns,
  rows: readonly RecordRow[],
): Promise<void> {
  const given = new Set(rows.flatMap(({ values = {} }) => Object.keys(values)))
  const written = [...columns].filter(([name, { isField }]) => isField || given.has(name))
  const names = written.map(([name]) => name)
  const recordset = written.map(([, { type }], index) => `c${index} ${ownTypes.has(type) ? type : 'text'}`)
  const values = written.map(([, { type }], index) => (ownTypes.has(type) ? `c${index}` : `c${index}::${type}`))
  const set = ['_mortise_raw', '_mortise_deleted_at', ...names.map(quoted)]
  await client.query(
    `insert into ${table} as t (${[...own, '_mortise_raw', ...names.map(quoted)].join(', ')})
     select ${[...ownValues, 'raw', ...values].join(', ')}
       from jsonb_to_recordset($1::jsonb) as r(${[ownRecordset, 'raw jsonb', ...recordset].join(', ')})
     on conflict (_mortise_group, _mortise_provider, _mortise_workspace, _mortise_id) do update
        set ${[ownUpdate, ...set.map((name) => `${name} = excluded.${name}`)].join(', ')}
      where t._mortise_message < excluded._mortise_message`,
    [jsonText(rows.map((row) => ({ ...ownOf(row), raw: row.raw ?? null, ...numbered(names, row.values) })))],
  )
}

/** Marks records as deleted, or records an event without the record. Their other columns stay. */
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

/** Keeps messages as they are, each once. */
export async function insertMessages(
  client: Client,
  table: string,
  messages: readonly { id: string; kind: string; eventType: string | undefined; body: object }[],
): Promise<void> {
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

/** JSON names may be anything, and so may columns: numbers in their place are short and need no escape. */
function numbered(names: readonly string[], values: Record<string, unknown> = {}): Record<string, unknown> {
  return Object.fromEntries(
    names.flatMap((name, index) => {
      const value = Object.hasOwn(values, name) ? values[name] : undefined
      return value === undefined ? [] : [[`c${index}`, value]]
    }),
  )
}

/** PostgreSQL takes neither NUL nor half of a surrogate pair in JSON. */
function jsonText(value: unknown): string {
  const text = JSON.stringify(value)
  return /\\u(?:0000|d[89a-f])/i.test(text) ? JSON.stringify(value, (_, part: unknown) => storable(part)) : text
}

function storable(value: unknown): unknown {
  if (typeof value === 'string') return clean(value)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [clean(name), part]))
}

const clean = (text: string) => text.replaceAll('\u0000', '\ufffd').toWellFormed()
