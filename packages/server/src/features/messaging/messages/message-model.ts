import { type Static, Type } from 'typebox'
import { Enum, named, Timestamp } from '../../../kernel/http/index.ts'

export const messageStates = ['pending', 'delivered', 'failed', 'discarded'] as const
export type MessageState = (typeof messageStates)[number]

export const messageKinds = ['read', 'subscribe', 'schema.watch', 'notification'] as const

export const Message = named(
  'Message',
  Type.Object({
    id: Type.String({ description: 'Id of the message: `webhook-id` of every attempt.' }),
    destinationId: Type.Optional(
      Type.String({ description: 'Id of the destination; absent while none of its name exists.' }),
    ),
    destinationName: Type.String({ description: 'Name of the destination that it was posted to.' }),
    kind: Enum([...messageKinds], { description: 'What it brings.' }),
    eventType: Type.Optional(Type.String({ description: 'For a notification: its event.' })),
    installationId: Type.Optional(Type.String({ description: 'Id of its installation.' })),
    integrationId: Type.Optional(
      Type.String({ description: 'Id of the integration. Absent once the installation is deleted.' }),
    ),
    groupRef: Type.Optional(
      Type.String({ description: 'Your id of the group. Absent once the installation is deleted.' }),
    ),
    operationId: Type.Optional(Type.String({ description: 'Id of the operation that created it.' })),
    state: Enum([...messageStates], {
      description: '`pending` until it was delivered, or has failed after its last attempt.',
    }),
    failureReason: Type.Optional(
      Enum(['refused', 'exhausted'], {
        description: 'Why it failed: the destination does not accept it as it is, or all attempts failed.',
      }),
    ),
    rejectedRecords: Type.Optional(
      Type.Integer({
        description: 'Records that the destination did not accept. Each became a separate message.',
      }),
    ),
    splitFrom: Type.Optional(
      Type.String({ description: 'Id of the message that its record was in. The others of that message arrived.' }),
    ),
    attempts: Type.Integer({ description: 'Attempts that have ended.' }),
    nextAttemptTime: Type.Optional(
      Type.Unsafe<string | Date>({
        ...Timestamp,
        description:
          'For a pending message that is not being sent: when it is sent next, unless its destination queues it.',
      }),
    ),
    bytes: Type.Integer({ description: 'Size of the body.' }),
    createTime: Timestamp,
    endTime: Type.Optional(
      Type.Unsafe<string | Date>({ ...Timestamp, description: 'When it was delivered or failed.' }),
    ),
  }),
)
export type Message = Static<typeof Message>

export const MessageWithPayload = named(
  'MessageWithPayload',
  Type.Object({
    ...Message.properties,
    payload: Type.Unknown({
      description: 'The body as JSON, as an attempt would send it now. As text if it is not JSON.',
    }),
  }),
)

export const MessageAttempt = named(
  'MessageAttempt',
  Type.Object({
    number: Type.Integer({ description: 'Starts at 1. Continues when the message is replayed.' }),
    status: Type.Optional(Type.Integer({ description: 'Status of the answer; absent when there was none.' })),
    error: Type.Optional(Type.String({ description: 'Why it failed, in a sentence. Absent when it delivered.' })),
    response: Type.Optional(Type.String({ description: 'The beginning of the answer: 2 KB at most.' })),
    durationMs: Type.Integer({ description: 'How long it took.' }),
    destinationId: Type.String({ description: 'Id of the destination that it went to.' }),
    createTime: Timestamp,
  }),
)
export type MessageAttempt = Static<typeof MessageAttempt>
