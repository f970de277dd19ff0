import { type Static, Type } from 'typebox'
import { Enum, MapOf, named } from '../../../kernel/http/index.ts'

/** Schemas of `config.content`: what a customer chose for one installation (contract 3.14). Unknown keys are kept. */

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

export type ReadFilter = Static<typeof Filter>

const BackfillConfig = Type.Object(
  {
    defaultPeriod: Type.Object(
      {
        days: Type.Optional(Type.Integer({ minimum: 0, description: 'Past days to read; 0 for none.' })),
        fullHistory: Type.Optional(Type.Boolean({ description: 'Read everything there is.' })),
      },
      { description: 'One of the two.' },
    ),
    fieldFilters: Type.Optional(
      Type.Array(Filter, { description: 'Filters of the backfill. They replace those of the object.' }),
    ),
  },
  { description: 'The backfill, instead of the manifest’s.' },
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
        description: 'By provider field: delivered value to the provider’s value.',
      }),
    ),
    dynamicMappingsInput: Type.Optional(
      Type.Array(Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true }), {
        description:
          'Mappings that were offered to the user. Writes with `inheritMapping` leave out these names until they are mapped.',
      }),
    ),
    selectedFieldsAuto: Type.Optional(Enum(['all'], { description: '`all`: every field.' })),
    backfill: Type.Optional(BackfillConfig),
    deletions: Type.Optional(
      Type.Object(
        {
          enabled: Type.Optional(
            Enum(['always', 'never'], {
              description: 'Whether deleted records that the provider reports are delivered.',
            }),
          ),
          schedule: Type.Optional(
            Type.String({
              description:
                'When deleted records that the provider does not report are looked for: cron in UTC, at most hourly. Never when absent.',
            }),
          ),
        },
        { minProperties: 1, description: 'Deletions, instead of the manifest’s.' },
      ),
    ),
    fieldFilters: Type.Optional(
      Type.Array(Filter, {
        description: 'Which records are read: those that fit all filters, at providers that can filter.',
      }),
    ),
  }),
)
export type ReadConfigObject = Static<typeof ReadConfigObject>

