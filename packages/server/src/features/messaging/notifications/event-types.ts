import { type Static, type TObject, type TProperties, Type } from 'typebox'
import { Enum, FreeForm, named } from '../../../kernel/http/index.ts'
import { deadLettersEvent } from '../destinations/index.ts'
import { example } from './event-examples.ts'

/**
 * Every type of event: when it happens, and what its notification says. Routes, deliveries, the OpenAPI document and
 * the pages under `docs/events` are made from this list.
 */

const text = (description: string) => Type.String({ description })

const installationFields = {
  projectId: text('Id of the project.'),
  provider: text('Name of the provider.'),
  integrationId: text('Id of the integration.'),
  integrationName: text('Name of the integration.'),
  installationId: text('Id of the installation.'),
  connectionId: text('Id of its connection.'),
  groupRef: text('Your id of the group.'),
  groupName: text('Name of the group.'),
  consumerRef: text('Your id of the person who connected the account.'),
  consumerName: text('Name of that person.'),
}

const connectionFields = {
  projectId: text('Id of the project.'),
  connectionId: text('Id of the connection.'),
  provider: text('Name of the provider.'),
  groupRef: text('Your id of the group.'),
  consumerRef: text('Your id of the person who connected the account.'),
  consumerName: text('Name of that person.'),
}

const configFields = {
  config: Type.Optional(
    Type.Unsafe<Record<string, unknown>>({
      ...FreeForm,
      description: 'The content of the installation’s config.',
    }),
  ),
  configURL: Type.Optional(
    Type.String({
      format: 'uri',
      description:
        'Replaces `config` when the notification would be larger than 300 KB: a URL to GET it, without an API key, valid for 15 minutes.',
    }),
  ),
}

const lastConfigFields = {
  lastConfig: Type.Optional(
    Type.Unsafe<Record<string, unknown>>({
      ...FreeForm,
      description: 'The previous content of the config. The same if only the connection changed.',
    }),
  ),
  lastConfigURL: Type.Optional(Type.String({ format: 'uri', description: 'Replaces `lastConfig`, like `configURL`.' })),
}

const objectName = text('The provider’s name of the object.')
const readWindow = {
  fromTimestamp: Type.Optional(
    Type.String({
      format: 'date-time',
      description: 'The read requested records changed at or after this time. Absent: all.',
    }),
  ),
  untilTimestamp: Type.Optional(
    Type.String({ format: 'date-time', description: 'The read requested records changed up to this time.' }),
  ),
}
const error = Type.Optional(text('Why, in a sentence.'))

const eitherConfig = { oneOf: [{ required: ['config'] }, { required: ['configURL'] }] }
const eitherLastConfig = { oneOf: [{ required: ['lastConfig'] }, { required: ['lastConfigURL'] }] }

/** One type of event. */
export interface EventDeclaration<N extends string = string, D extends TObject = TObject> {
  name: N
  /** Not part of the interface that Mortise implements, but of Mortise alone. */
  extension: boolean
  /** When it happens, in sentences. */
  when: string
  /** Whether this release sends it; a route can be made for it all the same. */
  sent: boolean
  /** `data` of the notification. */
  data: D
  /** The whole body of a notification. */
  example: { notificationType: string; data: Record<string, unknown> }
}

function event<const N extends string, P extends TProperties>(
  name: N,
  schemaName: string,
  properties: P,
  declared: { when: string; sent?: boolean; extension?: boolean; rules?: Record<string, unknown> },
): EventDeclaration<N, TObject<P>> {
  const { when, sent = true, extension = false, rules = {} } = declared
  const data = named(schemaName, Type.Object(properties, rules))
  return {
    name,
    extension,
    when,
    sent,
    data,
    example: { notificationType: name, data: example(data.properties) },
  }
}

