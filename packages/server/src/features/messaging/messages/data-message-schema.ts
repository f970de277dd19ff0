import { type TProperties, Type } from 'typebox'
import { Enum, FreeForm, MapOf, named } from '../../../kernel/http/index.ts'

/** Schemas of the bodies that receivers get, as `data-message.ts` writes them. */

const text = (description: string) => Type.String({ description })
const time = (description: string) => Type.String({ format: 'date-time', description })
const free = (description: string) => Type.Unsafe<Record<string, unknown>>({ ...FreeForm, description })
const optional = Type.Optional

const header = {
  projectId: text('Id of the project.'),
  provider: text('Name of the provider.'),
  groupRef: text('Your id of the group whose account this is.'),
  groupName: text('Name of the group.'),
  consumerRef: text('Your id of the person who connected the account.'),
  consumerName: text('Name of that person.'),
  installationId: text('Id of the installation.'),
  installationUpdateTime: time('When the config of the installation was changed last.'),
  objectName: text('Name of the object: the mapped one where the object has one, else the provider’s.'),
  rawObjectName: optional(text('The provider’s name of the object.')),
  workspace: optional(text('The workspace of the account, where the provider has workspaces.')),
}

const resultInfo = Type.Object(
  {
    type: Enum(['inline', 'url'], {
      description: '`inline`: `result` has the records. `url`: download them from `downloadUrl`.',
    }),
    numRecords: Type.Integer({ minimum: 0, description: 'How many there are.' }),
    downloadUrl: optional(
      Type.String({
        format: 'uri',
        description: 'With `url`: where to GET the JSON array of the records, without an API key, within 15 minutes.',
      }),
    ),
  },
  { description: 'How the result is handed over.' },
)

const record: TProperties = {
  fields: optional(free('Requested fields that are not mapped, by the provider’s names in lowercase.')),
  mappedFields: optional(free('Mapped fields, by the names that they are mapped to.')),
  raw: optional(free('The record as the provider gave it.')),
}

const association = named(
  'Association',
  Type.Object(
    {
      id: optional(text('Id of the associated record at the provider.')),
      objectName: optional(text('Name of its object.')),
      rawObjectName: optional(text('The provider’s name of its object.')),
      ...record,
      providerAssociationMetadata: optional(free('What the provider says about the association.')),
    },
    { description: 'A record that the record of an entry belongs with.' },
  ),
)

const associatedRecord = named(
  'AssociatedRecord',
  Type.Object(
    {
      id: text('Id of the record at the provider.'),
      objectName: optional(text('Name of its object.')),
      rawObjectName: optional(text('The provider’s name of its object.')),
      ...record,
    },
    { description: 'One side of an association that changed.' },
  ),
)

/** Schema of one record, or of one event about one. */
export const resultEntry = named(
  'ResultEntry',
  Type.Object(
    {
      ...record,
      associations: optional(
        MapOf(Type.Array(association), { description: 'Associated records by the name of the association.' }),
      ),
      subscribeEventType: optional(
        Enum(['create', 'update', 'associationUpdate', 'delete', 'other'], {
          description: 'Of an event: what happened to the record.',
        }),
      ),
      providerEventType: optional(text('Of an event: the provider’s name for it.')),
      rawEvent: optional(free('Of an event: the event as the provider sent it.')),
      id: optional(text('Id of the record at the provider, where it has one.')),
      deleted: optional(
        Type.Literal(true, {
          description: 'Of a read with `deletions`: the provider reports that the record is deleted.',
        }),
      ),
      fieldsUpdated: optional(Type.Array(Type.String(), { description: 'Of an update: the fields that changed.' })),
      fromRecord: optional(associatedRecord),
      toRecord: optional(associatedRecord),
    },
    { description: 'One record, or one event about one. A field is either in `fields` or in `mappedFields`.' },
  ),
)

/** Schema of messages with records: reads and events of providers. */
export const dataMessageSchema = named(
  'DataMessage',
  Type.Object(
    {
      action: Enum(['read', 'subscribe'], { description: 'What brought the records: a read, or events.' }),
      ...header,
      operationId: optional(text('Of a read: id of its operation.')),
      operationTime: optional(time('When the operation began.')),
      readType: optional(Enum(['backfill', 'scheduled', 'triggered'], { description: 'For a read: its cause.' })),
      resultInfo,
      result: optional(Type.Array(resultEntry, { description: 'The records, where they are inline.' })),
    },
    { description: 'Records of one object of one installation, as webhooks are sent them: at most 300 KB.' },
  ),
)

/** A field in messages and in the history of changes. */
export const WatchedField = named(
  'WatchedField',
  Type.Object(
    {
      fieldName: text('The provider’s name of the field.'),
      displayName: optional(text('Its name for people.')),
      valueType: optional(text('The kind of its values, as in FieldMetadata.')),
      providerType: optional(text('The provider’s own name of that kind.')),
      isCustom: optional(Type.Boolean({ description: 'Whether it was added to the account.' })),
      readOnly: optional(Type.Boolean({ description: 'Whether it cannot be written.' })),
    },
    { description: 'A field of an object, as it was seen.' },
  ),
)

/** The changes, by kind. */
export const fieldChanges = {
  createdFields: optional(Type.Array(WatchedField, { description: 'Fields that are new.' })),
  deletedFields: optional(Type.Array(WatchedField, { description: 'Fields that were deleted.' })),
  changedFields: optional(
    Type.Array(
      Type.Object({ oldSchema: WatchedField, newSchema: WatchedField }, { description: 'The field before and after.' }),
      { description: 'Fields whose type, label or description changed.' },
    ),
  ),
}

/** Schema of messages about changes of an object's fields. */
export const schemaWatchMessageSchema = named(
  'SchemaWatchMessage',
  Type.Object(
    {
      action: Enum(['schema.watch'], { description: 'Always `schema.watch`.' }),
      ...header,
      resultInfo,
      result: Type.Object(
        {
          ...fieldChanges,
        },
        { description: 'Changes by kind. Has only the kinds that the manifest watches.' },
      ),
    },
    { description: 'How the fields of one object of one account changed.' },
  ),
)
