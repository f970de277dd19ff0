import { expect, it } from 'vitest'
import type { Answer, SeenRequest } from '../testing/http-server.testkit.ts'
import { openProvider, readAll } from '../testing/open-provider.testkit.ts'

const metadata = { projectId: 'acme-1', dataset: 'sales', timestampColumn: 'updated_at' }
const connection = {
  metadata,
  credential: { scheme: 'custom', values: { accessToken: 't-1', serviceAccountKey: { client_email: 'a' } } } as const,
}
const cell = (v: unknown) => ({ v })
const row = (...values: unknown[]) => ({ f: values.map(cell) })
const fields = [
  { name: 'id', type: 'INTEGER', mode: 'REQUIRED' },
  { name: 'total', type: 'NUMERIC', mode: 'NULLABLE' },
  { name: 'open', type: 'BOOLEAN' },
  { name: 'at', type: 'TIMESTAMP' },
  { name: 'tags', type: 'STRING', mode: 'REPEATED' },
  { name: 'owner', type: 'RECORD', fields: [{ name: 'mail', type: 'STRING' }] },
]
const rows = [
  row('9007199254740993', '12.50', 'true', '1767225600123456', [cell('a')], row('ada@x.example')),
  row('2', null, 'false', null, [], null),
]
const jobReference = { projectId: 'acme-1', jobId: 'job_1', location: 'europe-west3' }
const queries = '/bigquery/v2/projects/acme-1/queries'

/** The API for a table: a query runs at first, and each page of its result has one row. */
function api(table: { fields: object[]; rows: object[] }) {
  const asked: string[] = []
  const answer = ({ method, url, headers, body }: SeenRequest): Answer => {
    if (headers['authorization'] !== 'Bearer t-1') return { status: 401, body: {} }
    if (method === 'POST' && url.pathname === queries) {
      const { query, ...rest } = JSON.parse(body) as { query: string }
      asked.push(query)
      expect(rest).toMatchObject({ useLegacySql: false, formatOptions: { useInt64Timestamp: true } })
      return { body: { kind: 'bigquery#queryResponse', jobReference, jobComplete: false } }
    }
    if (url.pathname === '/bigquery/v2/projects/acme-1/datasets/sales/tables/orders')
      return { body: { kind: 'bigquery#table', schema: { fields: table.fields } } }
    if (method !== 'GET' || url.pathname !== `${queries}/job_1` || url.searchParams.get('location') !== 'europe-west3')
      return { status: 404, body: { error: { message: `Not found: ${url.pathname}` } } }
    expect(url.searchParams.get('formatOptions.useInt64Timestamp')).toBe('true')
    const at = Number(url.searchParams.get('pageToken') ?? 0)
    const page = table.rows.slice(at, at + 1)
    return {
      body: {
        jobReference,
        jobComplete: true,
        totalRows: String(table.rows.length),
        schema: { fields: table.fields },
        ...(page.length > 0 && { rows: page }),
        ...(at + 1 < table.rows.length && { pageToken: String(at + 1) }),
      },
    }
  }
  return { asked, answer }
}

const open = (table: { fields: object[]; rows: object[] }, more = {}) => {
  const { asked, answer } = api(table)
  return { asked, opened: openProvider('bigquery', answer, { ...connection, pause: async () => undefined, ...more }) }
}

it('the rows of a query are records, with values of their types, lists and nested rows', async () => {
  const { asked, opened } = open({ fields, rows })
  await using provider = await opened
  const records = await readAll(provider.connector, { object: 'orders', fields: 'all' })
  expect(records.map(({ id, raw }) => [id, raw])).toEqual([
    [
      '9007199254740993',
      {
        id: '9007199254740993',
        total: 12.5,
        open: true,
        at: '2026-01-01T00:00:00.123456Z',
        tags: ['a'],
        owner: { mail: 'ada@x.example' },
      },
    ],
    ['2', { id: 2, total: null, open: false, at: null, tags: [], owner: null }],
  ])
  expect(asked).toEqual(['SELECT `id`, `total`, `open`, `at`, `tags`, `owner` FROM `acme-1`.`sales`.`orders`'])
})

