import type { KindHarness } from '../conformance.testkit.ts'
import { confirmedFailures, isBad, retried, startHttpTarget, type TargetRequest } from '../http-target.testkit.ts'
import { startClickHouseTables, tablesFailures, tablesMetadata, tablesSecret } from './tables-target.testkit.ts'

const password = 'pass word-7Äx'
const settings = {
  username: 'mortise',
  tableName: 'events-1',
  layout: 'messages',
  database: 'crm',
  batchSize: 2,
  maxWaitSecs: 30,
}

const error = (status: number, code: number, name: string) => ({
  status,
  headers: { 'x-clickhouse-exception-code': String(code) },
  body: `Code: ${code}. DB::Exception: It failed. (${name}) (version 25.3.1.1)\n`,
})

const expected: Record<string, string> = {
  input_format_skip_unknown_fields: '1',
  date_time_input_format: 'best_effort',
  async_insert: '1',
  wait_for_async_insert: '1',
  async_insert_deduplicate: '1',
  wait_end_of_query: '1',
}

function answer({ method, path, headers, body }: TargetRequest) {
  const { pathname, searchParams } = new URL(path, 'http://localhost')
  const { query_id, insert_deduplication_token, ...others } = Object.fromEntries(searchParams)
  if (headers['authorization'] !== `Basic ${Buffer.from(`mortise:${password}`).toString('base64')}`)
    return error(403, 516, 'AUTHENTICATION_FAILED')
  const isKnown = method === 'POST' && pathname === '/' && JSON.stringify(others) === JSON.stringify(expected)
  if (!isKnown || !query_id || !/^[0-9a-f]{64}$/.test(insert_deduplication_token ?? ''))
    return error(404, 115, 'UNKNOWN_SETTING')
  const [statement, ...rows] = body.toString().trimEnd().split('\n')
  if (statement !== 'INSERT INTO `crm`.`events-1` FORMAT JSONEachRow') return error(400, 62, 'SYNTAX_ERROR')
  if (rows.length > settings.batchSize) return error(500, 241, 'MEMORY_LIMIT_EXCEEDED')
  const received = rows.map((row) => {
    const { messageId, ...columns } = JSON.parse(row) as Record<string, string>
    return { id: messageId ?? '', body: JSON.stringify(columns), headers: {} }
  })
  if (received.some(isBad)) return error(400, 27, 'CANNOT_PARSE_INPUT_ASSERTION_FAILED')
  return { status: 200, headers: { 'x-clickhouse-query-id': query_id }, received }
}

const failures = {
  'has no such table': error(404, 60, 'UNKNOWN_TABLE'),
  'violates a constraint': error(500, 469, 'VIOLATED_CONSTRAINT'),
  'confirms another query': { status: 200, headers: { 'x-clickhouse-query-id': 'other' } },
  'fails after the status': { ...error(200, 241, 'MEMORY_LIMIT_EXCEEDED') },
}

export const harness: KindHarness = {
  refusesBad: true,
  excluded: ['deletes'],
  isUnsigned: true,
  settingsFor: (host, port) => ({ ...settings, url: `https://${host}:${port}/`, password }),
  wrong: {
    input: {
      url: 'https://example.com/?password=x',
      username: 'a:b',
      tableName: 'crm.events',
      layout: '',
      database: '`',
      batchSize: 1_001,
      maxWaitSecs: 0,
      password: 5,
    },
    names: ['layout', 'url', 'username', 'tableName', 'database', 'batchSize', 'maxWaitSecs', 'password'],
  },
  failures: { ...confirmedFailures, ...retried(failures) },
  start: () =>
    startHttpTarget({
      settings: (port) => ({ ...settings, url: `http://127.0.0.1:${port}/`, password }),
      secret: password,
      answer,
      failures,
    }),
}

export const tablesHarness: KindHarness = {
  ...harness,
  storesOnce: true,
  excluded: ['tableName'],
  settingsFor: (host, port) => ({ ...tablesMetadata, url: `https://${host}:${port}/`, password: tablesSecret }),
  failures: { ...confirmedFailures, ...retried(tablesFailures) },
  start: startClickHouseTables,
}
