import type { KindHarness } from '../conformance.testkit.ts'
import {
  createGoogle,
  googleCredentials,
  googleFailures,
  googleSecret,
  googleTokenFailures,
} from '../google.testkit.ts'
import { confirmedFailures, isBad, retried, startHttpTarget, type TargetRequest } from '../http-target.testkit.ts'
import { startBigQueryTables, tablesFailures, tablesMetadata } from './tables-target.testkit.ts'

const settings = {
  projectId: 'example.com:crm-events',
  datasetId: 'mortise',
  tableId: 'messages-1',
  layout: 'messages',
  batchSize: 2,
  maxWaitSecs: 30,
}

interface Rows {
  skipInvalidRows: boolean
  rows: { insertId: string; json: { id: string; payload: string } }[]
}

const kind = 'bigquery#tableDataInsertAllResponse'

function insert({ method, path, headers, body }: TargetRequest) {
  const isKnown =
    method === 'POST' &&
    path ===
      '/bigquery/v2/projects/example.com:crm-events/datasets/mortise/tables/messages-1/insertAll?prettyPrint=false' &&
    headers['content-type'] === 'application/json'
  if (!isKnown) return { status: 404, body: '{"error":{"code":404,"status":"NOT_FOUND"}}' }
  const { skipInvalidRows, rows, ...others } = JSON.parse(body.toString()) as Rows
  const isWhole =
    skipInvalidRows &&
    rows.length <= settings.batchSize &&
    Object.keys(others).length === 0 &&
    rows.every(({ insertId, json }) => insertId === json.id && Object.keys(json).join() === 'id,payload')
  if (!isWhole) return { status: 400, body: '{"error":{"code":400,"status":"INVALID_ARGUMENT"}}' }
  const messages = rows.map(({ json }) => ({ id: json.id, body: json.payload, headers: {} }))
  const insertErrors = messages.flatMap((message, index) =>
    isBad(message) ? [{ index, errors: [{ reason: 'invalid', location: 'payload', message: 'too long' }] }] : [],
  )
  return {
    status: 200,
    received: messages.filter((message) => !isBad(message)),
    body: JSON.stringify({ kind, ...(insertErrors.length > 0 && { insertErrors }) }),
  }
}

const failures = {
  ...googleFailures,
  'has no such table': { status: 404, body: '{"error":{"code":404,"status":"NOT_FOUND"}}' },
  'confirms another thing': { status: 200, body: '{"kind":"bigquery#job"}' },
  'refuses the row': {
    status: 200,
    body: JSON.stringify({ kind, insertErrors: [{ index: 0, errors: [{ reason: 'stopped' }] }] }),
  },
  'refuses a row by a text': {
    status: 200,
    body: JSON.stringify({ kind, insertErrors: [{ index: '0', errors: [{ reason: 'stopped' }] }] }),
  },
  'refuses a row that was not sent': {
    status: 200,
    body: JSON.stringify({ kind, insertErrors: [{ index: 7, errors: [{ reason: 'stopped' }] }] }),
  },
  'has an error that is none': { status: 200, body: JSON.stringify({ kind, insertErrors: ['stopped'] }) },
  'has errors that are no list': { status: 200, body: JSON.stringify({ kind, insertErrors: 'none' }) },
}

export const harness: KindHarness = {
  refusesBad: true,
  excluded: ['deletes'],
  isUnsigned: true,
  settingsFor: (host, port) => ({
    ...settings,
    endpointUrl: `https://${host}:${port}/`,
    credentials: googleCredentials(),
  }),
  wrong: {
    input: {
      projectId: 5,
      datasetId: 'a.b',
      tableId: 'a/b',
      layout: 'Tables',
      endpointUrl: 'ftp://example.com',
      batchSize: 0,
      maxWaitSecs: 'x',
      credentials: 'key.json',
    },
    names: ['layout', 'projectId', 'datasetId', 'tableId', 'endpointUrl', 'batchSize', 'maxWaitSecs', 'credentials'],
  },
  failures: { ...confirmedFailures, ...retried({ ...failures, ...googleTokenFailures }) },
  start() {
    const google = createGoogle('https://www.googleapis.com/auth/bigquery.insertdata')
    return startHttpTarget({
      settings: (port) => ({
        ...settings,
        endpointUrl: `http://127.0.0.1:${port}/`,
        credentials: googleCredentials(`http://127.0.0.1:${port}/token`),
      }),
      secret: googleSecret,
      answer: async (request) => (await google.gate(request)) ?? insert(request),
      failures,
      tokenFailures: googleTokenFailures,
    })
  },
}

export const tablesHarness: KindHarness = {
  ...harness,
  storesOnce: true,
  excluded: ['tableId'],
  settingsFor: (host, port) => ({
    ...tablesMetadata,
    endpointUrl: `https://${host}:${port}/`,
    credentials: googleCredentials(),
  }),
  failures: { ...confirmedFailures, ...retried(tablesFailures) },
  start: startBigQueryTables,
}
