import { type Static, type TObject, type TProperties, Type } from 'typebox'
import { FreeForm, named } from '../../kernel/http/index.ts'
import { example } from './event-examples.ts'

/**
 * Every type of event: when it happens, and what its notification says. Routes, deliveries, the OpenAPI document and the pages under
 * `docs/events` are made from this list.
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
      description: 'What was chosen: the content of the config of the installation.',
    }),
  ),
  configURL: Type.Optional(
    Type.String({
      format: 'uri',
      description:
        'Instead of `config`, when the notification would be larger than 300 KB: where to GET it, without an API key, within 15 minutes.',
    }),
  ),
}

const lastConfigFields = {
  lastConfig: Type.Optional(
    Type.Unsafe<Record<string, unknown>>({
      ...FreeForm,
      description: 'The content of the config before; the same where only the connection changed.',
    }),
  ),
  lastConfigURL: Type.Optional(
    Type.String({ format: 'uri', description: 'Instead of `lastConfig`, under the same conditions as `configURL`.' }),
  ),
}

const objectName = text('The provider’s name of the object.')
const readWindow = {
  fromTimestamp: Type.Optional(
    Type.String({ format: 'date-time', description: 'Records changed at or after this were asked for; else all.' }),
  ),
  untilTimestamp: Type.Optional(
    Type.String({ format: 'date-time', description: 'Records changed up to this were asked for.' }),
  ),
}
const error = Type.Optional(text('Why, in a sentence.'))

const eitherConfig = { oneOf: [{ required: ['config'] }, { required: ['configURL'] }] }
const eitherLastConfig = { oneOf: [{ required: ['lastConfig'] }, { required: ['lastConfigURL'] }] }

/** One type of event. */
export interface EventDeclaration<N extends string = string, D extends TObject = TObject> {
  name: N
  /** Ours beyond the thirteen of the interface. */
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
    example: { notificationType: name, data: example(Object.keys(data.properties)) },
  }
}

export const eventTypes = [
  event('connection.created', 'ConnectionCreatedData', connectionFields, {
    when: 'An account was connected for the first time, whatever its provider asks for: OAuth, an API key, a password or nothing.',
  }),
  event(
    'connection.error',
    'ConnectionErrorData',
    {
      ...connectionFields,
      errors: Type.Optional(Type.Array(Type.String(), { description: 'Why, in sentences.' })),
      error: Type.Optional(
        Type.String({ deprecated: true, description: 'The same in one text. Deprecated: use `errors`.' }),
      ),
    },
    {
      when: 'The provider refused the credential of a connection: its status has become `bad_credentials`. Sent once, until the credential has worked again.',
    },
  ),
  event('connection.refreshed', 'ConnectionRefreshedData', connectionFields, {
    when: 'The access token of a connection was renewed by itself: it was about to end, was refused, or had not been used for long. Not sent when somebody asked for it with `refresh`.',
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
    { when: 'An integration was installed, by request or by itself.', rules: eitherConfig },
  ),
  event(
    'installation.updated',
    'InstallationUpdatedData',
    { ...installationFields, ...configFields, ...lastConfigFields },
    {
      when: 'The config or the connection of an installation was changed. Pausing and resuming reads does not count.',
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
      when: 'Scheduled reads of an installation were paused. By itself, after repeated errors or because the credential was refused, `error` says why; on request, or by a destructive deploy, there is no `error`.',
      rules: eitherConfig,
    },
  ),
  event(
    'read.backfill.done',
    'ReadBackfillDoneData',
    { ...installationFields, objectName },
    { when: 'The first read of the past of an object has ended well.' },
  ),
  event(
    'read.backfill.error',
    'ReadBackfillErrorData',
    { ...installationFields, objectName, error },
    {
      when: 'The backfill of an object could not end: records of the past are missing. It can be run again, and continues where it stood.',
      extension: true,
    },
  ),
  event(
    'read.triggered.done',
    'ReadTriggeredDoneData',
    { ...installationFields, objectName, ...readWindow },
    { when: 'A read that was triggered has ended well.' },
  ),
  event(
    'read.triggered.error',
    'ReadTriggeredErrorData',
    { ...installationFields, objectName, ...readWindow, error },
    { when: 'A read that was triggered has failed for good.' },
  ),
  event(
    'write.async.done',
    'WriteAsyncDoneData',
    {
      ...installationFields,
      objectName,
      success: Type.Boolean({ description: 'Whether every record was written.' }),
      successfulRecordIds: Type.Optional(Type.Array(Type.String(), { description: 'Ids of what was written.' })),
      errors: Type.Optional(Type.Array(Type.String(), { description: 'What went wrong, in sentences.' })),
    },
    {
      when: 'An asynchronous write has ended. Where only some records were written, `success` is false and both lists are filled.',
    },
  ),
  event(
    'subscribe.create.error',
    'SubscribeCreateErrorData',
    { ...installationFields, error },
    {
      when: 'A subscription at the provider could not be set up. Told once for as long as that lasts.',
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
      url: Type.String({ format: 'uri', description: 'Where it posts to. What may be a secret in it is `***`.' }),
    },
    {
      when: 'A webhook was disabled: every attempt of five days failed, its endpoint answered 410 Gone, or somebody disabled it. Never sent to that webhook itself.',
    },
  ),
] as const

type Declared = (typeof eventTypes)[number]

/** The word for a type of event, as routes use it. */
export type EventType = Declared['name']

/** `data` of a notification of this type. */
export type EventData<N extends EventType> = Static<Extract<Declared, { name: N }>['data']>

export const eventNames = eventTypes.map(({ name }) => name)
