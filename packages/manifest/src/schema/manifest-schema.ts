import { agentActions } from '../manifest.ts'
import { confirmation } from './agent-confirm-schema.ts'
import { agentProviderTool } from './agent-provider-tool-schema.ts'
import { agentTool } from './agent-tool-schema.ts'
import { flag, type JsonSchema, list, object, text } from './json-schema.ts'

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

const fieldNamesOf = (description: string): JsonSchema => ({
  ...list(text('Name of a field: yours, or the provider’s.'), description),
  minItems: 1,
})
const whole = (description: string, minimum: number, maximum: number): JsonSchema => ({
  type: 'integer',
  minimum,
  maximum,
  description,
})
const dryRun = flag('Whether writes are only checked, and not sent to the provider.')

const agentObject = object(
  'An object that agents may use.',
  {
    objectName,
    actions: {
      ...list({ enum: agentActions, description: 'An action.' }, 'What agents may do with its records.'),
      minItems: 1,
    },
    description: text('What the object is, for agents.', { maxLength: 500 }),
    hiddenFields: fieldNamesOf('Fields that agents can neither read nor write nor use as a condition.'),
    maskedFields: fieldNamesOf('Fields whose values agents do not see.'),
    readOnlyFields: fieldNamesOf('Fields that agents do not write.'),
    filters: {
      ...list(
        object(
          'A condition.',
          {
            fieldName: text('Name of the field: yours, or the provider’s.', { examples: ['owner'] }),
            value: text('The value. `{{consumer}}` and `{{group}}` stand for the ids of the call.', {
              examples: ['{{consumer}}'],
            }),
          },
          ['fieldName', 'value'],
        ),
        'Conditions that apply to each call: agents reach no other records.',
      ),
      minItems: 1,
    },
    confirm: object(
      'Actions whose calls somebody confirms. `approval`: a person of yours. `user`: the user of the MCP client.',
      {
        create: confirmation('New records.'),
        update: confirmation('Changes of records.'),
        delete: confirmation('Deletions of records.'),
      },
    ),
    dryRun,
  },
  ['objectName', 'actions'],
)

const agent: JsonSchema = {
  ...object('What agents may do in the accounts of your customers. Without it, they can do nothing.', {
    objects: { ...list(agentObject, 'The objects. Required without tools.'), minItems: 1 },
    tools: { ...list(agentTool, 'Your own tools: requests to the provider.'), minItems: 1, maxItems: 100 },
    providerTools: { ...list(agentProviderTool, 'Tools of the provider’s MCP server.'), minItems: 1 },
    limits: object('Limits of the calls of one group.', {
      callsPerMinute: whole('Calls in a minute; 60 where absent.', 1, 6000),
      recordsPerCall: whole('Records in a result; 25 where absent.', 1, 100),
      resultBytes: whole('Largest result, in bytes; 32,000 where absent.', 2000, 200_000),
    }),
    approvalHours: whole('Hours until a request for approval expires; 24 where absent.', 1, 720),
    dryRun,
  }),
  minProperties: 1,
}

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
    agent,
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
