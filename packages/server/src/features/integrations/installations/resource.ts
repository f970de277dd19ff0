import type { IntegrationContent, ReadObject } from '@mortise/manifest'
import { type Static, Type } from 'typebox'
import { audited, Enum, FreeForm, named, Timestamp } from '../../../kernel/http/index.ts'
import { Connection, type ConnectionRow, connectionResource } from '../../accounts/connections/index.ts'
import { Group } from '../../accounts/consumers/index.ts'
import { MissingScope } from '../integrations/index.ts'
import { answeredContent, type ConfigContent } from './content.ts'

export type HealthStatus = 'healthy' | 'unhealthy'

/** Schemas of installations, and the conversion from rows to resources. */

export const Config = named(
  'Config',
  Type.Object({
    id: audited(Type.String({ description: 'Id of this version of the config.' })),
    revisionId: audited(Type.String({ description: 'The revision that was current when the config was saved.' })),
    createTime: Timestamp,
    createdBy: Type.String({ description: '`builder:{id}`, unless the caller gave another.' }),
    content: Type.Unsafe<Record<string, unknown>>({
      ...FreeForm,
      description: 'What was chosen; what is absent is inherited from the manifest.',
    }),
  }),
)

export const Installation = named(
  'Installation',
  Type.Object({
    id: audited(Type.String({ description: 'Id of the installation.' })),
    projectId: Type.String({ description: 'Id of the project.' }),
    integrationId: audited(Type.String({ description: 'Id of the integration that is installed.' })),
    healthStatus: Enum(['healthy', 'unhealthy'], {
      description:
        '`unhealthy` while its credential is refused, a backfill failed, a read is paused after repeated failures, or its subscription cannot be set up.',
    }),
    missingScopes: Type.Optional(
      Type.Array(MissingScope, {
        description:
          'Extension: OAuth scopes that its objects need and the account did not grant. Absent if none is missing or nothing is known, and in lists unless `includeMissingScopes` is set.',
      }),
    ),
    healthReasons: Type.Optional(
      Type.Array(Type.String(), { description: 'Why it is unhealthy, in sentences. Absent while it is healthy.' }),
    ),
    lastOperationStatus: Type.Optional(
      Enum(['success', 'failure', 'in_progress'], { description: 'Status of its newest operation.' }),
    ),
    connection: Connection,
    group: Group,
    createTime: Timestamp,
    createdBy: Type.String({ description: '`consumer:{consumerRef}` of the person who connected the account.' }),
    updateTime: Type.Optional(Timestamp),
    config: Config,
  }),
)
export type Installation = Static<typeof Installation>

/** An installation joined with its connection, group, consumer and config. */
export interface InstallationRow extends ConnectionRow {
  id: string
  integration_id: string
  health_status: HealthStatus
  health_reasons: string[] | null
  last_operation_status: 'success' | 'failure' | 'in_progress' | null
  created_by: string
  create_time: Date
  update_time: Date | null
  config_id: string
  config_revision_id: string
  config_content: ConfigContent
  config_created_by: string
  config_create_time: Date
}

/** An installation with its contents, as other features use it. */
export interface InstallationRecord {
  id: string
  projectId: string
  integrationId: string
  integrationName: string
  connectionId: string
  configId: string
  provider: string
  groupRef: string
  groupName: string
  consumerRef: string
  consumerName: string
  createTime: Date
  updateTime: Date | undefined
  /** Module of the provider in the latest revision. */
  module: string | undefined
  latestRevisionId: string
  /** Content of the latest revision. */
  integration: IntegrationContent
  /** Objects that the latest revision removed and that are still read here, by their last definition. */
  removedReadObjects: ReadObject[]
  /** Content of the current config. */
  content: ConfigContent
  row: InstallationRow
}

/** Converts a row to the resource in a response. */
export function installationResource(row: InstallationRow, missing?: MissingScope[]): Installation {
  const connection = connectionResource(row)
  return {
    id: row.id,
    projectId: row.project_id,
    integrationId: row.integration_id,
    healthStatus: row.health_status,
    ...(missing && { missingScopes: missing }),
    ...(row.health_reasons && row.health_reasons.length > 0 && { healthReasons: row.health_reasons }),
    ...(row.last_operation_status !== null && { lastOperationStatus: row.last_operation_status }),
    connection,
    group: connection.group,
    createTime: row.create_time,
    createdBy: row.created_by,
    ...(row.update_time && { updateTime: row.update_time }),
    config: {
      id: row.config_id,
      revisionId: row.config_revision_id,
      createTime: row.config_create_time,
      createdBy: row.config_created_by,
      content: answeredContent(row.config_content),
    },
  }
}
