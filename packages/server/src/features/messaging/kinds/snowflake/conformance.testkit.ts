import type { KindHarness } from '../conformance.testkit.ts'
import { confirmedFailures, isBad, retried, startHttpTarget, type TargetRequest } from '../http-target.testkit.ts'
import { isAuthorized, privateKey, problem, type Statement, secret } from './account.testkit.ts'
import { startSnowflakeTables, tablesFailures, tablesMetadata } from './tables-target.testkit.ts'

const settings = {
  accountIdentifier: 'MyOrg-Account_1',
  userId: 'mortise',
  dbName: 'crm',
  schemaName: 'PUBLIC',
  tableName: '"Mortise messages"',
  layout: 'messages',
  batchSize: 2,
  maxWaitSecs: 30,
}

/** Executes each statement later, so that it must be polled. */
function createSnowflake() {
  const running = new Map<string, { looks: number; rows: string[][] }>()
  const settled = (rows: string[][]) => {
    const received = rows.map(([id = '', , payload = '']) => ({ id, body: payload, headers: {} }))
    if (received.some(isBad)) return problem(422, '100078', '22000')
    const body = { code: '090001', sqlState: '00000', statementHandle: 'e4ce975e', stats: { numRowsInserted: 1 } }
    return { status: 200, received, body: JSON.stringify(body) }
  }
  return async (request: TargetRequest) => {
    if (!(await isAuthorized(request))) return problem(401, '390144', '08001')
    const { pathname, searchParams } = new URL(request.path, 'http://localhost')
    const found = running.get(pathname.slice('/api/v2/statements/'.length))
    if (request.method === 'GET' && found) {
      found.looks++
      return found.looks < 2 ? { status: 202, body: '{"code":"333334"}' } : settled(found.rows)
    }
    const { statement, timeout, bindings } = JSON.parse(request.body.toString()) as Statement
    const values = Object.entries(bindings)
    const isKnown =
      request.method === 'POST' &&
      pathname === '/api/v2/statements' &&
      /^[0-9a-f-]{36}$/.test(searchParams.get('requestId') ?? '') &&
      /^INSERT INTO crm\.PUBLIC\."Mortise messages" \(id, created_at, payload\) VALUES (?:\(\?, \?, \?\)(?:, |$)){1,2}$/.test(
        statement,
      ) &&
      timeout > 0 &&
      values.length === (statement.match(/\?/g) ?? []).length &&
      values.every(([name, { type }], at) => name === String(at + 1) && type === 'TEXT')
    if (!isKnown) return problem(422, '002003', '42S02')
    const texts = values.map(([, { value }]) => value)
    const rows = Array.from({ length: texts.length / 3 }, (_, at) => texts.slice(at * 3, at * 3 + 3))
    if (rows.some(([, createdAt = '']) => !/^\d{4}-\d\d-\d\dT[\d:.]+\+00:00$/.test(createdAt)))
      return problem(422, '100035', '22007')
    // The second row of a batch waits, as in a warehouse that was suspended.
    if (rows.length === 1) return settled(rows)
    running.set('0190-running', { looks: 0, rows })
    return { status: 202, body: '{"code":"333334","statementHandle":"0190-running"}' }
  }
}

const failures = {
  'has no such table': problem(422, '002003', '42S02'),
  'confirms another thing': { status: 200, body: '{"code":"000000","statementHandle":"x"}' },
  'runs without a handle': { status: 202, body: '{"code":"333334","statementHandle":"../x"}' },
  'stops at its own limit': problem(408, '000630', '57014'),
}

export const harness: KindHarness = {
  refusesBad: true,
  excluded: ['deletes'],
  isUnsigned: true,
  settingsFor: (host, port) => ({ ...settings, endpointUrl: `https://${host}:${port}/`, privateKey }),
  wrong: {
    input: {
      accountIdentifier: 'my org',
      userId: '',
      dbName: 'a;b',
      schemaName: '"a"b"',
      tableName: 'x.y',
      layout: 5,
      endpointUrl: 'ftp://example.com',
      batchSize: 1.5,
      maxWaitSecs: -1,
      privateKey: '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----',
    },
    names: [
      ...['layout', 'accountIdentifier', 'userId', 'dbName', 'schemaName', 'tableName', 'endpointUrl'],
      ...['batchSize', 'maxWaitSecs', 'privateKey'],
    ],
  },
  failures: { ...confirmedFailures, ...retried(failures) },
  start: () =>
    startHttpTarget({
      settings: (port) => ({ ...settings, endpointUrl: `http://127.0.0.1:${port}/`, privateKey }),
      secret,
      answer: createSnowflake(),
      failures,
    }),
}

export const tablesHarness: KindHarness = {
  ...harness,
  storesOnce: true,
  excluded: ['tableName'],
  settingsFor: (host, port) => ({ ...tablesMetadata, endpointUrl: `https://${host}:${port}/`, privateKey }),
  failures: { ...confirmedFailures, ...retried(tablesFailures) },
  start: startSnowflakeTables,
}
