import { Type } from 'typebox'
import { type GoogleCredentials, googleEndpointProperty, projectRule, readGoogleCredentials } from '../google.ts'
import type { KindServices, Read } from '../kind.ts'
import { definedSettings, SettingsReader } from '../settings-reader.ts'
import { type BatchSettings, batchProperties, readBatchSettings } from '../warehouse.ts'

export interface BigQuerySettings extends GoogleCredentials, BatchSettings {
  projectId: string
  datasetId: string
  tableId: string
  endpointUrl?: string
}

export const properties = {
  projectId: Type.String({ description: 'Id of the project of Google Cloud that has the dataset.' }),
  datasetId: Type.String({ description: 'Id of the dataset.' }),
  tableId: Type.String({ description: 'Id of the table, which has the columns id and payload.' }),
  endpointUrl: googleEndpointProperty('BigQuery'),
  ...batchProperties,
}

export function readSettings(
  input: Record<string, unknown>,
  at: string,
  { guard }: Pick<KindServices, 'guard'>,
): Read<BigQuerySettings> {
  const read = new SettingsReader(input, at)
  const settings = definedSettings<BigQuerySettings>({
    projectId: read.text('projectId', projectRule),
    datasetId: read.text('datasetId', {
      what: 'the id of a dataset: 1 to 1,024 letters, digits and underscores',
      pattern: /^\w{1,1024}$/,
      remedy: 'Give the dataset alone, without its project.',
    }),
    tableId: read.text('tableId', {
      what: 'the id of a table: 1 to 1,024 letters, digits, dashes and underscores',
      pattern: /^[\p{L}\p{N}_-]{1,1024}$/u,
      remedy: 'Give the table alone, without its dataset.',
    }),
    endpointUrl: read.optionalUrl('endpointUrl', guard, 'Give the endpoint of BigQuery.'),
    ...readBatchSettings(read),
    credentials: readGoogleCredentials(read, guard),
  })
  return { settings, issues: read.issues }
}

/** Where rows are inserted. */
export function insertUrl({ endpointUrl, projectId, datasetId, tableId }: BigQuerySettings): URL {
  const [project, table] = [projectId, tableId].map(encodeURIComponent)
  const path = `/bigquery/v2/projects/${project}/datasets/${datasetId}/tables/${table}/insertAll`
  return new URL(path, endpointUrl ?? 'https://bigquery.googleapis.com')
}
