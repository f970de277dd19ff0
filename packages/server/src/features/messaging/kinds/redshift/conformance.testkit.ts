import { isDeepStrictEqual } from 'node:util'
import { awsCredentials, awsFailures, awsSecret, refusalOfSignature } from '../aws.testkit.ts'
import type { KindHarness } from '../conformance.testkit.ts'
import {
  confirmedFailures,
  isBad,
  retried,
  startHttpTarget,
  type TargetAnswer,
  type TargetRequest,
} from '../http-target.testkit.ts'
import { startRedshiftTables, tablesFailures, tablesSettings } from './tables-target.testkit.ts'

const metadata = {
  region: 'eu-central-1',
  dbName: 'crm',
  schemaName: 'mortise',
  tableName: 'messages-1',
  layout: 'messages',
  clusterIdentifier: 'crm-cluster',
  dbUser: 'mortise',
  batchSize: 2,
  maxWaitSecs: 30,
}
const database = { Database: 'crm', ClusterIdentifier: 'crm-cluster', DbUser: 'mortise' }
const keys = { accessKeyId: awsCredentials.awsKeyId, secretAccessKey: awsSecret }

interface Statement {
  Sql: string
  Parameters: { name: string; value: string }[]
  ClientToken: string
  WaitTimeSeconds: number
}

const invalid = { status: 400, body: '{"__type":"ValidationException"}' }

/** Runs each second statement later than an answer waits for. */
function createRedshift() {
  const statements = new Map<string, { looks: number; payloads: string[] }>()
  const submit = ({ Sql, Parameters, ClientToken, WaitTimeSeconds, ...target }: Statement) => {
    const values = new Map(Parameters.map(({ name, value }) => [`:${name}`, value]))
    const rows = [...Sql.matchAll(/\((:t\d+), (:p\d+)\)/g)].map(([, time = '', payload = '']) => ({
      time: values.get(time) ?? '',
      payload: values.get(payload) ?? '',
    }))
    const isKnown =
      Sql.startsWith('INSERT INTO "mortise"."messages-1" (created_at, payload) VALUES (:t0, :p0)') &&
      isDeepStrictEqual(target, database) &&
      /^[0-9a-f]{64}$/.test(ClientToken) &&
      WaitTimeSeconds === 20 &&
      rows.length * 2 === Parameters.length &&
      rows.length <= metadata.batchSize &&
      rows.every(({ time, payload }) => /^\d{4}-\d\d-\d\d [\d:.]+$/.test(time) && payload !== '')
    if (!isKnown) return invalid
    // The same token is the same statement.
    const id = `id-${ClientToken}`
    const looks = statements.size % 2
    if (!statements.has(id)) statements.set(id, { looks, payloads: rows.map(({ payload }) => payload) })
    return describe({ Id: id })
  }
  const describe = ({ Id }: { Id: string }): TargetAnswer => {
    const found = statements.get(Id)
    if (!found) return { status: 400, body: '{"__type":"ResourceNotFoundException"}' }
    found.looks++
    const known = { Id, CreatedAt: 1.79e9 }
    if (found.looks < 2) return { status: 200, body: JSON.stringify({ ...known, Status: 'STARTED' }) }
    const received = found.payloads.map((body) => ({ id: '', body, headers: {} }))
    if (received.some(isBad))
      return {
        status: 200,
        body: JSON.stringify({ ...known, Status: 'FAILED', Error: 'ERROR: value too long for type' }),
      }
    return { status: 200, received, body: JSON.stringify({ ...known, Status: 'FINISHED' }) }
  }
  return async (request: TargetRequest) => {
    const refusal = await refusalOfSignature(
      request,
      { service: 'redshift-data', region: 'eu-central-1' },
      { awsKeyId: keys.accessKeyId, awsSecretKey: keys.secretAccessKey },
    )
    if (refusal) return refusal
    if (request.path !== '/' || request.headers['content-type'] !== 'application/x-amz-json-1.1') return invalid
    const body = JSON.parse(request.body.toString()) as Statement & { Id: string }
    const operation = request.headers['x-amz-target']
    if (operation === 'RedshiftData.ExecuteStatement') return submit(body)
    return operation === 'RedshiftData.DescribeStatement' ? describe(body) : invalid
  }
}

const failures = {
  ...awsFailures,
  'returns no id': { status: 200, body: '{"CreatedAt":1}' },
  'ends as failed': { status: 200, body: '{"Id":"x","Status":"FAILED","Error":"ERROR: relation does not exist"}' },
  'ends as nothing': { status: 200, body: '{"Id":"x","Status":"UNKNOWN"}' },
}

export const harness: KindHarness = {
  refusesBad: true,
  isUnsigned: true,
  hasNoIds: true,
  excluded: ['workgroupName', 'deletes'],
  settingsFor: (host, port) => ({ ...metadata, endpointUrl: `https://${host}:${port}/`, ...keys }),
  wrong: {
    input: {
      region: 'x',
      dbName: 'a b',
      schemaName: '"',
      tableName: 'a.b',
      layout: 'rows',
      workgroupName: '_',
      clusterIdentifier: 7,
      dbUser: 'a b',
      endpointUrl: 'ftp://example.com',
      batchSize: '2',
      maxWaitSecs: 3_601,
      accessKeyId: 'short',
      secretAccessKey: 5,
    },
    names: [
      ...['layout', 'region', 'dbName', 'schemaName', 'tableName', 'workgroupName', 'clusterIdentifier', 'dbUser'],
      ...['endpointUrl', 'batchSize', 'maxWaitSecs', 'accessKeyId', 'secretAccessKey'],
    ],
  },
  failures: { ...confirmedFailures, ...retried(failures) },
  start: () =>
    startHttpTarget({
      settings: (port) => ({ ...metadata, endpointUrl: `http://127.0.0.1:${port}/`, ...keys }),
      secret: awsSecret,
      answer: createRedshift(),
      failures,
    }),
}

export const tablesHarness: KindHarness = {
  ...harness,
  storesOnce: true,
  hasNoIds: false,
  excluded: ['workgroupName', 'tableName'],
  settingsFor: (host, port) => ({
    ...tablesSettings.metadata,
    endpointUrl: `https://${host}:${port}/`,
    ...tablesSettings.keys,
  }),
  failures: { ...confirmedFailures, ...retried(tablesFailures) },
  start: startRedshiftTables,
}
