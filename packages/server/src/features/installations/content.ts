import { type Static, Type } from 'typebox'
import { Enum, MapOf, named } from '../../kernel/http/index.ts'

/** What a user chose for one installation (contract 3.14): the schemas of `config.content`. Unknown keys are kept. */

const objectName = Type.Optional(
  Type.String({ minLength: 1, maxLength: 512, description: 'Name of the object; the same as its key.' }),
)
const destination = Type.Optional(
  Type.String({ minLength: 1, maxLength: 512, description: 'Name of a destination, instead of the manifest’s.' }),
)
const scalar = { type: ['string', 'number', 'boolean'] }

const Filter = Type.Object({
  fieldName: Type.String({ minLength: 1, description: 'Provider field.' }),
  operator: Enum(['eq'], { description: 'Only equality.' }),
  value: Type.Optional(
    Type.Unsafe<string | number | boolean>({ ...scalar, description: 'What the field must be equal to.' }),
  ),
})

const BackfillConfig = Type.Object(
  {
    defaultPeriod: Type.Object(
      {
        days: Type.Optional(Type.Integer({ minimum: 0, description: 'Past days to read; 0 for none.' })),
        fullHistory: Type.Optional(Type.Boolean({ description: 'Read everything there is.' })),
      },
      { description: 'One of the two.' },
    ),
    fieldFilters: Type.Optional(Type.Array(Filter, { description: 'Filters of the backfill; not supported yet.' })),
  },
  { description: 'What is read once of the past, instead of what the manifest says.' },
)

export const ReadConfigObject = named(
  'ReadConfigObject',
  Type.Object({
    objectName,
    schedule: Type.Optional(Type.String({ minLength: 1, description: 'Cron in UTC, instead of the manifest’s.' })),
    disabled: Type.Optional(Type.Boolean({ description: 'True: not read, neither on schedule nor when triggered.' })),
    destination,
    selectedFields: Type.Optional(MapOf(Type.Boolean(), { description: 'Optional fields, by the provider’s name.' })),
    selectedFieldMappings: Type.Optional(
      MapOf(Type.String(), { description: 'Provider field by the name that it has in messages.' }),
    ),
    selectedValueMappings: Type.Optional(
      MapOf(MapOf(Type.Unsafe<string | number | boolean>(scalar)), {
        description: 'By provider field: the provider’s value by the value that is delivered.',
      }),
    ),
    dynamicMappingsInput: Type.Optional(
      Type.Array(Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true }), {
        description: 'Mappings that were offered to the user; kept, and used for nothing.',
      }),
    ),
    selectedFieldsAuto: Type.Optional(Enum(['all'], { description: '`all`: every field.' })),
    backfill: Type.Optional(BackfillConfig),
    fieldFilters: Type.Optional(Type.Array(Filter, { description: 'Filters of all reads; not supported yet.' })),
  }),
)
export type ReadConfigObject = Static<typeof ReadConfigObject>

export const WriteConfigObject = named(
  'WriteConfigObject',
  Type.Object({
    objectName,
    deletionSettings: Type.Optional(
      Type.Object({ enabled: Type.Boolean({ description: 'Whether records may be deleted.' }) }),
    ),
    selectedFieldSettings: Type.Optional(
      MapOf(
        Type.Object({
          default: Type.Optional(
            Type.Object({
              stringValue: Type.Optional(Type.String()),
              integerValue: Type.Optional(Type.Integer()),
              booleanValue: Type.Optional(Type.Boolean()),
            }),
          ),
          writeOnCreate: Type.Optional(Enum(['always', 'never'])),
          writeOnUpdate: Type.Optional(Enum(['always', 'never', 'ifEmpty'])),
        }),
        { description: 'What is written of a field, and its default.' },
      ),
    ),
    selectedValueDefaults: Type.Optional(
      MapOf(Type.Unknown(), { description: 'Deprecated: use `selectedFieldSettings`.' }),
    ),
  }),
)
export type WriteConfigObject = Static<typeof WriteConfigObject>

const Event = Type.Object({ enabled: Enum(['always', 'never'], { description: 'Whether the event is delivered.' }) })

export const SubscribeConfigObject = named(
  'SubscribeConfigObject',
  Type.Object({
    objectName,
    destination,
    inheritFieldsAndMappings: Type.Optional(Type.Boolean({ description: 'Fields and mappings of the read object.' })),
    inheritFieldsAndMapping: Type.Optional(Type.Boolean({ description: 'The same, as the manifest spells it.' })),
    createEvent: Type.Optional(Event),
    updateEvent: Type.Optional(
      Type.Object({
        enabled: Type.Optional(Enum(['always', 'never'])),
        watchFieldsAuto: Type.Optional(Enum(['all', 'selected'])),
        requiredWatchFields: Type.Optional(Type.Array(Type.String())),
      }),
    ),
    deleteEvent: Type.Optional(Event),
    otherEvents: Type.Optional(Type.Array(Type.String())),
  }),
)
export type SubscribeConfigObject = Static<typeof SubscribeConfigObject>

const objects = 'By object name, as the manifest has it.'

const actions = {
  read: Type.Optional(Type.Object({ objects: Type.Optional(MapOf(ReadConfigObject, { description: objects })) })),
  write: Type.Optional(Type.Object({ objects: Type.Optional(MapOf(WriteConfigObject, { description: objects })) })),
  subscribe: Type.Optional(
    Type.Object({ objects: Type.Optional(MapOf(SubscribeConfigObject, { description: objects })) }),
  ),
  proxy: Type.Optional(
    Type.Object({ enabled: Type.Optional(Type.Boolean({ description: 'Whether it is allowed.' })) }),
  ),
}

/** Content of a config: the objects that an installation reads, writes and subscribes to. */
export const ConfigContent = named(
  'ConfigContent',
  Type.Object({ provider: Type.String({ minLength: 1, description: 'Provider of the integration.' }), ...actions }),
)
export type ConfigContent = Static<typeof ConfigContent>

/** The same where only parts are sent. */
export const PartialConfigContent = named(
  'PartialConfigContent',
  Type.Object({ provider: Type.Optional(Type.String()), ...actions }),
)
export type PartialConfigContent = Static<typeof PartialConfigContent>

/**
 * Content as it is kept: every object carries its name, and where an action is named its `objects` are there, which clients rely on
 * (contract 3.14).
 */
export function normaliseContent(content: ConfigContent): ConfigContent {
  return {
    ...content,
    ...(content.read && { read: { ...content.read, objects: withNames(content.read.objects) } }),
    ...(content.write && { write: { ...content.write, objects: withNames(content.write.objects) } }),
    ...(content.subscribe && { subscribe: { ...content.subscribe, objects: subscribed(content.subscribe.objects) } }),
  }
}

/** Manifest and config spell this key differently (contract 9, row 1): either is taken, the config's spelling is kept. */
function subscribed(objects: Record<string, SubscribeConfigObject> | undefined): Record<string, SubscribeConfigObject> {
  return Object.fromEntries(
    Object.entries(withNames(objects)).map(([name, { inheritFieldsAndMapping, ...object }]) => [
      name,
      inheritFieldsAndMapping === undefined ? object : { inheritFieldsAndMappings: inheritFieldsAndMapping, ...object },
    ]),
  )
}

function withNames<T extends { objectName?: string }>(objects: Record<string, T> | undefined): Record<string, T> {
  return Object.fromEntries(
    Object.entries(objects ?? {}).map(([name, object]) => [name, { ...object, objectName: name }]),
  )
}
