import {
  createGoogle,
  googleCredentials,
  googleFailures,
  googleSecret,
  googleTokenFailures,
} from '../google.testkit.ts'
import type { TargetAnswer, TargetRequest } from '../http-target.testkit.ts'
import {
  isSqlError,
  type Played,
  type PlayedDatabase,
  parseJson,
  refusing,
  startWarehouseTarget,
  type WarehouseTarget,
} from '../warehouse-tables/warehouse-target.testkit.ts'

export const tablesMetadata = {
  projectId: 'example.com:crm-events',
  datasetId: 'mortise',
  layout: 'tables',
  deletes: 'soft',
  batchSize: 2,
  maxWaitSecs: 30,
}

const errorAnswer = (status: number, reason: string, message: string): TargetAnswer => ({
  status,
  body: JSON.stringify({ error: { code: status, message, status: 'FAILED', errors: [{ reason, message }] } }),
})

const kind = 'bigquery#queryResponse'
export const tablesFailures = {
  ...googleFailures,
  'has no such dataset': errorAnswer(404, 'notFound', 'Not found: Dataset crm:mortise was not found in location EU'),
  'confirms another thing': { status: 200, body: '{"kind":"bigquery#job"}' },
  'runs without a job': { status: 200, body: JSON.stringify({ kind, jobComplete: false }) },
  'is limited': errorAnswer(403, 'rateLimitExceeded', 'Exceeded rate limits'),
}

const name = '`[A-Za-z_][A-Za-z0-9_]{0,299}`'
/** The dataset of the settings, or one of a group. */
const target = '`example\\.com:crm-events\\.(mortise|Crm_[A-Za-z0-9_]+)\\.([A-Za-z0-9_]+)`'
const text = String.raw`JSON_VALUE\(r, '\$\.\w+'\)`
const value = String.raw`(?:PARSE_JSON\(${text}, wide_number_mode=>'round'\)|CAST\(${text} AS (?:BOOL|INT64|FLOAT64|DATE|TIMESTAMP|STRING)\)|${text})`
const type = '(?:BOOL|INT64|FLOAT64|DATE|TIMESTAMP|STRING|JSON)'
const assigned = String.raw`${name} = s\.\w+`
const rows = String.raw`SELECT (?:${value} AS \w+(?:, )?)+ FROM UNNEST\(JSON_QUERY_ARRAY\(@rows\)\) AS r`
const removals = target.replace('([A-Za-z0-9_]+)', '_mortise_deleted')
/** Rows that no removal outdates. */
const remaining = String.raw`SELECT v\.\* FROM \(${rows}\) AS v LEFT JOIN \(SELECT \`record\`, MAX\(\`message\`\) AS \`message\` FROM ${removals} GROUP BY \`record\`\) AS d ON d\.\`record\` = v\.k_record WHERE d\.\`message\` IS NULL OR d\.\`message\` < v\.v_message`
const forms = {
  create: new RegExp(
    `^CREATE TABLE IF NOT EXISTS ${target} \\((\\w+ ${type}(?: NOT NULL)?(?:, \\w+ ${type}(?: NOT NULL)?)*)\\) CLUSTER BY \\w+(?:, \\w+)?$`,
  ),
  dataset: /^CREATE SCHEMA IF NOT EXISTS `example\.com:crm-events\.(Crm_[A-Za-z0-9_]+)`$/,
  alter: new RegExp(
    `^ALTER TABLE ${target} (ADD COLUMN ${name} ${type} OPTIONS \\(description = '[\\w %.:-]+'\\)(?:, ADD COLUMN ${name} ${type} OPTIONS \\(description = '[\\w %.:-]+'\\))*)$`,
  ),
  merge: new RegExp(
    `^MERGE INTO ${target} AS t USING \\((?:${rows}|${remaining})\\) AS s ON (t\\.${name} = s\\.\\w+(?: AND t\\.${name} = s\\.\\w+)*)( WHEN MATCHED AND t\\.\`(?:_mortise_)?message\` < s\\.v_message THEN UPDATE SET ${assigned}(?:, ${assigned})*)? WHEN NOT MATCHED THEN INSERT \\(${name}(?:, ${name})*\\) VALUES \\(s\\.\\w+(?:, s\\.\\w+)*\\)$`,
  ),
  remove: new RegExp(
    `^MERGE INTO ${target} AS t USING \\(${rows}\\) AS s ON t\\.${name} = s\\.\\w+(?: AND t\\.${name} = s\\.\\w+)* WHEN MATCHED AND t\\.\`_mortise_message\` < s\\.v_message THEN DELETE$`,
  ),
  forget: new RegExp(`^DELETE FROM ${removals} WHERE \`deleted_at\` < CAST\\('[\\dT:.+-]+' AS TIMESTAMP\\)$`),
}
const reserved = /`(?:_table_|_file_|_partition|_row_timestamp|__root__|_colidentifier)/i

/** Types as the API writes them, by those of PostgreSQL. */
const apiTypes: Record<string, string> = {
  boolean: 'BOOLEAN',
  bigint: 'INTEGER',
  'double precision': 'FLOAT',
  date: 'DATE',
  'timestamp with time zone': 'TIMESTAMP',
  text: 'STRING',
  jsonb: 'JSON',
}
const inPostgres = (sql: string) =>
  sql
    .replaceAll(/\bTIMESTAMP\b/g, 'TIMESTAMPTZ')
    .replaceAll(/\bSTRING\b/g, 'TEXT')
    .replaceAll(/\bINT64\b/g, 'BIGINT')
    .replaceAll(/\bFLOAT64\b/g, 'DOUBLE PRECISION')
    .replaceAll(/\bJSON\b/g, 'JSONB')

const inTables = (query: string) =>
  inPostgres(query)
    .replaceAll(/`example\.com:crm-events\.(\w+)\.(\w+)`/g, '"$1"."$2"')
    .replaceAll('`', '"')

