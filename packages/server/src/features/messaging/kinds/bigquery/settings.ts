import { Type } from 'typebox'
import { type GoogleCredentials, googleEndpointProperty, projectRule, readGoogleCredentials } from '../google.ts'
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

export interface BigQuerySettings extends GoogleCredentials, LayoutSettings {
  projectId: string
  datasetId: string
  /** Only with rows of messages. */
  tableId?: string
  endpointUrl?: string
}

export const properties = {
  projectId: Type.String({ description: 'Id of the project of Google Cloud that has the dataset.' }),
  datasetId: Type.String({
    description:
      'Id of the dataset. With layout tables and {{groupRef}} at its end, such as crm_{{groupRef}}, a dataset for each group, which Mortise creates.',
  }),
  tableId: Type.String({
    description: 'Id of the table of messages, which has the columns id and payload. Not with layout tables.',
  }),
  ...layoutProperties,
  endpointUrl: googleEndpointProperty('BigQuery'),
  ...batchProperties,
}

export function readSettings(
  input: Record<string, unknown>,
  at: string,
  { guard }: Pick<KindServices, 'guard'>,
): Read<BigQuerySettings> {
  const read = new SettingsReader(input, at)
  const layout = readLayout(read)
  const settings = definedSettings<BigQuerySettings>({
    projectId: read.text('projectId', projectRule),
    datasetId:
      readNamespace(read, 'datasetId', layout, {
        what: 'the id of a dataset: 1 to 1,024 letters, digits and underscores',
        pattern: /^\w{1,1024}$/,
        remedy: 'Give the dataset alone, without its project.',
        isRequired: true,
        // BigQuery hides datasets whose names begin with an underscore.
        reserved: ['_', 'information_'],
      }) ?? '',
    tableId: readTable(read, 'tableId', layout, {
      what: 'the id of a table: 1 to 1,024 letters, digits, dashes and underscores',
      pattern: /^[\p{L}\p{N}_-]{1,1024}$/u,
      remedy: 'Give the table alone, without its dataset.',
    }),
    layout,
    deletes: readDeletesOf(read, layout),
    endpointUrl: read.optionalEndpoint(guard, 'Give the endpoint of BigQuery.'),
    ...readBatchSettings(read),
    credentials: readGoogleCredentials(read, guard),
  })
  return { settings, issues: read.issues }
}

/** A path of the API below the project. */
export function apiUrl({ endpointUrl, projectId }: BigQuerySettings, ...path: string[]): URL {
  const below = ['projects', projectId, ...path].map(encodeURIComponent).join('/')
  return new URL(`/bigquery/v2/${below}`, endpointUrl ?? 'https://bigquery.googleapis.com')
}
