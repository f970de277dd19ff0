import { type Static, Type } from 'typebox'
import { backoffMs } from '../../../kernel/backoff.ts'
import { named, Timestamp } from '../../../kernel/http/index.ts'
import { fieldChanges, type WatchedField as WatchedFieldSchema } from '../../messaging/messages/index.ts'

/** The watched properties of a field: the ones in messages, and no others. */
export type WatchedField = Static<typeof WatchedFieldSchema>

/** How the fields of one object changed between two checks. */
export interface FieldChanges {
  createdFields: WatchedField[]
  deletedFields: WatchedField[]
  changedFields: { oldSchema: WatchedField; newSchema: WatchedField }[]
}

/** Default schedule of schema checks: daily. */
export const scheduleDefault = '0 */24 * * *'

const retry = { firstMs: 5 * 60_000, maxMs: 4_096 * 5 * 60_000 }

/**
 * Returns how long to wait before checking an object again after `failures` failures in a row. `random` is in [0, 1).
 */
export function retryDelayMs(failures: number, random: number): number {
  return backoffMs(retry, failures - 1, random)
}

export const SchemaChange = named(
  'SchemaChange',
  Type.Object({
    id: Type.String({ description: 'Id of the change.' }),
    installationId: Type.String({ description: 'Id of the installation.' }),
    objectName: Type.String({ description: 'The provider’s name of the object.' }),
    ...fieldChanges,
    createTime: Timestamp,
  }),
)
export type SchemaChange = Static<typeof SchemaChange>

export const SchemaWatch = named(
  'SchemaWatch',
  Type.Object({
    objectName: Type.String({ description: 'The provider’s name of the object.' }),
    schedule: Type.String({ description: 'When its fields are checked: cron in UTC.' }),
    nextCheckTime: Type.Unsafe<string | Date>({ ...Timestamp, description: 'When they are checked next.' }),
    checkTime: Type.Optional(
      Type.Unsafe<string | Date>({
        ...Timestamp,
        description: 'When they were seen last; absent before the first time.',
      }),
    ),
    fieldCount: Type.Optional(Type.Integer({ description: 'How many fields there were.' })),
    error: Type.Optional(Type.String({ description: 'Error of the last check. Absent if it succeeded.' })),
  }),
)
export type SchemaWatch = Static<typeof SchemaWatch>
