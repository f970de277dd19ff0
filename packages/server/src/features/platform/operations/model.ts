import { type Static, Type } from 'typebox'
import { Enum, FreeForm, MapOf, named, Timestamp } from '../../../kernel/http/index.ts'

export type OperationStatus = 'in_progress' | 'success' | 'failure'

const Progress = Type.Object(
  {
    installationId: Type.String({ description: 'Id of the installation.' }),
    objectName: Type.String({ description: 'Name of the object.' }),
    operationId: Type.String({ description: 'Id of the operation.' }),
    recordsProcessed: Type.Integer({ description: 'Records read so far.' }),
    recordsEstimatedTotal: Type.Optional(
      Type.Integer({ description: 'Expected number of records, if the provider reports it.' }),
    ),
  },
  { description: 'Progress of a read.' },
)

export const OperationMetadata = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  additionalProperties: true,
  description: 'Further information about the operation.',
  properties: {
    objects: Type.Array(Type.String(), { description: 'Names of the objects.' }),
    retry: FreeForm,
    progress: Progress,
    successfulRecordIds: Type.Array(Type.String(), { description: 'Ids of records that were written.' }),
  },
})

const readTypes = ['backfill', 'scheduled', 'triggered'] as const
export type ReadType = (typeof readTypes)[number]

export const ReadType = Enum([...readTypes], {
  description: 'What started a read. Absent for other operations, and for those of earlier releases.',
})

export const Operation = named(
  'Operation',
  Type.Object({
    id: Type.String({ description: 'Id of the operation.' }),
    projectId: Type.String({ description: 'Id of the project.' }),
    integrationId: Type.String({ description: 'Id of the integration.' }),
    installationId: Type.String({ description: 'Id of the installation.' }),
    configId: Type.String({ description: 'Id of the config that was current when the operation began.' }),
    actionType: Type.String({ description: '`read`, `write`, `proxy` or `tool`.' }),
    readType: Type.Optional(ReadType),
    resource: Type.Optional(Type.String({ description: 'Name of the object.' })),
    status: Enum(['in_progress', 'success', 'failure'], { description: 'Status of the operation.' }),
    result: Type.Optional(
      Type.String({ description: 'The result in one sentence: `[object] text`. Absent while it runs.' }),
    ),
    metadata: Type.Optional(OperationMetadata),
    createTime: Timestamp,
    updateTime: Type.Optional(Timestamp),
  }),
)
export type Operation = Static<typeof Operation>

export const OperationLog = named(
  'Log',
  Type.Object({
    timestamp: Timestamp,
    severity: Enum(['DEBUG', 'INFO', 'WARNING', 'ERROR'], { description: 'How grave it is.' }),
    message: Type.Object(
      {
        msg: Type.String({ description: 'What happened.' }),
        error: Type.Optional(Type.String({ description: 'What went wrong.' })),
        operation_id: Type.Optional(Type.String({ description: 'Id of the operation.' })),
        details: Type.Optional(MapOf(Type.String(), { description: 'Facts about it.' })),
      },
      { additionalProperties: true, description: 'What happened.' },
    ),
  }),
)
export type OperationLog = Static<typeof OperationLog>

export const StreamedLog = named(
  'StreamedLog',
  Type.Object({
    ...OperationLog.properties,
    id: Type.String({ description: 'Id of the line.' }),
    operationId: Type.String({ description: 'Id of the operation.' }),
    installationId: Type.String({ description: 'Id of the installation.' }),
    resource: Type.Optional(Type.String({ description: 'Name of the object.' })),
  }),
)
export type StreamedLog = Static<typeof StreamedLog>
export type LogSeverity = OperationLog['severity']

export const OperationPage = named(
  'OperationPage',
  Type.Object({
    results: Type.Array(Operation, { description: 'Newest first.' }),
    pagination: Type.Object(
      {
        done: Type.Boolean({ description: 'Whether this page is the last. A page that is not may be empty.' }),
        nextPageToken: Type.Optional(
          Type.String({ description: 'Pass as `pageToken` for the next page. Absent on the last.' }),
        ),
      },
      { description: 'How to continue.' },
    ),
  }),
)

export const FoundOperation = named(
  'FoundOperation',
  Type.Object(
    {
      ...Operation.properties,
      groupRef: Type.Optional(
        Type.String({ description: 'Your id of the group. Absent once the installation is deleted.' }),
      ),
    },
    { description: 'An operation in a list of a project.' },
  ),
)

export const FoundOperationPage = named(
  'FoundOperationPage',
  Type.Object({
    ...OperationPage.properties,
    results: Type.Array(FoundOperation, { description: 'Newest first.' }),
    examinedTime: Type.Optional({
      ...Timestamp,
      description: 'The search came to operations of this time. Absent if this page is full, or the last.',
    }),
  }),
)
