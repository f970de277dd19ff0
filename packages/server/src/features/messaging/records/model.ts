import { type Static, Type } from 'typebox'
import type { Keyring } from '../../../kernel/encryption/index.ts'
import { FreeForm, MapOf, named, Timestamp } from '../../../kernel/http/index.ts'
import { createTimeOf } from '../kinds/index.ts'
import { contentOpener } from './content.ts'
import type { RecordRow } from './list-store.ts'

const free = (description: string) => Type.Optional(Type.Unsafe<Record<string, unknown>>({ ...FreeForm, description }))
const time = (description: string) => Type.Unsafe<string | Date>({ ...Timestamp, description })

/** A record as it was delivered last. */
export const StoredRecord = named(
  'StoredRecord',
  Type.Object(
    {
      id: Type.String({ description: 'Id of the record at the provider.' }),
      objectName: Type.String({
        description: 'Name of the object: the mapped one where the object has one, else the provider’s.',
      }),
      groupRef: Type.String({ description: 'Your id of the group whose account this is.' }),
      provider: Type.String({ description: 'Name of the provider.' }),
      workspace: Type.Optional(
        Type.String({ description: 'The workspace of the account, where the provider has workspaces.' }),
      ),
      installationId: Type.String({ description: 'Id of the installation.' }),
      readTime: time('When Mortise read it last, or got an event about it.'),
      modifiedTime: time('When what is stored of it changed last.'),
      deletedTime: Type.Optional(
        time('When its deletion was read. Absent while it exists. A deleted record has no fields.'),
      ),
      fields: free('Requested fields that are not mapped, by the provider’s names in lowercase.'),
      mappedFields: free('Mapped fields, by the names that they are mapped to.'),
      raw: free('The record as the provider gave it.'),
      associations: Type.Optional(
        MapOf(Type.Array(Type.Unsafe<Record<string, unknown>>({ ...FreeForm, description: 'An associated record.' })), {
          description: 'Associated records by the name of the association, as in messages.',
        }),
      ),
    },
    { description: 'A record that a destination of type `records` stores.' },
  ),
)
export type StoredRecord = Static<typeof StoredRecord>

export const StoredRecordPage = named(
  'StoredRecordPage',
  Type.Object(
    {
      results: Type.Array(StoredRecord, { description: 'Records, those that changed longest ago first.' }),
      pagination: Type.Object(
        {
          done: Type.Boolean({ description: 'Whether there is nothing more for now.' }),
          nextPageToken: Type.Optional(Type.String({ description: 'The same as `nextCursor`, while there is more.' })),
        },
        { description: 'Whether another page follows.' },
      ),
      nextCursor: Type.String({
        description:
          'What to pass as `cursor` in the next request. After the last page, keep it: a later request with it returns what has changed since.',
      }),
    },
    { description: 'Stored records of an object.' },
  ),
)

export type StoredRecordPage = Static<typeof StoredRecordPage>

export const StoredObject = named(
  'StoredObject',
  Type.Object(
    {
      objectName: Type.String({ description: 'Name of the object, as in messages.' }),
      destinationName: Type.String({ description: 'Name of the destination that stores its records.' }),
      modifiedTime: time('When one of its records changed last.'),
    },
    { description: 'An object whose records are stored.' },
  ),
)

/** Positions are times in microseconds, as far as no two are the same. */
export function timeOfPosition(position: number): Date {
  return new Date(millisecondsOf(position))
}

function millisecondsOf(position: number): number {
  return Math.floor(position / 1_000)
}

export function positionAt(time: Date): number {
  return time.getTime() * 1_000
}

type Content = 'fields' | 'mappedFields' | 'raw' | 'associations'

/**
 * Returns a function that writes a `StoredRecord` as JSON. The content stays the text that was stored, because parsing
 * it and writing it again takes most of the time of a page. What records of one message have in common is written once.
 */
export function recordWriter(
  keyring: Keyring,
  { projectId, objectName }: { projectId: string; objectName: string },
): (row: RecordRow) => string {
  const openContent = contentOpener(keyring)
  let last: { row: RecordRow; text: string } | undefined
  return (row) => {
    if (last === undefined || !isOfSameOrigin(last.row, row))
      last = {
        row,
        text: JSON.stringify({ objectName, ...originOf(row) } satisfies Omit<StoredRecord, 'id' | Content>),
      }
    const record = joinObjects(`{"id":${JSON.stringify(row.record_id)}}`, last.text)
    return joinObjects(record, openContent({ ...row, project_id: projectId }))
  }
}

function originOf(row: RecordRow) {
  return {
    groupRef: row.group_ref,
    provider: row.provider,
    ...(row.workspace !== '' && { workspace: row.workspace }),
    installationId: row.installation_id,
    readTime: createTimeOf({ id: row.message_id }),
    modifiedTime: timeOfPosition(row.position),
    ...(row.deleted_at !== null && { deletedTime: row.deleted_at }),
  }
}

function isOfSameOrigin(one: RecordRow, other: RecordRow): boolean {
  return (
    one.message_id === other.message_id &&
    one.installation_id === other.installation_id &&
    one.group_ref === other.group_ref &&
    one.provider === other.provider &&
    one.workspace === other.workspace &&
    millisecondsOf(one.position) === millisecondsOf(other.position) &&
    one.deleted_at?.getTime() === other.deleted_at?.getTime()
  )
}

/** Returns a `StoredRecordPage` as JSON. */
export function pageText(records: readonly string[], rest: Omit<StoredRecordPage, 'results'>): string {
  return joinObjects(`{"results":[${records.join(',')}]}`, JSON.stringify(rest))
}

/** Joins the JSON of two objects of which the first has properties. */
function joinObjects(one: string, other = '{}'): string {
  return other === '{}' ? one : `${one.slice(0, -1)},${other.slice(1)}`
}
