/** The parts of JSON Schema (draft-07, the one that YAML editors know best) that the schema uses. */
export interface JsonSchema {
  $schema?: string
  $id?: string
  title?: string
  description?: string
  type?: 'object' | 'array' | 'string' | 'integer' | 'boolean'
  properties?: Record<string, JsonSchema>
  required?: string[]
  minProperties?: number
  additionalProperties?: boolean
  items?: JsonSchema
  enum?: readonly unknown[]
  anyOf?: JsonSchema[]
  default?: unknown
  examples?: unknown[]
  minItems?: number
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  pattern?: string
}

const text = (description: string, more: JsonSchema = {}): JsonSchema => ({
  type: 'string',
  minLength: 1,
  description,
  ...more,
})
const flag = (description: string): JsonSchema => ({ type: 'boolean', description })
const list = (items: JsonSchema, description: string): JsonSchema => ({ type: 'array', items, description })
const object = (description: string, properties: Record<string, JsonSchema>, required: string[] = []): JsonSchema => ({
  type: 'object',
  description,
  properties,
  ...(required.length > 0 && { required }),
})

const always: JsonSchema = { enum: ['always'], description: '`always`: applies to every installation.' }
const objectName = text('The provider’s name of the object.', { examples: ['contacts'] })
const destination = text('Name of the destination that messages are delivered to.', { examples: ['webhook'] })
const schedule = (description: string, examples: string[]) => text(description, { examples })

const fieldNames = {
  mapToName: text('Name of the field in messages.'),
  mapToDisplayName: text('What users see as its name.'),
}

const field: JsonSchema = {
  description: 'A field of the provider (`fieldName`), or one that the user maps (`mapToName` without `fieldName`).',
  anyOf: [
    object(
      'A field of the provider.',
      {
        fieldName: text("The provider’s name; a nested one in bracket form: `$['address']['city']`.", {
          examples: ['email'],
        }),
        ...fieldNames,
      },
      ['fieldName'],
    ),
    object(
      'A field that the user chooses among those of the provider.',
      {
        ...fieldNames,
        default: text('The provider’s field that is offered first.'),
        prompt: text('The question for the user who maps the field.'),
      },
      ['mapToName'],
    ),
  ],
}

const readObject = object(
  'An object that is read: first its past, then what changed since.',
  {
    objectName,
    destination,
    schedule: schedule('When it is read: cron of five fields, in UTC. Without it, only when triggered.', [
      '*/15 * * * *',
    ]),
    mapToName: text('Name of the object in messages, instead of `objectName`.'),
    mapToDisplayName: text('What users see as its name.'),
    requiredFields: list(field, 'Fields that every installation reads.'),
    optionalFields: list(field, 'Fields that users may choose.'),
    optionalFieldsAuto: { enum: ['all'], description: '`all`: every field of the object may be chosen.' },
    backfill: object(
      'How much of the past is read once, when the object is installed.',
      {
        defaultPeriod: object('One of the two.', {
          days: { type: 'integer', minimum: 0, description: 'Days into the past; 0 for none.' },
          fullHistory: flag('Everything that there is.'),
        }),
      },
      ['defaultPeriod'],
    ),
    deletions: {
      ...object('Deleted records. They are delivered with `deleted: true`.', {
        enabled: { ...always, description: '`always`: those that the provider reports.' },
        schedule: schedule(
          'When those that the provider does not report are looked for: cron of five fields, in UTC, at most hourly.',
          ['0 3 * * *'],
        ),
      }),
      minProperties: 1,
    },
    delivery: object('How records become messages.', {
      mode: {
        enum: ['auto', 'onRequest'],
        default: 'auto',
        description: '`auto`: immediately. `onRequest`: when you request them.',
      },
      pageSize: { type: 'integer', minimum: 50, maximum: 500, description: 'Records of one message at most.' },
    }),
    enabled: {
      enum: ['always'],
      description: '`always`: read for every installation. Installed automatically if the user has no choices to make.',
    },
  },
  ['objectName', 'destination'],
)

const writeObject = object(
  'An object that can be written.',
  {
    objectName,
    inheritMapping: flag('Whether the mapping of the read object of the same name is applied, reversed.'),
    valueDefaults: object('Values for what a record leaves out.', {
      allowAnyFields: flag('Whether users may set a default for any field.'),
    }),
  },
  ['objectName'],
)

const event = (description: string, more: Record<string, JsonSchema> = {}) =>
  object(description, { enabled: always, ...more })

const subscribeObject = object(
  'An object whose changes the provider tells.',
  {
    objectName,
    destination,
    inheritFieldsAndMapping: flag('Whether fields and mapping are those of the read object of the same name.'),
    createEvent: event('A record was made.'),
    updateEvent: event('A record was changed.', {
      watchFieldsAuto: {
        enum: ['all', 'selected'],
        description: '`all`: any field; `selected`: the fields that the user chose.',
      },
      requiredWatchFields: list(text('Name of a field.'), 'Fields that are always watched.'),
    }),
    deleteEvent: event('A record was deleted.'),
    associationChangeEvent: event('Records were linked or unlinked.', {
      includeFullRecords: flag('Whether messages hold the records whole.'),
    }),
    otherEvents: list(text('The provider’s name of an event.'), 'Further events of the provider.'),
  },
  ['objectName', 'destination'],
)

const watched = (description: string) => object(description, { enabled: always }, ['enabled'])

const objects = (items: JsonSchema, description: string) =>
  object(description, { objects: { ...list(items, 'The objects.'), minItems: 1 } })

const integration = object(
  'What is read, written, proxied, subscribed and watched at one provider.',
  {
    name: text('Unique in the project.', {
      maxLength: 128,
      pattern: '^[^/\\u0000-\\u001f\\u007f]+$',
      examples: ['crm'],
    }),
    provider: text('Name of the provider in the catalog, case-sensitive.', { examples: ['hubspot'] }),
    displayName: text('What users see as its name.'),
    module: text('One of the provider’s modules.'),
    read: objects(readObject, 'What is read.'),
    write: objects(writeObject, 'What can be written.'),
    proxy: object('Requests that are passed through to the provider.', {
      enabled: flag('Whether they are allowed.'),
      useModule: flag('Whether paths are relative to the module’s base URL instead of the provider’s.'),
    }),
    subscribe: objects(subscribeObject, 'Changes to subscribe to.'),
    watchSchema: object(
      'Notifies you when the provider’s fields change.',
      {
        destination,
        schedule: schedule('When they are compared: cron of five fields, in UTC, at most hourly.', ['0 */24 * * *']),
        allObjects: object('The changes to report.', {
          fieldCreated: watched('A field was added.'),
          fieldDeleted: watched('A field was deleted.'),
          fieldChanged: watched('Type, label or description of a field changed.'),
        }),
      },
      ['destination', 'allObjects'],
    ),
  },
  ['name', 'provider'],
)

/**
 * JSON Schema of a manifest, for editors: it completes keys and explains them. `validateManifest` knows more
 * (schedules, providers, what has to be unique) and reads keys whatever their case; what it refuses for its shape this
 * schema refuses too.
 */
export const manifestSchema: JsonSchema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  title: 'Mortise manifest',
  ...object(
    'Integrations of a project.',
    {
      specVersion: text('Version of the format.', { pattern: '^1\\.', examples: ['1.0.0'] }),
      integrations: { ...list(integration, 'The integrations.'), minItems: 1 },
    },
    ['specVersion', 'integrations'],
  ),
}
