import type { IntegrationContent } from '@mortise/manifest'
import { type TProperties, type TSchema, Type } from 'typebox'
import { Enum, named } from '../../../kernel/http/index.ts'

/**
 * Schemas of what a manifest says about one integration, as it is stored and answered. `@mortise/manifest` owns the
 * rules.
 */

const text = (description: string) => Type.String({ description })
const optional = <T extends TSchema>(schema: T) => Type.Optional(schema)
const part = (name: string, description: string, properties: TProperties) =>
  named(name, Type.Object(properties, { description }))
const always = (description: string) => Enum(['always'], { description })

/** One shape for both variants: `fieldName` tells an existing field from one that the user maps. */
const Field = part('IntegrationField', 'A field that is read.', {
  fieldName: optional(
    text("The provider's name of the field, or a nested one as $['a']['b']. Absent: the user maps it."),
  ),
  mapToName: optional(text('Name of the field in messages.')),
  mapToDisplayName: optional(text('Name of the field that users see.')),
  default: optional(text("The provider's field that is offered first to users who map the field.")),
  prompt: optional(text('The question for users who map the field.')),
})

const ReadObject = part('ReadObject', 'An object that is read.', {
  objectName: text("The provider's name of the object."),
  destination: text('Name of the destination that records are delivered to.'),
  schedule: optional(text('Cron expression of five fields, in UTC. Absent: read only when triggered.')),
  mapToName: optional(text('Name of the object in messages.')),
  mapToDisplayName: optional(text('Name of the object that users see.')),
  requiredFields: optional(Type.Array(Field, { description: 'Fields that every installation reads.' })),
  optionalFields: optional(Type.Array(Field, { description: 'Fields that users may choose.' })),
  optionalFieldsAuto: optional(Enum(['all'], { description: 'Every field of the object may be chosen.' })),
  backfill: optional(
    part('Backfill', 'What is read of the past after an installation.', {
      defaultPeriod: part('BackfillPeriod', 'One of the two is present.', {
        days: optional(Type.Integer({ minimum: 0, description: 'Days into the past; 0 for none.' })),
        fullHistory: optional(Type.Boolean({ description: 'Whether all history is read.' })),
      }),
    }),
  ),
  deletions: optional(
    part('Deletions', 'Deleted records, delivered with `deleted: true`.', {
      enabled: optional(always('Those that the provider reports.')),
      schedule: optional(
        Type.String({ description: 'When those that it does not report are looked for: cron in UTC.' }),
      ),
    }),
  ),
  delivery: optional(
    part('Delivery', 'How records are delivered.', {
      mode: optional(Enum(['onRequest', 'auto'], { description: '`auto` where absent.' })),
      pageSize: optional(Type.Integer({ minimum: 50, maximum: 500, description: 'Records per message at most.' })),
    }),
  ),
  enabled: optional(always('Read for every installation, and installed without asking.')),
})

const WriteObject = part('WriteObject', 'An object that is written.', {
  objectName: text("The provider's name of the object."),
  inheritMapping: optional(Type.Boolean({ description: 'Whether the mapping of the read object applies.' })),
  valueDefaults: optional(
    part('ValueDefaults', 'Values that are set where a write has none.', {
      allowAnyFields: optional(Type.Boolean({ description: 'Whether users may set a default for any field.' })),
    }),
  ),
})

const SubscribeEvent = part('SubscribeEvent', 'A kind of change.', {
  enabled: optional(always('Subscribed for every installation.')),
})

const SubscribeObject = part('SubscribeObject', 'An object whose changes the provider tells.', {
  objectName: text("The provider's name of the object."),
  destination: text('Name of the destination that changes are delivered to.'),
  inheritFieldsAndMapping: optional(
    Type.Boolean({ description: 'Whether fields and mapping are those of the read object.' }),
  ),
  createEvent: optional(SubscribeEvent),
  updateEvent: optional(
    part('UpdateEvent', 'Updates, and the fields that count.', {
      enabled: optional(always('Subscribed for every installation.')),
      watchFieldsAuto: optional(Enum(['all', 'selected'], { description: 'Any field, or those that the user chose.' })),
      requiredWatchFields: optional(Type.Array(Type.String(), { description: 'Fields whose updates count.' })),
    }),
  ),
  deleteEvent: optional(SubscribeEvent),
  associationChangeEvent: optional(
    part('AssociationChangeEvent', 'Changes of associations between records.', {
      enabled: optional(always('Subscribed for every installation.')),
      includeFullRecords: optional(Type.Boolean({ description: 'Whether to include the associated records.' })),
    }),
  ),
  otherEvents: optional(Type.Array(Type.String(), { description: "The provider's own names of further events." })),
})

const WatchedChange = part('WatchedChange', 'A kind of change of the schema.', { enabled: always('Watched.') })

export const Content = Type.Unsafe<IntegrationContent>(
  part('IntegrationContent', 'An integration as the manifest defines it.', {
    name: text('Name, unique in the project.'),
    provider: text('Key of the provider in the catalog.'),
    displayName: optional(text('Name that users see.')),
    module: optional(text("Key of one of the provider's modules.")),
    read: optional(part('ReadIntegration', 'What is read.', { objects: Type.Array(ReadObject) })),
    write: optional(part('WriteIntegration', 'What is written.', { objects: Type.Array(WriteObject) })),
    proxy: optional(
      part('ProxyIntegration', 'Whether requests are passed on to the provider.', {
        enabled: optional(Type.Boolean({ description: 'Whether they are.' })),
        useModule: optional(Type.Boolean({ description: "Whether paths are relative to the module's base URL." })),
      }),
    ),
    subscribe: optional(
      part('SubscribeIntegration', 'What is subscribed to.', { objects: Type.Array(SubscribeObject) }),
    ),
    watchSchema: optional(
      part('WatchSchema', 'Notifies you when the provider’s fields change.', {
        destination: text('Name of the destination that is notified.'),
        schedule: optional(text('Cron expression of five fields, in UTC; `0 */24 * * *` where absent.')),
        allObjects: part('WatchedChanges', 'What is watched of all objects.', {
          fieldCreated: optional(WatchedChange),
          fieldDeleted: optional(WatchedChange),
          fieldChanged: optional(WatchedChange),
        }),
      }),
    ),
  }),
)
