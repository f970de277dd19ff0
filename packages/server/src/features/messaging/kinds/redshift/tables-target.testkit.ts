import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type pg from 'pg'
import { awsCredentials, awsFailures, awsSecret, refusalOfSignature } from '../aws.testkit.ts'
import type { TargetAnswer, TargetRequest } from '../http-target.testkit.ts'
import {
  isSqlError,
  type Played,
  type PlayedDatabase,
  refusing,
  startWarehouseTarget,
  type WarehouseTarget,
} from '../warehouse-tables/warehouse-target.testkit.ts'

const metadata = {
  region: 'eu-central-1',
  dbName: 'crm',
  schemaName: 'Mortise',
  layout: 'tables',
  deletes: 'soft',
  clusterIdentifier: 'crm-cluster',
  dbUser: 'mortise',
  batchSize: 2,
  maxWaitSecs: 30,
}
const database = { Database: 'crm', ClusterIdentifier: 'crm-cluster', DbUser: 'mortise' }
const keys = { accessKeyId: awsCredentials.awsKeyId, secretAccessKey: awsSecret }

interface Submitted {
  Sql?: string
  Sqls?: string[]
  Parameters?: { name: string; value: string }[]
  SessionId?: string
  SessionKeepAliveSeconds?: number
  WaitTimeSeconds?: number
  /** Of the client: each call has another. */
  ClientToken?: string
  [name: string]: unknown
}

const name = '"(?:[^"]|"")+"'
/** The schema of the settings, or one of a group, in lower case. */
const target = String.raw`"(?:mortise|crm_[a-z0-9_]+)"\.${name}`
const removals = target.replace(name, '"_mortise_deleted"')
/** Everything that is sent, as a whole. */
const forms = [
  `CREATE TABLE IF NOT EXISTS ${target} \\((?:\\w+ (?:VARCHAR\\(\\d+\\)|TIMESTAMPTZ|SUPER)(?: NOT NULL)?, )+(?:\\w+ SUPER(?: NOT NULL)?, )?PRIMARY KEY \\([\\w, ]+\\)\\)`,
  `ALTER TABLE ${target} ADD COLUMN ${name} (?:BOOLEAN|BIGINT|DOUBLE PRECISION|DATE|TIMESTAMPTZ|VARCHAR\\(65535\\)|SUPER)`,
  `COMMENT ON COLUMN ${target}\\.${name} IS '[\\w %.:-]+'`,
  'DROP TABLE IF EXISTS mortise_staged',
  'CREATE TEMP TABLE mortise_staged \\(r SUPER\\)',
  'INSERT INTO mortise_staged VALUES (?:\\(JSON_PARSE\\(:r\\d+\\)\\)(?:, |$))+',
  `LOCK TABLE ${target}`,
  'CREATE TEMP TABLE mortise_rows AS SELECT .+ FROM mortise_staged s',
  `UPDATE ${target} SET .+ FROM mortise_rows WHERE .+`,
  `DELETE FROM mortise_rows USING ${removals} WHERE ${removals}\\.record = mortise_rows\\.k_record AND ${removals}\\.message >= mortise_rows\\.v_message`,
  `DELETE FROM ${target} USING mortise_rows WHERE .+ AND ${target}\\._mortise_message < mortise_rows\\.v_message`,
  `DELETE FROM ${removals} WHERE deleted_at < '[\\dT:.+-]+'::TIMESTAMPTZ`,
  `INSERT INTO ${target} \\(.+\\) SELECT .+ FROM mortise_rows LEFT JOIN .+ IS NULL`,
  'DROP TABLE mortise_(?:rows|staged)',
  'SELECT a\\.attname, format_type.+ ORDER BY a\\.attnum',
  'CREATE SCHEMA IF NOT EXISTS "crm_[a-z0-9_]+"',
  'SELECT n\\.nspname FROM pg_namespace n WHERE n\\.nspname = :schema',
  "SELECT current_database\\(\\), CASE WHEN has_database_privilege\\(current_database\\(\\), 'create'\\) .+",
  'SELECT n\\.nspname, CASE WHEN has_schema_privilege.+ = :schema',
].map((form) => new RegExp(`^(?:${form})$`, 's'))

const invalid: TargetAnswer = { status: 400, body: '{"__type":"ValidationException","Message":"invalid"}' }
const missing: TargetAnswer = { status: 400, body: '{"__type":"ResourceNotFoundException"}' }
const failures = {
  ...awsFailures,
  'returns no id': { status: 200, body: '{"CreatedAt":1}' },
  'returns no session': { status: 200, body: '{"Id":"x","Status":"FINISHED"}' },
  'ends as failed': { status: 200, body: '{"Id":"x","Status":"FAILED","Error":"ERROR: permission denied"}' },
  'ends as nothing': { status: 200, body: '{"Id":"x","Status":"UNKNOWN"}' },
}

/** Redshift writes times to its users as this does, and PostgreSQL nearly takes its statements. */
function translated(sql: string): string {
  return sql.replaceAll(/s\.r\.(\w+)::VARCHAR\(65535\)/g, "(s.r->>'$1')::VARCHAR(65535)")
}