async function execute(query: string, rows: string | undefined, { run }: PlayedDatabase): Promise<void> {
  if (reserved.test(query)) throw new Error('a reserved name')
  const [created, altered] = [forms.create.exec(query), forms.alter.exec(query)]
  const [, dataset] = forms.dataset.exec(query) ?? []
  if (dataset !== undefined) {
    await run(`create schema if not exists "${dataset}"`)
  } else if (created) {
    const [, schema = '', table = '', columns = ''] = created
    await run(`create table if not exists "${schema}"."${table}" (${inPostgres(columns)})`)
    if (table === '_mortise_messages') await run(refusing(`"${schema}"."_mortise_messages"`))
  } else if (altered) {
    const [, schema = '', table = '', columns = ''] = altered
    const present = await run(
      'select lower(column_name) as name from information_schema.columns where table_schema = $1 and table_name = $2',
      [schema, table],
    )
    for (const [, column = '', added = '', comment = ''] of columns.matchAll(
      /`([^`]+)` (\w+) OPTIONS \(description = '([^']+)'\)/g,
    )) {
      if (present.some((one) => one['name'] === column.toLowerCase()))
        throw Object.assign(new Error(`Column already exists: ${column}`), { code: '42701' })
      await run(`alter table "${schema}"."${table}" add column "${column}" ${inPostgres(added)}`)
      await run(`comment on column "${schema}"."${table}"."${column}" is '${comment}'`)
    }
  } else if (forms.forget.test(query) && rows === undefined) {
    await run(inTables(query))
  } else if ((forms.merge.test(query) || forms.remove.test(query)) && rows !== undefined) {
    const sql = inTables(query)
      .replace('UNNEST(JSON_QUERY_ARRAY(@rows)) AS r', 'jsonb_array_elements($1::jsonb) as r')
      .replaceAll(/JSON_VALUE\(r, '\$\.(\w+)'\)/g, "(r->>'$1')")
    await run(sql, [rows])
  } else throw new Error(`unknown: ${query}`)
}

/** Errors of PostgreSQL, as BigQuery says the same. */
function refusalOf({ code, message }: Error & { code: string }): TargetAnswer {
  if (code === '42501')
    return errorAnswer(403, 'accessDenied', 'Access Denied: Permission bigquery.tables.create denied')
  if (code === '3F000') return errorAnswer(404, 'notFound', 'Not found: Dataset example.com:crm-events:mortise')
  if (code === '42P01') return errorAnswer(404, 'notFound', 'Not found: Table example.com:crm-events:mortise.x')
  if (code === '42703') return errorAnswer(400, 'invalidQuery', 'Unrecognized name: x at [1:1]')
  if (code === '42701') return errorAnswer(400, 'invalidQuery', message)
  if (code.startsWith('22')) return errorAnswer(400, 'invalidQuery', 'Bad string value: too long')
  return errorAnswer(400, 'invalidQuery', `Syntax error: ${message}`)
}

interface Query {
  query: string
  useLegacySql: boolean
  parameterMode?: string
  queryParameters?: [{ name: string; parameterType: object; parameterValue: { value: string } }]
}

/** What is answered to the check of a statement. */
const dryJob = { kind: 'bigquery#job', jobReference: { location: 'EU' }, status: { state: 'DONE' } }

function createBigQuery(): Played['answer'] {
  const google = createGoogle('https://www.googleapis.com/auth/bigquery')
  const jobs = new Map<string, { looks: number; answer: TargetAnswer }>()
  const run = async (request: Query, database: PlayedDatabase, dryRun = false): Promise<TargetAnswer> => {
    const { query, queryParameters } = request
    const isKnown =
      !request.useLegacySql &&
      (queryParameters === undefined) === (request.parameterMode === undefined) &&
      Buffer.byteLength(query) < 2 ** 20
    if (!isKnown) return errorAnswer(400, 'invalid', 'no such request')
    try {
      if (dryRun) await database.run('begin')
      try {
        await execute(query, queryParameters?.[0].parameterValue.value, database)
      } finally {
        if (dryRun) await database.run('rollback')
      }
      return { status: 200, body: JSON.stringify(dryRun ? dryJob : { kind, jobComplete: true }) }
    } catch (error) {
      if (!isSqlError(error)) throw error
      return refusalOf(error)
    }
  }
  const submit = async (
    request: Query & { requestId: string; maxResults: number },
    database: PlayedDatabase,
  ): Promise<TargetAnswer> => {
    const isKnown = /^[0-9a-f-]{36}$/.test(request.requestId) && request.maxResults === 0
    if (!isKnown) return errorAnswer(400, 'invalid', 'no such request')
    const answer = await run(request, database)
    const jobId = `job_${jobs.size}`
    const isSlow = jobs.size % 5 === 4
    jobs.set(jobId, { looks: 0, answer })
    if (!isSlow) return answer
    return { status: 200, body: JSON.stringify({ kind, jobComplete: false, jobReference: { jobId, location: 'EU' } }) }
  }
  const look = (jobId: string, location: string | null): TargetAnswer => {
    const found = jobs.get(jobId)
    if (found === undefined || location !== 'EU') return errorAnswer(404, 'notFound', 'Not found: Job')
    found.looks++
    const running = { kind: 'bigquery#getQueryResultsResponse', jobComplete: false, jobReference: { jobId, location } }
    return found.looks < 2 ? { status: 200, body: JSON.stringify(running) } : found.answer
  }
  const dataset = async (name: string, database: PlayedDatabase): Promise<TargetAnswer> => {
    const found = await database.run('select from pg_namespace where nspname = $1', [name])
    return found.length === 0
      ? errorAnswer(404, 'notFound', `Not found: Dataset example.com:crm-events:${name}`)
      : { status: 200, body: JSON.stringify({ kind: 'bigquery#dataset', location: 'EU' }) }
  }
  const fields = async (schema: string, table: string, database: PlayedDatabase): Promise<TargetAnswer> => {
    const missing = await dataset(schema, database)
    if (missing.status !== 200) return missing
    const rows = await database.run(
      `select attname as name, format_type(atttypid, atttypmod) as type, col_description(attrelid, attnum) as description
         from pg_attribute where attrelid = to_regclass($1) and attnum > 0 and not attisdropped order by attnum`,
      [`"${schema}"."${table}"`],
    )
    if (rows.length === 0) return errorAnswer(404, 'notFound', 'Not found: Table')
    const found = rows.map(({ name: field, type: of, description }) => ({
      ...{ name: field, type: apiTypes[String(of)], mode: 'NULLABLE' },
      ...(description !== null && { description }),
    }))
    return { status: 200, body: JSON.stringify({ kind: 'bigquery#table', schema: { fields: found } }) }
  }
  return async (request: TargetRequest, database) => {
    const gated = await google.gate(request)
    if (gated) return gated
    const { pathname, searchParams } = new URL(request.path, 'http://localhost')
    const path = pathname.slice('/bigquery/v2/projects/example.com:crm-events/'.length).split('/')
    const [first, second, third, table] = path
    if (request.method === 'POST' && path.join('/') === 'queries')
      return submit(JSON.parse(request.body.toString()), database)
    if (request.method === 'POST' && path.join('/') === 'jobs') {
      const { configuration } = JSON.parse(request.body.toString()) as { configuration: { dryRun: true; query: Query } }
      if (configuration.dryRun) return run(configuration.query, database, true)
    }
    if (request.method === 'GET' && first === 'queries' && second !== undefined && path.length === 2)
      return look(second, searchParams.get('location'))
    if (request.method === 'GET' && first === 'datasets' && second !== undefined) {
      if (path.length === 2) return dataset(second, database)
      if (path.length === 4 && third === 'tables' && table !== undefined) return fields(second, table, database)
    }
    return errorAnswer(404, 'notFound', 'Not found')
  }
}

/** Starts a server that plays BigQuery, for tables. */
export function startBigQueryTables(): Promise<WarehouseTarget> {
  return startWarehouseTarget({
    settings: (port) => ({
      ...tablesMetadata,
      endpointUrl: `http://127.0.0.1:${port}/`,
      credentials: googleCredentials(`http://127.0.0.1:${port}/token`),
    }),
    secret: googleSecret,
    failures: tablesFailures,
    tokenFailures: googleTokenFailures,
    schema: 'mortise',
    messages: '_mortise_messages',
    prepare: [parseJson],
    answer: createBigQuery(),
  })
}
