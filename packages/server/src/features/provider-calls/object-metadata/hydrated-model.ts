import { type Static, type TProperties, Type } from 'typebox'
import { Enum, MapOf, named, Timestamp } from '../../../kernel/http/index.ts'
import { FieldMetadata } from './model.ts'

/** A revision completed with what the provider says (contract 3.13). */

const text = (description: string) => Type.String({ description })
const optionalText = (description: string) => Type.Optional(text(description))
const part = <P extends TProperties>(name: string, description: string, properties: P) =>
  named(name, Type.Object(properties, { description }))

/** One shape for both variants: without `fieldName` the user maps it. */
const HydratedField = part('HydratedIntegrationField', 'A field that is read.', {
  fieldName: optionalText('The provider’s name of the field. Absent: the user maps it.'),
  displayName: optionalText('Name for people; there for every field with a `fieldName`.'),
  mapToName: optionalText('Name of the field in messages.'),
  mapToDisplayName: optionalText('Name of the field that users see.'),
  default: optionalText('The provider’s field that is offered first to users who map the field.'),
  prompt: optionalText('The question for users who map the field.'),
})
export type HydratedField = Static<typeof HydratedField>

const HydratedObject = part('HydratedIntegrationObject', 'An object that is read.', {
  objectName: text('The provider’s name of the object.'),
  displayName: text('Name for people.'),
  destination: text('Name of the destination that records are delivered to.'),
  schedule: optionalText('Cron expression, in UTC. Absent: read only when triggered.'),
  error: optionalText('Why the provider could not describe this object. Its fields are then those of the manifest.'),
  mapToName: optionalText('Name of the object in messages.'),
  mapToDisplayName: optionalText('Name of the object that users see.'),
  requiredFields: Type.Optional(Type.Array(HydratedField, { description: 'Fields that every installation reads.' })),
  optionalFields: Type.Optional(
    Type.Array(HydratedField, {
      description: 'Fields that users may choose; with `optionalFieldsAuto` all that are not required.',
    }),
  ),
  optionalFieldsAuto: Type.Optional(Enum(['all'], { description: 'Every field may be chosen.' })),
  allFieldsMetadata: Type.Optional(
    MapOf(FieldMetadata, { description: 'The provider’s description of all its fields.' }),
  ),
  allFields: Type.Optional(
    Type.Array(HydratedField, { description: 'Deprecated: all fields of the provider, to map from.' }),
  ),
  backfill: Type.Optional(
    Type.Object(
      {
        defaultPeriod: Type.Object({
          days: Type.Optional(Type.Integer({ minimum: 0, description: 'Days into the past.' })),
          fullHistory: Type.Optional(Type.Boolean({ description: 'Whether all history is read.' })),
        }),
      },
      { description: 'What is read of the past.' },
    ),
  ),
})
export type HydratedObject = Static<typeof HydratedObject>

const HydratedWriteObject = part('HydratedIntegrationWriteObject', 'An object that is written.', {
  objectName: text('The provider’s name of the object.'),
  displayName: text('Name for people.'),
  valueDefaults: Type.Optional(
    Type.Object({
      allowAnyFields: Type.Optional(Type.Boolean({ description: 'Users may set a default for any field.' })),
    }),
  ),
})

export const HydratedRevision = named(
  'HydratedRevision',
  Type.Object({
    id: text('Id of the revision.'),
    specVersion: text('Version of the manifest format.'),
    createTime: Timestamp,
    content: part('HydratedIntegration', 'The integration as it can be configured for one account.', {
      name: text('Name of the integration.'),
      provider: text('Key of the provider.'),
      displayName: optionalText('Name that users see.'),
      module: optionalText('Key of one of the provider’s modules.'),
      read: Type.Optional(Type.Object({ objects: Type.Array(HydratedObject) }, { description: 'What is read.' })),
      write: Type.Optional(
        Type.Object({ objects: Type.Array(HydratedWriteObject) }, { description: 'What is written.' }),
      ),
      proxy: Type.Optional(
        Type.Object(
          {
            enabled: Type.Optional(Type.Boolean({ description: 'Whether requests are passed on.' })),
            useModule: Type.Optional(Type.Boolean({ description: 'Whether to the module’s base URL.' })),
          },
          { description: 'Requests through the proxy.' },
        ),
      ),
    }),
  }),
)
export type HydratedContent = Static<typeof HydratedRevision>['content']