export const eventTypes = [
  event('connection.created', 'ConnectionCreatedData', connectionFields, {
    when: 'An account was connected for the first time, by any authentication method: OAuth, an API key, a password or none.',
  }),
  event(
    'connection.error',
    'ConnectionErrorData',
    {
      ...connectionFields,
      errors: Type.Optional(Type.Array(Type.String(), { description: 'Why, in sentences.' })),
      error: Type.Optional(
        Type.Array(Type.String(), { deprecated: true, description: 'Deprecated. The same as `errors`.' }),
      ),
    },
    {
      when: 'The provider refused the credential of a connection, and its status is now `bad_credentials`. Sent once, until the credential works again.',
    },
  ),
  event('connection.refreshed', 'ConnectionRefreshedData', connectionFields, {
    when: 'The access token of a connection was renewed automatically: it was about to expire, was refused, or was unused for long. Not sent for a request with `refresh`.',
  }),
  event('connection.updated', 'ConnectionUpdatedData', connectionFields, {
    when: 'The same account was connected again, or its connection was changed.',
    extension: true,
  }),
  event('connection.deleted', 'ConnectionDeletedData', connectionFields, {
    when: 'A connection was deleted, by request or with the last installation that used it.',
  }),
  event(
    'installation.created',
    'InstallationCreatedData',
    { ...installationFields, ...configFields },
    { when: 'An integration was installed, by request or automatically.', rules: eitherConfig },
  ),
  event(
    'installation.updated',
    'InstallationUpdatedData',
    { ...installationFields, ...configFields, ...lastConfigFields },
    {
      when: 'The config or the connection of an installation changed. Not sent when reads are paused or resumed.',
      rules: { allOf: [eitherConfig, eitherLastConfig] },
    },
  ),
  event(
    'installation.deleted',
    'InstallationDeletedData',
    { ...installationFields, ...configFields },
    { when: 'An installation was deleted, by request or with its integration.', rules: eitherConfig },
  ),
  event(
    'read.schedule.paused',
    'ReadSchedulePausedData',
    { ...installationFields, ...configFields, error },
    {
      when: 'Scheduled reads of an installation were paused. `error` has the reason if Mortise paused them, after repeated errors or a refused credential. There is no `error` if a request or a destructive deploy paused them.',
      rules: eitherConfig,
    },
  ),
  event(
    'read.backfill.done',
    'ReadBackfillDoneData',
    { ...installationFields, objectName },
    { when: 'The backfill of an object succeeded.' },
  ),
  event(
    'read.backfill.error',
    'ReadBackfillErrorData',
    { ...installationFields, objectName, error },
    {
      when: 'The backfill of an object failed, so existing records are missing. You can run it again; it continues where it stopped.',
      extension: true,
    },
  ),
  event(
    'read.triggered.done',
    'ReadTriggeredDoneData',
    { ...installationFields, objectName, ...readWindow },
    { when: 'A triggered read succeeded.' },
  ),
  event(
    'read.triggered.error',
    'ReadTriggeredErrorData',
    { ...installationFields, objectName, ...readWindow, error },
    { when: 'A triggered read failed permanently.' },
  ),
  event(
    'write.async.done',
    'WriteAsyncDoneData',
    {
      ...installationFields,
      objectName,
      success: Type.Boolean({ description: 'Whether every record was written.' }),
      successfulRecordIds: Type.Optional(Type.Array(Type.String(), { description: 'Ids of the written records.' })),
      errors: Type.Optional(Type.Array(Type.String(), { description: 'What went wrong, in sentences.' })),
    },
    {
      when: 'An asynchronous write ended. If only some records were written, `success` is false and both lists have items.',
    },
  ),
  event(
    'approval.requested',
    'ApprovalRequestedData',
    {
      ...installationFields,
      approvalId: text('Id of the request for approval.'),
      toolName: text('Name of the tool that the agent called.'),
      action: text('What the call does: `create`, `update`, `delete`, or `call` for a custom tool.'),
      objectName,
      expireTime: Type.String({ format: 'date-time', description: 'Until when it can be approved.' }),
    },
    {
      when: 'An agent called a tool, and a person of yours must approve the call. Get the request by its id to see the arguments. Not sent for a call that the user of an MCP client confirms.',
      extension: true,
    },
  ),
  event(
    'approval.decided',
    'ApprovalDecidedData',
    {
      ...installationFields,
      approvalId: text('Id of the request for approval.'),
      toolName: text('Name of the tool that the agent called.'),
      action: text('What the call does: `create`, `update`, `delete`, or `call` for a custom tool.'),
      objectName,
      decision: Enum(['approved', 'refused'], { description: 'What was decided. An approved call runs next.' }),
      decider: Enum(['person', 'user'], {
        description: 'Who decided. `person`: a person of yours, or an API key. `user`: the user of the MCP client.',
      }),
    },
    {
      when: 'A call of an agent was approved or refused, by a person of yours or by the user of the MCP client. Also sent for a request that was refused because it is outdated.',
      extension: true,
    },
  ),
  event(
    'subscribe.create.error',
    'SubscribeCreateErrorData',
    { ...installationFields, error },
    {
      when: 'A subscription at the provider could not be set up. Sent once for as long as this lasts.',
      extension: true,
    },
  ),
  event(
    'destination.webhook.disabled',
    'DestinationWebhookDisabledData',
    {
      projectId: text('Id of the project.'),
      destinationId: text('Id of the destination.'),
      destinationName: text('Name of the destination.'),
      url: Type.String({ format: 'uri', description: 'Where it posts to. Possible secrets in it are `***`.' }),
    },
    {
      when: 'A webhook was disabled: every attempt of five days failed, its endpoint answered 410 Gone, or someone disabled it. Never sent to that webhook.',
    },
  ),
  event(
    deadLettersEvent,
    'DestinationDeadletterAddedData',
    {
      projectId: text('Id of the project.'),
      destinationId: text('Id of the destination.'),
      destinationName: text('Name of the destination.'),
      deadLetterCount: Type.Integer({
        description: 'Its dead letters, old and new. At most 1,000 are counted.',
      }),
    },
    {
      when: 'A destination has new dead letters: messages or records that it did not accept. Sent for the first one, and then at most once an hour for each destination. Never sent to that destination.',
      extension: true,
    },
  ),
] as const

type Declared = (typeof eventTypes)[number]

/** The word for a type of event, as routes use it. */
export type EventType = Declared['name']

/** `data` of a notification of this type. */
export type EventData<N extends EventType> = Static<Extract<Declared, { name: N }>['data']>

export const eventNames = eventTypes.map(({ name }) => name)