it.each([
  [
    'orders',
    "SELECT `total` FROM `acme-1`.`sales`.`orders` WHERE `updated_at` >= TIMESTAMP '2026-03-04T05:06:07.000Z'",
  ],
  [
    'orders?id=order_id&changed=at',
    "SELECT `order_id`, `total` FROM `acme-1`.`sales`.`orders` WHERE `at` >= TIMESTAMP '2026-03-04T05:06:07.000Z'",
  ],
  [
    'orders?id=total',
    "SELECT `total` FROM `acme-1`.`sales`.`orders` WHERE `updated_at` >= TIMESTAMP '2026-03-04T05:06:07.000Z'",
  ],
  [
    'orders?changed=at',
    "SELECT `total` FROM `acme-1`.`sales`.`orders` WHERE `at` >= TIMESTAMP '2026-03-04T05:06:07.000Z'",
  ],
  ['orders?full', 'SELECT `total` FROM `acme-1`.`sales`.`orders`'],
  ['orders?id=order_id&full', 'SELECT `order_id`, `total` FROM `acme-1`.`sales`.`orders`'],
])('a window of %s', async (object, query) => {
  const columns = [...query.split(' FROM ', 1)[0]!.matchAll(/`(\w+)`/g)].map(([, name]) => ({ name, type: 'STRING' }))
  const { asked, opened } = open({ fields: columns, rows: [row(...columns.map(({ name }) => `its ${name}`))] })
  await using provider = await opened
  const since = new Date('2026-03-04T05:06:07Z')
  const [record] = await readAll(provider.connector, { object, fields: ['total'], since })
  expect(asked).toEqual([query])
  const idColumn = /id=(\w+)/.exec(object)?.[1]
  expect(record?.id).toBe(idColumn === undefined ? undefined : `its ${idColumn}`)
})

const until = new Date('2026-03-04T06:06:07Z')
const isOld = "(`updated_at` <= TIMESTAMP '2026-03-04T06:06:07.000Z' OR `updated_at` IS NULL)"
it.each([
  ['a backfill of everything also reads rows without a time of change', undefined, isOld],
  [
    'a window with a beginning has none of them, as its beginning excludes them',
    new Date('2026-03-04T05:06:07Z'),
    `\`updated_at\` >= TIMESTAMP '2026-03-04T05:06:07.000Z' AND ${isOld}`,
  ],
])('%s', async (_, since, where) => {
  const { asked, opened } = open({ fields, rows: [] })
  await using provider = await opened
  await readAll(provider.connector, { object: 'orders', fields: ['id'], until, ...(since && { since }) })
  expect(asked).toEqual([`SELECT \`id\` FROM \`acme-1\`.\`sales\`.\`orders\` WHERE ${where}`])
})

it.each([
  ['orders', 'id'],
  ['orders?full', 'id'],
  ['orders?changed=at', 'id'],
  ['orders?id=order_id&changed=at', 'order_id'],
  ['orders?id=order_id&full', 'order_id'],
])('a check for deleted records of %s pays for the column of the id alone', async (object, column) => {
  const { asked, opened } = open({ fields: [{ name: column, type: 'INT64' }], rows: [row('7')] })
  await using provider = await opened
  const request = { object, fields: [], idsOnly: true } as const
  const { records } = await provider.connector.readPage(request)
  expect(records.map(({ id }) => id)).toEqual(['7'])
  expect(asked).toEqual([`SELECT \`${column}\` FROM \`acme-1\`.\`sales\`.\`orders\``])
})

it('fields of a nested row are read by the column that they are in', async () => {
  const owner = [{ name: 'owner', type: 'RECORD', fields: [{ name: 'mail', type: 'STRING' }] }]
  const { asked, opened } = open({ fields: owner, rows: [row(row('ada@x.example'))] })
  await using provider = await opened
  const [record] = await readAll(provider.connector, { object: 'orders', fields: ["$['owner']['mail']"] })
  expect(record?.fields).toEqual({ "$['owner']['mail']": 'ada@x.example' })
  expect(asked).toEqual(['SELECT `owner` FROM `acme-1`.`sales`.`orders`'])
})

it('a table without rows is an empty list', async () => {
  const { opened } = open({ fields, rows: [] })
  await using provider = await opened
  expect(await readAll(provider.connector, { object: 'orders', fields: ['id'] })).toEqual([])
})

