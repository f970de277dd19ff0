import type { BatchRecordResult, WriteRefusal, WriteType } from '@mortise/providers'
import { type Static, Type } from 'typebox'
import { Enum, FreeForm, named } from '../../../kernel/http/index.ts'

/** Maximum number of records in one request, and in one operation that batches requests. */
export const batchMax = 100

/** Maximum number of records in one asynchronous request, where the provider writes many records by a job. */
export const jobBatchMax = 10_000

/** Maximum number of different errors that the outcome of a write lists. */
const errorsMax = 100

const Record = Type.Unsafe<Record<string, unknown>>({
  ...FreeForm,
  description:
    'Values by field: the provider’s names, or those of the mapping. An update or a delete names the record in `id`.',
})
const Associations = Type.Optional(
  Type.Array(Type.Unsafe<Record<string, unknown>>({ ...FreeForm, description: 'One link.' }), {
    maxItems: 100,
    description: 'Links from the new record to others, in the provider’s own form.',
  }),
)
const hours = (description: string) => Type.Optional(Type.Integer({ minimum: 1, maximum: 48, default: 1, description }))

export const WriteRequest = named(
  'WriteRequest',
  Type.Object(
    {
      groupRef: Type.String({ minLength: 1, description: 'The group whose account is written to.' }),
      type: Enum(['create', 'update', 'delete'], { description: 'What happens to the records.' }),
      mode: Type.Optional(
        Enum(['synchronous', 'asynchronous'], {
          description:
            '`synchronous` (the default): returns the outcome. `asynchronous`: returns an operation. Deletes are always synchronous.',
        }),
      ),
      record: Type.Optional(Record),
      batch: Type.Optional(
        Type.Array(
          Type.Object({ record: Record, associations: Associations }, { description: 'One of the records.' }),
          {
            minItems: 1,
            maxItems: jobBatchMax,
            description:
              'Several records, instead of `record`, at most 100. An asynchronous write may have 10,000 where the provider writes many records by a job. Not for deletes.',
          },
        ),
      ),
      batchPolicy: Type.Optional(
        Type.Object(
          {
            allOrNone: Type.Optional(
              Type.Boolean({ default: false, description: 'Either all records of the batch are written or none.' }),
            ),
          },
          { description: 'How a batch is written.' },
        ),
      ),
      associations: Associations,
      headers: Type.Optional(
        Type.Array(
          Type.Object(
            {
              key: Type.String({ minLength: 1, maxLength: 200, description: 'Name of the header.' }),
              value: Type.String({ maxLength: 4_000, description: 'Its value.' }),
            },
            { description: 'One header.' },
          ),
          { maxItems: 20, description: 'Headers to send to the provider with the write, if it takes any.' },
        ),
      ),
      retryPolicy: Type.Optional(
        Type.Object(
          {
            deadlineHours: hours(
              'For how long a write that meets a limit or a failure of the provider is tried again.',
            ),
          },
          { description: 'Of asynchronous writes.' },
        ),
      ),
      autoBatchPolicy: Type.Optional(
        Type.Object(
          {
            maxDelayMinutes: Type.Integer({
              minimum: 1,
              maximum: 1_440,
              description: 'How long the first record may wait for others.',
            }),
            retryDeadlineHours: hours(
              'The deadline of retries once the records are sent; takes the place of `retryPolicy`.',
            ),
          },
          { description: 'Collects asynchronous writes of single records into batches.' },
        ),
      ),
    },
    { description: 'The records to write, the group, and the options.' },
  ),
)
export type WriteRequest = Static<typeof WriteRequest>

const Refusal = Type.Object(
  { message: Type.String({ description: 'What went wrong, in a sentence.' }) },
  { description: 'One thing that went wrong.' },
)
const Refusals = (description: string) => Type.Array(Refusal, { description })

export const WriteResult = named(
  'WriteResult',
  Type.Object(
    {
      success: Type.Boolean({ description: 'Whether the record was written.' }),
      recordId: Type.Optional(Type.String({ description: 'The provider’s id of the record.' })),
      data: Type.Optional(
        Type.Unsafe<Record<string, unknown>>({ ...FreeForm, description: 'The record as the provider answered it.' }),
      ),
      errors: Type.Optional(Refusals('Why a record of a batch was not written.')),
    },
    { description: 'Result of one record.' },
  ),
)

const operationId = Type.String({ description: 'Id of the operation.' })

/** One schema for single records and batches: the request determines which fields the response has. */
export const WriteResponse = named(
  'WriteResponse',
  Type.Object(
    {
      operationId,
      result: Type.Optional(WriteResult),
      successCount: Type.Optional(Type.Integer({ description: 'Of a batch: records that were written.' })),
      failureCount: Type.Optional(Type.Integer({ description: 'Of a batch: records that were not.' })),
      results: Type.Optional(
        Type.Array(WriteResult, { description: 'Of a batch: one for each record, in their order.' }),
      ),
      errors: Type.Optional(Refusals('What went wrong with the request as a whole.')),
      warnings: Type.Optional(
        Refusals(
          'What did not go to the provider: fields that its file does not name, and of a single record that was not written also what mapping or config left out.',
        ),
      ),
      rawResponse: Type.Optional(
        Type.String({
          description:
            'The body of the provider’s answer, at most 8,000 characters, without the credential. Present if the provider refused the write. Also present if its file defines no refusals and the answer has no record id.',
        }),
      ),
    },
    {
      description:
        'Result of a write: `result` for a single record, counts and `results` for a batch. For an asynchronous write, only the operation.',
    },
  ),
)
export type WriteResponse = Static<typeof WriteResponse>

/** One record, ready to be sent. */
export interface PreparedRecord {
  id?: string
  /** By provider names, nested ones in place. */
  record: Record<string, unknown>
  /** Provider fields that are written only where the record has no value yet. */
  ifEmpty?: string[]
  associations?: Record<string, unknown>[]
}

/** A checked write, ready to be sent. */
export interface PreparedWrite {
  /** The provider's name. */
  objectName: string
  type: WriteType
  batch: boolean
  allOrNone: boolean
  headers?: Record<string, string>
  records: PreparedRecord[]
  /** Sentences about fields that mapping or config keep from the provider. */
  leftOut: string[]
  /** Sentences about fields that are not sent because the provider's file does not name them. */
  unsent: string[]
}

/** The outcome of some records so far. */
export interface Tally {
  succeeded: number
  failed: number
  recordIds: string[]
  /** Sentences. */
  errors: string[]
}

/** Adds the outcome of some records. */
export function tallied(
  tally: Tally,
  records: readonly PreparedRecord[],
  results: readonly BatchRecordResult[],
  errors: readonly WriteRefusal[],
): Tally {
  const written = results.filter(({ success }) => success).length
  const ids = results.flatMap((result, at) => {
    const id = result.recordId ?? records[at]?.id
    return result.success && id !== undefined ? [id] : []
  })
  const messages = [...results.flatMap((result) => result.errors ?? []), ...errors].map(({ message }) => message)
  return {
    succeeded: tally.succeeded + written,
    failed: tally.failed + results.length - written,
    recordIds: [...tally.recordIds, ...ids],
    errors: [...new Set([...tally.errors, ...messages])].slice(0, errorsMax),
  }
}

export const nothingYet: Tally = { succeeded: 0, failed: 0, recordIds: [], errors: [] }
