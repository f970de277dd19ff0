import { type Static, Type } from 'typebox'
import { Enum, named, Timestamp } from '../../../kernel/http/index.ts'

const messageIdsMax = 1_000

export const NewMessageReplay = named(
  'NewMessageReplay',
  Type.Object(
    {
      messageIds: Type.Optional(
        Type.Array(Type.String({ maxLength: 100 }), {
          minItems: 1,
          maxItems: messageIdsMax,
          description: 'Ids of messages, delivered ones too.',
        }),
      ),
      range: Type.Optional(
        Type.Object(
          {
            destination: Type.Optional(
              Type.String({
                minLength: 1,
                maxLength: 512,
                description: 'Id or name of a destination; all when absent.',
              }),
            ),
            from: Type.String({ format: 'date-time', description: 'Posted at this time or later.' }),
            to: Type.String({ format: 'date-time', description: 'Posted before this time.' }),
            states: Type.Optional(
              Type.Array(Enum(['failed', 'delivered']), {
                minItems: 1,
                maxItems: 2,
                description: 'States of the messages in the range. By default only `failed`.',
              }),
            ),
          },
          { description: 'Messages by the time when they were posted.' },
        ),
      ),
      failedOf: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 512,
          description: 'Id or name of a destination: all messages to it that have failed.',
        }),
      ),
    },
    { description: 'Which messages: exactly one of `messageIds`, `range` and `failedOf`.' },
  ),
)
export type NewMessageReplay = Static<typeof NewMessageReplay>

export const MessageReplay = named(
  'MessageReplay',
  Type.Object({
    id: Type.String({ description: 'Id of the replay.' }),
    status: Enum(['in_progress', 'done'], { description: 'State of the replay. The counts grow until it is done.' }),
    matched: Type.Integer({ description: 'Requested messages that were found.' }),
    requeued: Type.Integer({ description: 'Those that are sent again, each once.' }),
    skipped: Type.Integer({ description: 'Those that were pending anyway.' }),
    missing: Type.Integer({ description: 'Ids that name no message, or one that retention has dropped.' }),
    createTime: Timestamp,
    doneTime: Type.Optional(Timestamp),
  }),
)
export type MessageReplay = Static<typeof MessageReplay>

/** What a replay works through, in the order of the ids. */
export type Selection =
  | {
      ids: string[] /** Only those in one of these; any when absent. */
      states?: string[]
    }
  | {
      destinationId?: string
      states: string[] /** Ids from here on. */
      from?: string /** Ids below this. */
      below: string
    }