it.each(['orders`; DROP TABLE `x', 'orders\\', '`', 'a\nb', 'orders\\`; --'])(
  'a table that cannot be a name is refused, and nothing is sent: %j',
  async (object) => {
    const { asked, opened } = open({ fields, rows })
    await using provider = await opened
    const read = readAll(provider.connector, { object, fields: ['id'] })
    await expect(read).rejects.toMatchObject({
      class: expect.stringMatching(/bad_request|unsupported_object/) as string,
    })
    expect(asked).toEqual([])
  },
)

it.each(['id` FROM `x`; --', 'id\\', 'a\tb'])('a field that cannot be a name is refused: %j', async (field) => {
  const { asked, opened } = open({ fields, rows })
  await using provider = await opened
  const read = readAll(provider.connector, { object: 'orders', fields: [field] })
  await expect(read).rejects.toMatchObject({ class: 'bad_request' })
  expect(asked).toEqual([])
})

it.each(['a" OR "1"="1', "a' OR '1'='1", 'a, (SELECT 1)', 'x; DROP TABLE y'])(
  'names that the customer entered stay names: %s',
  async (entered) => {
    const { asked, opened } = open(
      { fields: [{ name: 'id', type: 'STRING' }], rows: [row('1')] },
      { metadata: { ...metadata, timestampColumn: entered } },
    )
    await using provider = await opened
    await readAll(provider.connector, { object: 'orders', fields: ['id'], since: new Date('2026-03-04T05:06:07Z') })
    expect(asked).toEqual([
      `SELECT \`id\` FROM \`acme-1\`.\`sales\`.\`orders\` WHERE \`${entered}\` >= TIMESTAMP '2026-03-04T05:06:07.000Z'`,
    ])
  },
)

it('the fields of a table are its columns', async () => {
  const { opened } = open({ fields, rows })
  await using provider = await opened
  const found = Object.values((await provider.connector.describeObject('orders?id=id&full')).fields)
  expect(found.map((field) => [field.fieldName, field.valueType, field.providerType, field.isRequired])).toEqual([
    ['id', 'int', 'INTEGER', true],
    ['total', 'float', 'NUMERIC', false],
    ['open', 'boolean', 'BOOLEAN', false],
    ['at', 'datetime', 'TIMESTAMP', false],
    ['tags', 'other', 'STRING', false],
    ['owner', 'other', 'RECORD', false],
  ])
})

it('tables and views are listed', async () => {
  const table = (tableId: string) => ({ id: `acme-1:sales.${tableId}`, tableReference: { tableId }, type: 'TABLE' })
  const answer = ({ url }: SeenRequest) =>
    url.searchParams.get('pageToken') === 'x'
      ? { body: { totalItems: 2, tables: [table('b')] } }
      : { body: { totalItems: 2, tables: [table('a')], nextPageToken: 'x' } }
  await using provider = await openProvider('bigquery', answer, connection)
  const records = await readAll(provider.connector, { object: 'dataset.tables', fields: 'all' })
  expect(records.map(({ id }) => id)).toEqual(['a', 'b'])
})

const error = (status: number, reason: string) => ({
  status,
  body: { error: { message: 'No.', errors: [{ reason }] } },
})
it.each([
  [error(400, 'invalidQuery'), 'bad_request'],
  [error(403, 'accessDenied'), 'forbidden'],
  [error(403, 'rateLimitExceeded'), 'rate_limited'],
  [error(403, 'quotaExceeded'), 'rate_limited'],
  [error(404, 'notFound'), 'not_found'],
  [{ status: 200, body: { jobComplete: true, jobReference } }, 'unexpected_response'],
  [
    { status: 200, body: { jobComplete: true, jobReference, totalRows: '1', schema: { fields } } },
    'unexpected_response',
  ],
  [{ status: 200, body: { jobComplete: true, jobReference, totalRows: '1', rows: [row('1')] } }, 'unexpected_response'],
  [{ status: 200, body: { jobComplete: false } }, 'unexpected_response'],
])('an answer %j is %s', async (answer, kind) => {
  await using provider = await openProvider('bigquery', () => answer, connection)
  const read = readAll(provider.connector, { object: 'orders', fields: ['id'] })
  await expect(read).rejects.toMatchObject({ class: kind })
})
