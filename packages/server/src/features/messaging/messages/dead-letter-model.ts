import { type Static, Type } from 'typebox'
import { audited, Enum, FreeForm, named, Timestamp } from '../../../kernel/http/index.ts'
import { resultEntry } from './data-message-schema.ts'
import { Message } from './message-model.ts'

export const failureReasons = ['refused', 'exhausted'] as const
export type FailureReason = (typeof failureReasons)[number]

const time = (description: string) => Type.Optional(Type.Unsafe<string | Date>({ ...Timestamp, description }))

const { destinationId, kind, eventType, installationId, integrationId, groupRef, operationId } = Message.properties

export const DeadLetter = named(
  'DeadLetter',
  Type.Object(
    {
      id: audited(Type.String({ description: 'Id of the message: `webhook-id` of every attempt.' })),
      destinationId,
      destinationName: audited(Type.String({ description: 'Name of the destination that it was posted to.' })),
      kind,
      eventType,
      installationId,
      integrationId,
      groupRef,
      operationId,
      objectName: Type.Optional(Type.String({ description: 'The provider’s name of the object.' })),
      reason: audited(
        Enum([...failureReasons], {
          description:
            '`refused`: the destination does not accept it as it is, such as a bad value or a message that is too large. `exhausted`: all attempts failed.',
        }),
      ),
      error: Type.Optional(Type.String({ description: 'Why the last attempt failed, in a sentence.' })),
      response: Type.Optional(Type.String({ description: 'The beginning of the answer of the destination.' })),
      attempts: Type.Integer({ description: 'Attempts that have ended.' }),
      bytes: Type.Integer({ description: 'Size of the body.' }),
      splitFrom: Type.Optional(
        Type.String({ description: 'Id of the message that the record was in. The others of that message arrived.' }),
      ),
      correctedBy: audited(
        Type.Optional(Type.String({ description: 'Who corrected it last: `builder:ID` or `apiKey:ID`.' })),
      ),
      correctTime: audited(time('When it was corrected last.')),
      createTime: Timestamp,
      failTime: time('When it failed.'),
    },
    { description: 'A message, or a record of one, that a destination did not accept.' },
  ),
)
export type DeadLetter = Static<typeof DeadLetter>

const records = (description: string) => Type.Optional(Type.Array(FreeForm, { description }))

export const DeadLetterWithRecords = named(
  'DeadLetterWithRecords',
  Type.Object(
    {
      ...DeadLetter.properties,
      records: records('The records as they are sent next. Absent if the message has none, such as a notification.'),
      originalRecords: records('The records before the first correction. Absent if nobody has corrected them.'),
      payload: Type.Unknown({ description: 'The whole body as JSON. As text if it is not JSON.' }),
    },
    { description: 'A dead letter with its records.' },
  ),
)

export const recordsMax = 10_000

export const DeadLetterUpdate = named(
  'DeadLetterUpdate',
  Type.Object(
    {
      records: Type.Array(
        named('CorrectedRecord', Type.Object(resultEntry.properties, { description: 'A record as it is sent next.' })),
        {
          minItems: 1,
          maxItems: recordsMax,
          description: 'All records of the dead letter, in their order and with their ids.',
        },
      ),
    },
    { description: 'Corrected records of a dead letter.' },
  ),
)
export type DeadLetterUpdate = Static<typeof DeadLetterUpdate>

const idsMax = 1_000

/** Which dead letters: exactly one of the two. */
const choice = {
  deadLetterIds: Type.Optional(
    Type.Array(Type.String({ maxLength: 100 }), {
      minItems: 1,
      maxItems: idsMax,
      description: 'Ids of dead letters.',
    }),
  ),
  destination: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 512,
      description: 'Id or name of a destination: all of its dead letters.',
    }),
  ),
}

export const DeadLetterSelection = named(
  'DeadLetterSelection',
  Type.Object(choice, {
    description: 'Which dead letters: exactly one of `deadLetterIds` and `destination`.',
  }),
)
export type DeadLetterSelection = Static<typeof DeadLetterSelection>

export const discardedMax = 10_000

export const DiscardedDeadLetters = named(
  'DiscardedDeadLetters',
  Type.Object(
    {
      discarded: Type.Integer({ description: `How many were discarded, at most ${discardedMax} in one request.` }),
      more: Type.Boolean({ description: 'Whether the selection has more of them. Then send the request again.' }),
    },
    { description: 'How many dead letters were discarded.' },
  ),
)
