import { Type } from 'typebox'
import { awsHost, endpointUrlProperty, keyRule, readRegion, secretRule } from '../aws.ts'
import type { KindServices, Read } from '../kind.ts'
import { definedSettings, SettingsReader } from '../settings-reader.ts'
import { batchProperties, readBatchSettings } from '../warehouse.ts'
import {
  type LayoutSettings,
  layoutProperties,
  readDeletesOf,
  readLayout,
  readTable,
} from '../warehouse-tables/layout.ts'
import { readNamespace } from '../warehouse-tables/namespace.ts'

export interface RedshiftSettings extends LayoutSettings {
  region: string
  dbName: string
  schemaName?: string
  /** Only with rows of messages. */
  tableName?: string
  /** Of Redshift Serverless. */
  workgroupName?: string
  /** Of a provisioned cluster. */
  clusterIdentifier?: string
  dbUser?: string
  endpointUrl?: string
  accessKeyId: string
  secretAccessKey: string
}

export const properties = {
  region: Type.String({ description: 'AWS region of the workgroup or cluster, such as eu-central-1.' }),
  dbName: Type.String({ description: 'Database of the tables.' }),
  schemaName: Type.String({
    description:
      'Schema of the tables. By default, public. With layout tables and {{groupRef}} at its end, such as crm_{{groupRef}}, a schema for each group, which Mortise creates.',
  }),
  tableName: Type.String({
    description: 'Table of messages, which has the columns created_at and payload. Not with layout tables.',
  }),
  ...layoutProperties,
  workgroupName: Type.String({ description: 'Workgroup of Redshift Serverless. Either this, or clusterIdentifier.' }),
  clusterIdentifier: Type.String({ description: 'Provisioned cluster. Either this, or workgroupName.' }),
  dbUser: Type.String({ description: 'User of the database, for a cluster. By default, the one of the IAM identity.' }),
  endpointUrl: endpointUrlProperty('the Redshift Data API'),
  ...batchProperties,
}

export const secretProperties = {
  accessKeyId: Type.String({ description: 'Id of the access key.' }),
  secretAccessKey: Type.String({ description: 'The secret access key.' }),
}

const nameRule = {
  what: 'a name of 1 to 127 letters, digits, underscores, dollar signs and dashes',
  pattern: /^[\w$-]{1,127}$/,
}
const targetRule = { what: 'a name of 1 to 64 letters, digits and dashes', pattern: /^[A-Za-z0-9-]{1,64}$/ }
const targetRemedy = 'Give workgroupName for Redshift Serverless, or clusterIdentifier for a cluster.'

export function readSettings(
  input: Record<string, unknown>,
  at: string,
  { guard }: Pick<KindServices, 'guard'>,
): Read<RedshiftSettings> {
  const read = new SettingsReader(input, at)
  const layout = readLayout(read)
  const settings = definedSettings<RedshiftSettings>({
    region: readRegion(read),
    dbName: read.text('dbName', { ...nameRule, remedy: 'Give the database of the table.' }),
    schemaName: readNamespace(read, 'schemaName', layout, { ...nameRule, reserved: ['pg_', 'information_'] }),
    tableName: readTable(read, 'tableName', layout, {
      ...nameRule,
      remedy: 'Give the table alone. `schemaName` names its schema.',
    }),
    layout,
    deletes: readDeletesOf(read, layout),
    workgroupName: read.optionalText('workgroupName', { ...targetRule, remedy: targetRemedy }),
    clusterIdentifier: read.optionalText('clusterIdentifier', { ...targetRule, remedy: targetRemedy }),
    dbUser: read.optionalText('dbUser', { what: 'a user of the database', pattern: /^[\w.@$+-]{1,128}$/ }),
    endpointUrl: read.optionalEndpoint(guard, 'Give the endpoint of the Redshift Data API in your VPC.'),
    ...readBatchSettings(read),
    accessKeyId: read.text('accessKeyId', { ...keyRule, remedy: 'Give the id of an access key.' }),
    secretAccessKey: read.text('secretAccessKey', { ...secretRule, remedy: 'Give the secret access key.' }),
  })
  const given = [settings.workgroupName, settings.clusterIdentifier].filter((name) => name !== undefined).length
  if (given !== 1 && read.issues.length === 0)
    read.refuse('workgroupName', 'or clusterIdentifier is required, and not both.', targetRemedy)
  else if (settings.workgroupName !== undefined && settings.dbUser !== undefined)
    read.refuse('dbUser', 'is only for a cluster.', 'Leave it out: a workgroup uses the IAM identity.')
  return { settings, issues: read.issues }
}

/** Where requests go. */
export function dataApiUrl({ endpointUrl, region }: RedshiftSettings): URL {
  return new URL('/', endpointUrl ?? `https://${awsHost('redshift-data', region)}`)
}