export const WriteConfigObject = named(
  'WriteConfigObject',
  Type.Object({
    objectName,
    deletionSettings: Type.Optional(
      Type.Object(
        { enabled: Type.Boolean({ description: 'Whether records may be deleted.' }) },
        { description: 'Deleting records; off when absent.' },
      ),
    ),
    selectedFieldSettings: Type.Optional(
      MapOf(
        Type.Object({
          default: Type.Optional(
            Type.Object(
              {
                stringValue: Type.Optional(Type.String({ description: 'A text.' })),
                integerValue: Type.Optional(Type.Integer({ description: 'A whole number.' })),
                booleanValue: Type.Optional(Type.Boolean({ description: 'True or false.' })),
              },
              { description: 'What is written when the caller sends nothing; one of the three.' },
            ),
          ),
          writeOnCreate: Type.Optional(
            Enum(['always', 'never'], { description: 'Whether new records get the field; `always` when absent.' }),
          ),
          writeOnUpdate: Type.Optional(
            Enum(['always', 'never', 'ifEmpty'], {
              description: 'Whether existing records get it; `always` when absent.',
            }),
          ),
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

const event = (description: string) =>
  Type.Object(
    { enabled: Enum(['always', 'never'], { description: 'Whether the event is delivered.' }) },
    { description },
  )

const quotaOptimization = Type.Object(
  { enabled: Type.Boolean({ description: 'Whether it is on.' }) },
  { description: 'Fewer events of Salesforce: only those of the fields in `requiredWatchFields`.' },
)

export const SubscribeConfigObject = named(
  'SubscribeConfigObject',
  Type.Object({
    objectName,
    destination,
    inheritFieldsAndMappings: Type.Optional(Type.Boolean({ description: 'Fields and mappings of the read object.' })),
    inheritFieldsAndMapping: Type.Optional(Type.Boolean({ description: 'The same, as the manifest spells it.' })),
    createEvent: Type.Optional(event('Records that were made.')),
    updateEvent: Type.Optional(
      Type.Object(
        {
          enabled: Type.Optional(Enum(['always', 'never'], { description: 'Whether the event is delivered.' })),
          watchFieldsAuto: Type.Optional(Enum(['all', 'selected'], { description: 'Which fields are watched.' })),
          requiredWatchFields: Type.Optional(Type.Array(Type.String(), { description: 'Fields that are watched.' })),
        },
        { description: 'Records that were changed.' },
      ),
    ),
    deleteEvent: Type.Optional(event('Records that were deleted.')),
    otherEvents: Type.Optional(Type.Array(Type.String(), { description: 'Further events, by the provider’s names.' })),
    providerOptions: Type.Optional(
      Type.Object(
        { quotaOptimization: Type.Optional(quotaOptimization) },
        { description: 'What only one provider knows: Salesforce’s `quotaOptimization`.' },
      ),
    ),
    salesforceQuotaOptimization: Type.Optional(quotaOptimization),
  }),
)
export type SubscribeConfigObject = Static<typeof SubscribeConfigObject>

const objects = 'By object name, as the manifest has it.'

const actions = {
  read: Type.Optional(
    Type.Object(
      { objects: Type.Optional(MapOf(ReadConfigObject, { description: objects })) },
      { description: 'Objects that are read.' },
    ),
  ),
  write: Type.Optional(
    Type.Object(
      { objects: Type.Optional(MapOf(WriteConfigObject, { description: objects })) },
      { description: 'Objects that are written.' },
    ),
  ),
  subscribe: Type.Optional(
    Type.Object(
      { objects: Type.Optional(MapOf(SubscribeConfigObject, { description: objects })) },
      { description: 'Objects to subscribe to.' },
    ),
  ),
  proxy: Type.Optional(
    Type.Object(
      { enabled: Type.Optional(Type.Boolean({ description: 'Whether it is allowed.' })) },
      { description: 'Requests through the proxy.' },
    ),
  ),
}

/** Content of a config: the objects that an installation reads, writes and subscribes to. */
export const ConfigContent = named(
  'ConfigContent',
  Type.Object({ provider: Type.String({ minLength: 1, description: 'Provider of the integration.' }), ...actions }),
)
export type ConfigContent = Static<typeof ConfigContent>

/** The same when a request sends only parts. */
export const PartialConfigContent = named(
  'PartialConfigContent',
  Type.Object({ provider: Type.Optional(Type.String({ description: 'Provider of the integration.' })), ...actions }),
)
export type PartialConfigContent = Static<typeof PartialConfigContent>

/**
 * Returns content in its stored form: every object has its name, and every action has `objects`, which clients rely on
 * (contract 3.14).
 */
export function normalizeContent(content: ConfigContent): ConfigContent {
  return {
    ...content,
    ...(content.read && { read: { ...content.read, objects: withNames(content.read.objects) } }),
    ...(content.write && { write: { ...content.write, objects: withNames(content.write.objects) } }),
    ...(content.subscribe && { subscribe: { ...content.subscribe, objects: subscribed(content.subscribe.objects) } }),
  }
}

/**
 * Returns content in the form of a response: every read object has `selectedFields` and `selectedFieldMappings`, empty
 * where nothing is stored.
 */
export function answeredContent(content: ConfigContent): ConfigContent {
  if (!content.read?.objects) return content
  const objects = Object.entries(content.read.objects).map(([name, object]) => [
    name,
    {
      ...object,
      selectedFields: object.selectedFields ?? {},
      selectedFieldMappings: object.selectedFieldMappings ?? {},
    },
  ])
  return { ...content, read: { ...content.read, objects: Object.fromEntries(objects) } }
}

/**
 * Accepts both spellings of a key, because manifest and config differ (contract 9, row 1), and both locations of an
 * option of Salesforce. Stores the newest spelling of the config.
 */
function subscribed(objects: Record<string, SubscribeConfigObject> | undefined): Record<string, SubscribeConfigObject> {
  return Object.fromEntries(
    Object.entries(withNames(objects)).map(
      ([name, { inheritFieldsAndMapping, salesforceQuotaOptimization: quotaOptimization, ...object }]) => [
        name,
        {
          ...(inheritFieldsAndMapping !== undefined && { inheritFieldsAndMappings: inheritFieldsAndMapping }),
          ...object,
          ...(quotaOptimization && { providerOptions: { quotaOptimization, ...object.providerOptions } }),
        },
      ],
    ),
  )
}

function withNames<T extends { objectName?: string }>(objects: Record<string, T> | undefined): Record<string, T> {
  return Object.fromEntries(
    Object.entries(objects ?? {}).map(([name, object]) => [name, { ...object, objectName: name }]),
  )
}