function createRedshift(sessions: Map<string, pg.Client>): Played['answer'] {
  const statements = new Map<
    string,
    { looks: number; isSlow: boolean; error?: string; rows: Record<string, unknown>[] }
  >()
  const execute = async (client: pg.Client, sql: string, values: Map<string, string>) => {
    if (Buffer.byteLength(sql) > 100_000 || !forms.some((form) => form.test(sql))) throw new Error(`unknown: ${sql}`)
    const used: string[] = []
    const text = translated(sql).replaceAll(/(?<!:):([a-z]\w*)\b/g, (whole, parameter: string) => {
      const value = values.get(parameter)
      if (value === undefined) return whole
      used.push(value)
      return `$${used.length}::text`
    })
    if (used.length !== values.size) throw new Error('a parameter is not used')
    const { rows } = await client.query<Record<string, unknown>>({ text, values: used })
    const [, created] = /^CREATE TABLE IF NOT EXISTS (\S+)/.exec(sql) ?? []
    if (created !== undefined) await client.query(refusing(created))
    return rows
  }
  const run = async (client: pg.Client, sqls: string[], values: Map<string, string>) => {
    let rows: Record<string, unknown>[] = []
    await client.query('begin')
    try {
      for (const sql of sqls) rows = await execute(client, sql, values)
      await client.query('commit')
      return { rows }
    } catch (error) {
      await client.query('rollback')
      if (!isSqlError(error)) throw error
      return { rows: [], error: `ERROR: ${error.message}` }
    }
  }
  // Every fifth statement is still running when it is looked up first. Only a description has the error.
  const stateOf = (Id: string) => {
    const found = statements.get(Id)
    if (!found) return undefined
    const isRunning = found.isSlow && found.looks++ === 0
    return { Id, Status: isRunning ? 'STARTED' : found.error === undefined ? 'FINISHED' : 'FAILED' }
  }
  const submit = async (body: Submitted, { connect }: PlayedDatabase): Promise<TargetAnswer> => {
    const {
      Sql,
      Sqls,
      Parameters = [],
      SessionId,
      SessionKeepAliveSeconds,
      WaitTimeSeconds,
      ClientToken,
      ...where
    } = body
    const isFirst = SessionKeepAliveSeconds === 60 && isDeepStrictEqual(where, database)
    const isNext = SessionId !== undefined && Object.keys(where).length === 0
    const sqls = Sqls ?? [Sql ?? '']
    const isKnown =
      isFirst !== isNext &&
      WaitTimeSeconds === 20 &&
      ClientToken !== undefined &&
      sqls.length <= 40 &&
      Parameters.every(({ value }) => typeof value === 'string' && value !== '' && value.length <= 65_535)
    if (!isKnown) return invalid
    const session = SessionId ?? randomUUID()
    const client = sessions.get(session) ?? (isFirst ? await connect() : undefined)
    if (client === undefined) return { status: 400, body: '{"__type":"ValidationException","Message":"no session"}' }
    sessions.set(session, client)
    const id = randomUUID()
    const ran = await run(client, sqls, new Map(Parameters.map((one) => [one.name, one.value])))
    statements.set(id, { looks: 0, isSlow: statements.size % 5 === 0, ...ran })
    return { status: 200, body: JSON.stringify({ ...stateOf(id), SessionId: session, CreatedAt: 1.79e9 }) }
  }
  const describe = ({ Id }: { Id: string }): TargetAnswer => {
    const state = stateOf(Id)
    const answered = { ...state, ...(state?.Status === 'FAILED' && { Error: statements.get(Id)?.error }) }
    return state ? { status: 200, body: JSON.stringify(answered) } : missing
  }
  const result = ({ Id, NextToken }: { Id: string; NextToken?: string }): TargetAnswer => {
    const rows = statements.get(Id)?.rows ?? []
    // Ten rows a page, as large results have pages.
    const at = Number(NextToken ?? 0)
    const records = rows
      .slice(at, at + 10)
      .map((row) => Object.values(row).map((value) => (value === null ? { isNull: true } : { stringValue: value })))
    const next = at + 10 < rows.length ? { NextToken: String(at + 10) } : {}
    return { status: 200, body: JSON.stringify({ Records: records, ...next }) }
  }
  return async (request: TargetRequest, database) => {
    const refusal = await refusalOfSignature(
      request,
      { service: 'redshift-data', region: 'eu-central-1' },
      { awsKeyId: keys.accessKeyId, awsSecretKey: keys.secretAccessKey },
    )
    if (refusal) return refusal
    if (request.path !== '/' || request.headers['content-type'] !== 'application/x-amz-json-1.1') return invalid
    const body = JSON.parse(request.body.toString()) as Submitted & { Id: string }
    const operation = request.headers['x-amz-target']
    if (operation === 'RedshiftData.ExecuteStatement' || operation === 'RedshiftData.BatchExecuteStatement')
      return submit(body, database)
    if (operation === 'RedshiftData.GetStatementResult') return result(body)
    return operation === 'RedshiftData.DescribeStatement' ? describe(body) : invalid
  }
}

/** Starts a server that plays Redshift with the Data API, for tables. */
export async function startRedshiftTables(): Promise<WarehouseTarget & { sessions(): number }> {
  const sessions = new Map<string, pg.Client>()
  const target = await startWarehouseTarget({
    settings: (port) => ({ ...metadata, endpointUrl: `http://127.0.0.1:${port}/`, ...keys }),
    secret: awsSecret,
    failures,
    schema: 'mortise',
    messages: '_mortise_messages',
    prepare: [
      'create domain super as jsonb',
      'create function json_parse(j text) returns jsonb language sql as $$ select j::jsonb $$',
    ],
    answer: createRedshift(sessions),
  })
  return { ...target, sessions: () => sessions.size }
}

export const tablesFailures = failures
export const tablesSettings = { metadata, keys }
