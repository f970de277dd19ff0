import type { BigQuery } from '@google-cloud/bigquery'
import { apiUrl, type BigQuerySettings } from './settings.ts'

/** Opens a client for the requests of one `send`. It sends nothing but by `askGoogle`. */
export async function openClient(settings: BigQuerySettings): Promise<BigQuery> {
  const { BigQuery: Client } = await import('@google-cloud/bigquery')
  const { origin } = apiUrl(settings)
  const client = new Client({ projectId: settings.projectId, apiEndpoint: origin })
  // BIGQUERY_EMULATOR_HOST would replace it.
  client.baseUrl = `${origin}/bigquery/v2`
  return client
}
