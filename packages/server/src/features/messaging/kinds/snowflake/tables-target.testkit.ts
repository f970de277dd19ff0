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
import { isAuthorized, privateKey, problem, type Statement, secret } from './account.testkit.ts'

export const tablesMetadata = {
  accountIdentifier: 'MyOrg-Account_1',
  userId: 'mortise',
  dbName: 'crm',
  schemaName: 'Sales',
  layout: 'tables',
  deletes: 'soft',
  batchSize: 2,
  maxWaitSecs: 30,
}

export const tablesFailures = {
  'has no such schema': problem(422, '002043', '02000'),
  'has no warehouse': problem(422, '000606', '57P03'),
  'confirms another thing': { status: 200, body: '{"code":"000000","statementHandle":"x"}' },
  'runs without a handle': { status: 202, body: '{"code":"333334","statementHandle":"../x"}' },
  'stops at its own limit': problem(408, '000630', '57014'),
}

/** Answers that confirm a statement, but not the rows of one that reads. */
const unreadable = {
  'answers rows that are none': { status: 200, body: '{"code":"090001","statementHandle":"x","data":[5]}' },
}

const name = '"(?:[^"]|"")+"'
/** The schema of the settings, or one of a group, in upper case. */
const target = String.raw`(crm\.(?:Sales|"CRM_[A-Z0-9_]+")\.${name})`
const text = String.raw`r\.value:\w+::VARCHAR`
const value = String.raw`(?:PARSE_JSON\(${text}\)|${text}(?:::(?:BOOLEAN|NUMBER\(38,0\)|FLOAT|DATE|TIMESTAMP_TZ))?)`
const type = String.raw`(?:BOOLEAN|NUMBER\(38,0\)|FLOAT|DATE|TIMESTAMP_TZ|VARCHAR|VARIANT)`
const assigned = String.raw`${name} = s\.\w+`
const rows = String.raw`SELECT (?:${value} AS \w+(?:, )?)+ FROM \(SELECT PARSE_JSON\(\?\) AS staged\) AS b, LATERAL FLATTEN\(INPUT => b\.staged\) AS r`
const removals = String.raw`crm\.(?:Sales|"CRM_[A-Z0-9_]+")\."_MORTISE_DELETED"`
/** Rows that no removal outdates. */
const remaining = String.raw`SELECT v\.\* FROM \(${rows}\) AS v LEFT JOIN \(SELECT "RECORD", MAX\("MESSAGE"\) AS "MESSAGE" FROM ${removals} GROUP BY "RECORD"\) AS d ON d\."RECORD" = v\.k_record WHERE d\."MESSAGE" IS NULL OR d\."MESSAGE" < v\.v_message`
const forms = {
  create: new RegExp(
    `^CREATE TABLE IF NOT EXISTS ${target} \\(((?:\\w+ ${type}(?: NOT NULL)?, )+)PRIMARY KEY \\(([\\w, ]+)\\)\\)$`,
  ),
  alter: new RegExp(`^ALTER TABLE ${target} ADD COLUMN ((?:${name} ${type} COMMENT '[\\w %.:-]+'(?:, |$))+)$`),
  merge: new RegExp(
    `^MERGE INTO ${target} AS t USING \\((?:${rows}|${remaining})\\) AS s ON (t\\.${name} = s\\.\\w+(?: AND t\\.${name} = s\\.\\w+)*)( WHEN MATCHED AND t\\."(?:_MORTISE_)?MESSAGE" < s\\.v_message THEN UPDATE SET ${assigned}(?:, ${assigned})*)? WHEN NOT MATCHED THEN INSERT \\(${name}(?:, ${name})*\\) VALUES \\(s\\.\\w+(?:, s\\.\\w+)*\\)$`,
  ),
  remove: new RegExp(
    `^MERGE INTO ${target} AS t USING \\(${rows}\\) AS s ON t\\.${name} = s\\.\\w+(?: AND t\\.${name} = s\\.\\w+)* WHEN MATCHED AND t\\."_MORTISE_MESSAGE" < s\\.v_message THEN DELETE$`,
  ),
  forget: new RegExp(`^DELETE FROM ${removals} WHERE "DELETED_AT" < '[\\dT:.+-]+'::TIMESTAMP_TZ$`),
  columns:
    /^SELECT COLUMN_NAME, DATA_TYPE, NUMERIC_SCALE, COMMENT FROM crm\.INFORMATION_SCHEMA\.COLUMNS WHERE TABLE_SCHEMA = \? AND TABLE_NAME = \? ORDER BY ORDINAL_POSITION$/,
  schema: /^CREATE SCHEMA IF NOT EXISTS crm\.("CRM_[A-Z0-9_]+")$/,
  hasSchema: /^SELECT COUNT\(\*\) FROM crm\.INFORMATION_SCHEMA\.SCHEMATA WHERE SCHEMA_NAME = \?$/,
  checkDatabase:
    /^SELECT COUNT\(\*\), COUNT_IF\(.+'CREATE SCHEMA'.+FROM crm\.INFORMATION_SCHEMA\.DATABASES AS n LEFT JOIN .+ WHERE n\.DATABASE_NAME = \?$/,
  check:
    /^SELECT COUNT\(\*\), COUNT_IF\(.+FROM crm\.INFORMATION_SCHEMA\.SCHEMATA AS n LEFT JOIN .+ WHERE n\.SCHEMA_NAME = \?$/,
}

/** Types as the information schema of Snowflake writes them, by those of PostgreSQL. */
const shownTypes: Record<string, [string, string | null]> = {
  bigint: ['NUMBER', '0'],
  'double precision': ['FLOAT', null],
  'character varying': ['TEXT', null],
  boolean: ['BOOLEAN', null],
  date: ['DATE', null],
  timestamp_tz: ['TIMESTAMP_TZ', null],
  variant: ['VARIANT', null],
}

const inPostgres = (sql: string) =>
  sql
    .replaceAll('NUMBER(38,0)', 'BIGINT')
    .replaceAll(/\bcrm\.Sales\./g, '"SALES".')
    .replaceAll(/\bcrm\.(?="CRM_)/g, '')
const upperNames = (sql: string) =>
  sql.replaceAll(/\b[A-Z_]+(?= (?:VARCHAR|TIMESTAMP_TZ|VARIANT))/g, (one) => `"${one}"`)

/** Executes a statement. Returns rows of texts. */
async function execute({ statement, bindings }: Statement, { run }: PlayedDatabase): Promise<(string | null)[][]> {
  const values = Object.values(bindings).map((one) => one.value)
  const [created, altered] = [forms.create.exec(statement), forms.alter.exec(statement)]
  if (created) {
    const [, table = '', columns = '', key = ''] = created
    const keys = key.split(', ').map((one) => `"${one}"`)
    await run(
      `create table if not exists ${inPostgres(table)} (${upperNames(inPostgres(columns))} primary key (${keys.join(', ')}))`,
    )
    if (table.includes('MESSAGES')) await run(refusing(inPostgres(table)))
    return []
  }
  if (altered) {
    const [, table = '', columns = ''] = altered
    for (const [, column = '', added = '', comment = ''] of columns.matchAll(
      /("(?:[^"]|"")+") (\S+) COMMENT '([^']+)'/g,
    )) {
      await run(`alter table ${inPostgres(table)} add column ${column} ${inPostgres(added)}`)
      await run(`comment on column ${inPostgres(table)}.${column} is '${comment}'`)
    }
    return []
  }
  if (forms.forget.test(statement)) {
    await run(inPostgres(statement))
    return []
  }
  if (forms.merge.test(statement) || forms.remove.test(statement)) {
    const sql = inPostgres(statement)
      .replace(
        '(SELECT PARSE_JSON(?) AS staged) AS b, LATERAL FLATTEN(INPUT => b.staged) AS r',
        'jsonb_array_elements($1::jsonb) as r(value)',
      )
      .replaceAll(/r\.value:(\w+)::VARCHAR/g, "(r.value->>'$1')")
    await run(sql, values)
    return []
  }
  if (forms.columns.test(statement)) {
    const rows = await run(
      `select column_name, coalesce(domain_name, data_type) as type, col_description(format('%I.%I', table_schema, table_name)::regclass, ordinal_position) as comment
         from information_schema.columns where table_schema = $1 and table_name = $2 order by ordinal_position`,
      values,
    )
    return rows.map((row) => [
      String(row['column_name']),
      ...(shownTypes[String(row['type'])] ?? ['?', null]),
      row['comment'] as string | null,
    ])
  }
  const [, schema] = forms.schema.exec(statement) ?? []
  if (schema !== undefined) {
    await run(`create schema if not exists ${schema}`)
    return []
  }
  if (forms.hasSchema.test(statement)) {
    const rows = await run('select count(*)::text from pg_namespace where nspname = $1', values)
    return rows.map((row) => Object.values(row) as string[])
  }
  if (forms.checkDatabase.test(statement)) {
    if (values[0] !== 'CRM') throw new Error('another database')
    const rows = await run(
      `select '1', '1' as known, case when has_database_privilege(current_database(), 'create') then '1' else '0' end as usable`,
    )
    return rows.map((row) => Object.values(row) as string[])
  }
  if (forms.check.test(statement)) {
    const rows = await run(
      `select count(*)::text, count(*)::text as known, count(*) filter (where has_schema_privilege(oid, 'create'))::text as usable from pg_namespace where nspname = $1`,
      values,
    )
    return rows.map((row) => Object.values(row) as string[])
  }
  throw new Error(`unknown: ${statement}`)
}

/** Errors of PostgreSQL, as Snowflake says the same. */
function refusalOf(error: Error & { code: string }): TargetAnswer {
  if (error.code === '42501') return problem(403, '003001', '42501')
  if (error.code === '3F000') return problem(422, '002043', '02000')
  if (error.code === '42P01') return problem(422, '002003', '42S02')
  if (error.code === '42703') return problem(422, '000904', '42000')
  if (error.code === '42701') return problem(422, '001430', '42601')
  if (error.code.startsWith('22')) return problem(422, '100078', '22000')
  return problem(422, '001003', '42000')
}

function createSnowflake(): Played['answer'] {
  const statements = new Map<string, { looks: number; answer: TargetAnswer; pages: (string | null)[][][] }>()
  return async (request: TargetRequest, database) => {
    if (!(await isAuthorized(request))) return problem(401, '390144', '08001')
    const { pathname, searchParams } = new URL(request.path, 'http://localhost')
    const found = statements.get(pathname.slice('/api/v2/statements/'.length))
    if (request.method === 'GET' && found) {
      const page = searchParams.get('partition')
      if (page !== null) return { status: 200, body: JSON.stringify({ data: found.pages[Number(page)] }) }
      found.looks++
      return found.looks < 2 ? { status: 202, body: '{"code":"333334"}' } : found.answer
    }
    const statement = JSON.parse(request.body.toString()) as Statement
    const bound = Object.entries(statement.bindings)
    const isKnown =
      request.method === 'POST' &&
      pathname === '/api/v2/statements' &&
      /^[0-9a-f-]{36}$/.test(searchParams.get('requestId') ?? '') &&
      statement.timeout > 0 &&
      bound.length === (statement.statement.match(/\?/g) ?? []).length &&
      bound.every(([key, one], at) => key === String(at + 1) && one.type === 'TEXT')
    if (!isKnown) return problem(422, '001003', '42000')
    const handle = `01b0-${statements.size}`
    const answer = await answerOf(statement, database, handle)
    // Every fifth is still running when it is submitted, as in a warehouse that was suspended.
    const isSlow = statements.size % 5 === 4
    statements.set(handle, { looks: 0, ...answer })
    return isSlow ? { status: 202, body: JSON.stringify({ code: '333334', statementHandle: handle }) } : answer.answer
  }
}

async function answerOf(statement: Statement, database: PlayedDatabase, statementHandle: string) {
  try {
    const rows = await execute(statement, database)
    // Ten rows are a partition.
    const pages = Array.from({ length: Math.max(1, Math.ceil(rows.length / 10)) }, (_, at) =>
      rows.slice(at * 10, at * 10 + 10),
    )
    const resultSetMetaData = { numRows: rows.length, partitionInfo: pages.map((page) => ({ rowCount: page.length })) }
    const body = JSON.stringify({
      code: '090001',
      sqlState: '00000',
      statementHandle,
      resultSetMetaData,
      data: pages[0],
    })
    return { answer: { status: 200, body }, pages }
  } catch (error) {
    if (!isSqlError(error)) throw error
    return { answer: refusalOf(error), pages: [] }
  }
}

/** Starts a server that plays Snowflake with the SQL API, for tables. */
export function startSnowflakeTables(): Promise<WarehouseTarget> {
  return startWarehouseTarget({
    settings: (port) => ({ ...tablesMetadata, endpointUrl: `http://127.0.0.1:${port}/`, privateKey }),
    secret,
    failures: { ...tablesFailures, ...unreadable },
    schema: 'SALES',
    messages: '_MORTISE_MESSAGES',
    prepare: ['create domain variant as jsonb', 'create domain timestamp_tz as timestamptz', parseJson],
    answer: createSnowflake(),
  })
}
