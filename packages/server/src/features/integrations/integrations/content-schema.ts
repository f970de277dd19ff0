import { agentActions, agentConfirmations, type IntegrationContent } from '@mortise/manifest'
import { toolMethods } from '@mortise/providers'
import { type TProperties, type TSchema, Type } from 'typebox'
import { Enum, FreeForm, named } from '../../../kernel/http/index.ts'

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

const fieldNames = (description: string) => optional(Type.Array(Type.String(), { description }))
const whole = (description: string) => optional(Type.Integer({ description }))
const dryRun = optional(Type.Boolean({ description: 'Whether writes are only checked, and not sent.' }))
const confirmation = (description: string) => optional(Enum([...agentConfirmations], { description }))
const confirm = confirmation(
  '`approval`: a person of yours approves each call. `user`: the user of the MCP client confirms it.',
)

const AgentObject = part('AgentObject', 'An object that agents may use.', {
  objectName: text("The provider's name of the object."),
  actions: Type.Array(Enum([...agentActions]), { description: 'What agents may do with its records.' }),
  description: optional(text('What the object is, for agents.')),
  hiddenFields: fieldNames('Fields that agents can neither read nor write nor use as a condition.'),
  maskedFields: fieldNames('Fields whose values agents do not see.'),
  readOnlyFields: fieldNames('Fields that agents do not write.'),
  filters: optional(
    Type.Array(
      part('AgentFilter', 'A condition that applies to each call.', {
        fieldName: text('The field, by either name.'),
        value: text('The value; may have `{{consumer}}` and `{{group}}`.'),
      }),
      { description: 'Agents reach no other records.' },
    ),
  ),
  confirm: optional(
    part('AgentConfirm', 'Actions whose calls a person of yours approves, or the user of the MCP client confirms.', {
      create: confirmation('New records.'),
      update: confirmation('Changes of records.'),
      delete: confirmation('Deletions of records.'),
    }),
  ),
  dryRun,
})

const free = (description: string) => optional(Type.Unsafe<Record<string, unknown>>({ ...FreeForm, description }))

const AgentTool = part('AgentTool', 'A request to the provider that agents may make.', {
  name: text('Name for models.'),
  description: text('What it does, for models.'),
  inputSchema: free('JSON Schema of the arguments. Absent: there are none.'),
  request: part('AgentToolRequest', 'The request. Texts are templates.', {
    method: optional(Enum([...toolMethods], { description: 'HTTP method; `GET` where absent.' })),
    path: text('Path below the base URL of the provider.'),
    query: free('Query parameters.'),
    headers: free('Request headers.'),
    body: optional(Type.Unknown({ description: 'Body.' })),
    encoding: optional(Enum(['form'], { description: 'JSON where absent.' })),
  }),
  result: optional(
    part('AgentToolResult', 'What agents get of the answer.', {
      path: optional(text('Path of the result in the answer; the whole answer where absent.')),
      fields: fieldNames('Fields to keep.'),
      hiddenFields: fieldNames('Fields to leave out, at any depth.'),
      maskedFields: fieldNames('Fields whose values agents do not see, at any depth.'),
    }),
  ),
  readOnly: optional(Type.Boolean({ description: 'Whether it changes nothing. Absent: only GET and HEAD do not.' })),
  confirm,
  dryRun,
})

const AgentProviderTool = part('AgentProviderTool', 'A tool of the provider’s MCP server that agents may call.', {
  toolName: text('Name of the tool, as the server names it.'),
  digest: text('Digest of the definition that the builder has read.'),
  description: optional(text('What the tool does, for agents, in place of the provider’s words.')),
  readOnly: optional(Type.Boolean({ description: 'Whether the tool changes nothing in the account.' })),
  arguments: optional(
    Type.Array(
      part('AgentToolArgument', 'A rule for an argument: `value`, `values` or `hidden`.', {
        argumentName: text('Name of the argument.'),
        value: optional(text('What Mortise sends; may have `{{consumer}}` and `{{group}}`.')),
        values: optional(Type.Array(Type.String(), { description: 'The values that agents may send.' })),
        hidden: optional(Type.Boolean({ description: 'Whether agents cannot send the argument.' })),
      }),
      { description: 'Rules for arguments.' },
    ),
  ),
  hiddenFields: fieldNames('Fields of JSON results that agents do not get.'),
  maskedFields: fieldNames('Fields of JSON results whose values agents do not see.'),
  confirm,
  dryRun,
})

const Agent = part('AgentIntegration', 'What agents may do. Absent: nothing.', {
  objects: Type.Array(AgentObject, { description: 'Empty if there are only other tools.' }),
  tools: optional(Type.Array(AgentTool, { description: 'Your own tools.' })),
  providerTools: optional(Type.Array(AgentProviderTool, { description: 'Tools of the provider’s MCP server.' })),
  limits: optional(
    part('AgentLimits', 'Limits of the calls of one group.', {
      callsPerMinute: whole('Calls in a minute; 60 where absent.'),
      recordsPerCall: whole('Records in a result; 25 where absent.'),
      resultBytes: whole('Largest result, in bytes; 32,000 where absent.'),
    }),
  ),
  approvalHours: whole('Hours until a request for approval expires; 24 where absent.'),
  dryRun,
})

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
    agent: optional(Agent),
  }),
)
