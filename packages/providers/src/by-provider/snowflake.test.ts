import { expect, it } from 'vitest'
import { inputIssues } from '../catalogue/inputs.ts'
import type { SeenRequest } from '../testing/http-server.testkit.ts'
import { openProvider, readAll } from '../testing/open-provider.testkit.ts'

const metadata = { workspace: 'acme-eu', database: 'SALES', schema: 'PUBLIC', warehouse: 'LOAD' }
const connection = {
  metadata,
  credential: { scheme: 'custom', values: { programmaticAccessToken: 'pat-1' } } as const,
}
const handle = '01b2c3d4-0000-0000-0000-000000000020'

interface Submitted {
  statement: string
  warehouse: string
  timeout: number
  bindings?: Record<string, { type: string; value: string }>
  parameters: Record<string, unknown>
}

interface Result {
  columns: [name: string, type: string][]
  partitions: (string | null)[][][]
}

/** The SQL API for one result: each statement runs at first, and only the first partition has the columns. */
function sqlApi({ columns, partitions }: Result) {
  const submitted: Submitted[] = []
  const answer = ({ method, url, headers, body }: SeenRequest) => {
    if (headers['authorization'] !== 'Bearer pat-1') return { status: 401, body: { code: '390144' } }
    if (headers['x-snowflake-authorization-token-type'] !== 'PROGRAMMATIC_ACCESS_TOKEN')
      return { status: 401, body: {} }
    const running = { code: '333334', message: 'Asynchronous execution in progress.', statementHandle: handle }
    if (method === 'POST' && url.pathname === '/api/v2/statements' && url.searchParams.get('async') === 'true') {
      submitted.push(JSON.parse(body) as Submitted)
      return { status: 202, body: running }
    }
    if (method !== 'GET' || url.pathname !== `/api/v2/statements/${handle}`) return { status: 404, body: {} }
    const partition = Number(url.searchParams.get('partition') ?? 0)
    if (partition > 0) return { body: { data: partitions[partition] } }
    const resultSetMetaData = {
      numRows: partitions.flat().length,
      format: 'jsonv2',
      rowType: columns.map(([name, type]) => ({ name, type, nullable: true })),
      partitionInfo: partitions.map((rows) => ({ rowCount: rows.length })),
    }
    const data = partitions[0]
    return { body: { code: '090001', statementHandle: handle, resultSetMetaData, data } }
  }
  return { submitted, answer }
}

const open = (result: Result) => {
  const { submitted, answer } = sqlApi(result)
  return { submitted, opened: openProvider('snowflake', answer, { ...connection, pause: async () => undefined }) }
}
const orders: Result = {
  columns: [
    ['ID', 'fixed'],
    ['TOTAL', 'FIXED'],
    ['OPEN', 'boolean'],
    ['DETAILS', 'variant'],
    ['UPDATED_AT', 'timestamp_ntz'],
  ],
  partitions: [
    [['1', '12.50', 'true', '{"a":[1]}', '2026-01-20T12:34:56.034598780']],
    [['2', null, 'false', null, '2026-01-21T00:00:00.000000000']],
  ],
}

it('the rows of a table are records, over all partitions, with values of their types', async () => {
  const { submitted, opened } = open(orders)
  await using provider = await opened
  expect(await readAll(provider.connector, { object: 'ORDERS', fields: ['id', 'total', 'OPEN', 'details'] })).toEqual([
    {
      id: '1',
      fields: { id: 1, total: 12.5, open: true, details: { a: [1] } },
      raw: { ID: 1, TOTAL: 12.5, OPEN: true, DETAILS: { a: [1] }, UPDATED_AT: '2026-01-20T12:34:56.034598780' },
    },
    {
      id: '2',
      fields: { id: 2, total: null, open: false, details: null },
      raw: { ID: 2, TOTAL: null, OPEN: false, DETAILS: null, UPDATED_AT: '2026-01-21T00:00:00.000000000' },
    },
  ])
  expect(submitted.map(({ statement, warehouse }) => [statement, warehouse])).toEqual([
    ['SELECT * FROM "SALES"."PUBLIC"."ORDERS"', 'LOAD'],
  ])
  expect(submitted[0]?.parameters).toMatchObject({ TIMEZONE: 'UTC', CLIENT_RESULT_CHUNK_SIZE: 16 })
})

it('a partition that lacks rows is an error, after the rows before it', async () => {
  const { answer } = sqlApi(orders)
  const cut = (request: SeenRequest) => {
    const whole = answer(request)
    return request.url.searchParams.get('partition') === '1' ? { body: { data: [] } } : whole
  }
  await using provider = await openProvider('snowflake', cut, { ...connection, pause: async () => undefined })
  const read = readAll(provider.connector, { object: 'ORDERS', fields: 'all' })
  await expect(read).rejects.toThrow('The result should have 2 rows, and 1 arrived.')
})

it('the name of the object says which column is the id, and which one has the time of the last change', async () => {
  const { submitted, opened } = open({ columns: [['ORDER_ID', 'text']], partitions: [[['A-7']]] })
  await using provider = await opened
  const since = new Date('2026-03-04T05:06:07Z')
  const until = new Date('2026-03-04T06:06:07Z')
  const object = 'ORDERS?id=ORDER_ID&changed=UPDATED_AT'
  const [record] = await readAll(provider.connector, { object, fields: 'all', since, until })
  expect(record?.id).toBe('A-7')
  await readAll(provider.connector, { object: 'ORDERS?changed=UPDATED_AT', fields: 'all' })
  expect(submitted.map(({ statement }) => statement.replaceAll(/\s+/g, ' '))).toEqual([
    `SELECT * FROM "SALES"."PUBLIC"."ORDERS" WHERE "UPDATED_AT" >= DATE_TRUNC('DAY', '2026-03-04T05:06:07.000Z'::TIMESTAMP_TZ) AND ("UPDATED_AT" >= '2026-03-04T05:06:07.000Z'::TIMESTAMP_TZ OR "UPDATED_AT" = DATE_TRUNC('DAY', "UPDATED_AT")) AND ("UPDATED_AT" <= '2026-03-04T06:06:07.000Z'::TIMESTAMP_TZ OR "UPDATED_AT" IS NULL)`,
    'SELECT * FROM "SALES"."PUBLIC"."ORDERS"',
  ])
})

it('a backfill of everything also reads rows without a time of change', async () => {
  const { submitted, opened } = open({ columns: [['ID', 'text']], partitions: [[]] })
  await using provider = await opened
  const until = new Date('2026-03-04T06:06:07Z')
  await readAll(provider.connector, { object: 'ORDERS?changed=UPDATED_AT', fields: 'all', until })
  expect(submitted[0]?.statement).toBe(
    `SELECT * FROM "SALES"."PUBLIC"."ORDERS" WHERE ("UPDATED_AT" <= '2026-03-04T06:06:07.000Z'::TIMESTAMP_TZ OR "UPDATED_AT" IS NULL)`,
  )
})

it.each([
  ['ORDERS?id=ORDER_ID', ['TOTAL', 'ORDER_ID'], '"ORDER_ID", "TOTAL"'],
  ['ORDERS?id=ORDER_ID', ["$['TOTAL']['a']"], '"ORDER_ID", "TOTAL"'],
  ['ORDERS?id=ORDER_ID', [], '"ORDER_ID"'],
  ['ORDERS?id=ORDER_ID&changed=AT', ['TOTAL'], '"ORDER_ID", "TOTAL"'],
  // Names in another letter case may be those of other columns.
  ['ORDERS?id=ORDER_ID', ['TOTAL', 'Name'], '*'],
  ['ORDERS?id=orderId', ['TOTAL'], '*'],
  ['ORDERS?id=ORDER_ID', 'all' as const, '*'],
  // A table without this column may have no id.
  ['ORDERS', ['TOTAL'], '*'],
  ['ORDERS?changed=AT', ['TOTAL'], '*'],
])('%s reads of %j the columns %s', async (object, fields, columns) => {
  const { submitted, opened } = open({ columns: [['ORDER_ID', 'text']], partitions: [[]] })
  await using provider = await opened
  await readAll(provider.connector, { object, fields })
  expect(submitted.map(({ statement }) => statement)).toEqual([`SELECT ${columns} FROM "SALES"."PUBLIC"."ORDERS"`])
})

it('a check for deleted records lists the ids alone', async () => {
  const { submitted, opened } = open({ columns: [['ORDER_ID', 'text']], partitions: [[['A-7']]] })
  await using provider = await opened
  const { records } = await provider.connector.readPage({ object: 'ORDERS?id=ORDER_ID', fields: [], idsOnly: true })
  expect(records.map(({ id }) => id)).toEqual(['A-7'])
  expect(submitted[0]?.statement).toBe('SELECT "ORDER_ID" FROM "SALES"."PUBLIC"."ORDERS"')
})

it('an account without a database can be connected, and reads of it say what is missing', async () => {
  const { submitted, answer } = sqlApi(orders)
  const connected = { ...connection, metadata: { workspace: 'acme-eu' } }
  await using provider = await openProvider('snowflake', answer, connected)
  expect(inputIssues(provider.entry, undefined, connected.metadata)).toEqual([])
  const lacking =
    'The connection has no value for: Database (providerMetadata.database), Schema (providerMetadata.schema).'
  const { connector } = provider
  for (const asking of [
    connector.readPage({ object: 'ORDERS', fields: 'all' }),
    connector.readPage({ object: 'ORDERS', fields: [], idsOnly: true }),
    connector.readPage({ object: 'INFORMATION_SCHEMA.TABLES', fields: 'all' }),
    connector.describeObject('ORDERS'),
  ])
    await expect(asking).rejects.toMatchObject({
      class: 'bad_request',
      message: expect.stringContaining(lacking) as string,
    })
  expect(submitted).toEqual([])
})

it('without a warehouse, the default one of the user runs the statement', async () => {
  const { submitted, answer } = sqlApi(orders)
  const { warehouse: _, ...rest } = metadata
  const options = { ...connection, metadata: rest, pause: async () => undefined }
  await using provider = await openProvider('snowflake', answer, options)
  expect(await readAll(provider.connector, { object: 'ORDERS', fields: 'all' })).toHaveLength(2)
  expect(submitted[0]).not.toHaveProperty('warehouse')
})

/** Each tries to leave the name, and to run something else. */
const hostile = [
  'ORDERS"; DROP TABLE "USERS"; --',
  'ORDERS" UNION SELECT * FROM "SECRETS',
  '""',
  '";',
  `ORDERS'); --`,
  'ORDERS\\"; --',
  'ORDERS; --',
]
it.each(hostile)('a table of the name %s stays a name', async (table) => {
  const { submitted, opened } = open({ columns: [['ID', 'text']], partitions: [[]] })
  await using provider = await opened
  await readAll(provider.connector, { object: table, fields: 'all' })
  const name = `"${table.replaceAll('"', '""')}"`
  expect(submitted.map(({ statement }) => statement)).toEqual([`SELECT * FROM "SALES"."PUBLIC".${name}`])
})

it.each(['DB"."X', 'X"; DROP DATABASE X; --'])('names that the customer entered stay names: %s', async (entered) => {
  const { submitted, answer } = sqlApi({ columns: [['ID', 'text']], partitions: [[]] })
  const values = { ...metadata, database: entered, schema: entered }
  await using provider = await openProvider('snowflake', answer, {
    ...connection,
    metadata: values,
    pause: async () => undefined,
  })
  await readAll(provider.connector, { object: 'T', fields: 'all' })
  const name = `"${entered.replaceAll('"', '""')}"`
  expect(submitted[0]?.statement).toBe(`SELECT * FROM ${name}.${name}."T"`)
})

it('control characters in names are refused, and nothing is sent', async () => {
  const { submitted, opened } = open(orders)
  await using provider = await opened
  const read = readAll(provider.connector, { object: 'A\nB', fields: 'all' })
  await expect(read).rejects.toMatchObject({ class: expect.stringMatching(/bad_request|unsupported_object/) as string })
  expect(submitted).toEqual([])
})

it.each([`T?id=A' OR '1'='1`, 'T?id=A"', 'T?id=A\\', 'T?changed=A"; --', 'T?id=A&id=B', 'T?other=1'])(
  'the name %s is none of an object',
  async (object) => {
    const { submitted, opened } = open(orders)
    await using provider = await opened
    const read = readAll(provider.connector, { object, fields: 'all' })
    await expect(read).rejects.toMatchObject({ class: 'unsupported_object' })
    expect(submitted).toEqual([])
  },
)

it('the fields of a table are its columns; names are bound as values', async () => {
  const { submitted, opened } = open({
    columns: [
      ['COLUMN_NAME', 'text'],
      ['DATA_TYPE', 'text'],
      ['NUMERIC_SCALE', 'fixed'],
      ['IS_NULLABLE', 'text'],
    ],
    partitions: [
      [
        ['ID', 'NUMBER', '0', 'NO'],
        ['TOTAL', 'NUMBER', '2', 'YES'],
        ['AT', 'TIMESTAMP_NTZ', null, 'YES'],
        ['Details', 'VARIANT', null, 'YES'],
      ],
    ],
  })
  await using provider = await opened
  const { fields } = await provider.connector.describeObject(`O'; --?id=ID`)
  expect(Object.values(fields).map((field) => [field.fieldName, field.valueType, field.isRequired])).toEqual([
    ['ID', 'int', true],
    ['TOTAL', 'float', false],
    ['AT', 'datetime', false],
    ['Details', 'other', false],
  ])
  expect(submitted[0]?.statement).toContain('FROM "SALES".INFORMATION_SCHEMA.COLUMNS WHERE TABLE_SCHEMA = ?')
  expect(submitted[0]?.bindings).toEqual({
    '1': { type: 'TEXT', value: 'PUBLIC' },
    '2': { type: 'TEXT', value: `O'; --` },
  })
})

it('a table without columns does not exist', async () => {
  const { opened } = open({ columns: [['COLUMN_NAME', 'text']], partitions: [[]] })
  await using provider = await opened
  await expect(provider.connector.describeObject('NONE')).rejects.toThrow('lists no field of the object')
})

it('tables and views are listed', async () => {
  const { submitted, opened } = open({
    columns: [
      ['TABLE_NAME', 'text'],
      ['ROW_COUNT', 'fixed'],
    ],
    partitions: [[['ORDERS', '7']]],
  })
  await using provider = await opened
  const records = await readAll(provider.connector, { object: 'INFORMATION_SCHEMA.TABLES', fields: ['row_count'] })
  expect(records).toEqual([{ id: 'ORDERS', fields: { row_count: 7 }, raw: { TABLE_NAME: 'ORDERS', ROW_COUNT: 7 } }])
  expect(submitted[0]?.bindings).toEqual({ '1': { type: 'TEXT', value: 'PUBLIC' } })
})

it.each([
  [422, { code: '002003', message: 'SQL compilation error: Object does not exist.', sqlState: '42S02' }, 'bad_request'],
  [401, { code: '390318', message: 'OAuth access token expired.' }, 'auth_invalidated'],
  [408, { code: '000630', message: 'Statement reached its statement timeout.' }, 'cursor_gone'],
  [429, { message: 'Too many requests' }, 'rate_limited'],
  [200, { message: 'Maintenance' }, 'unexpected_response'],
  [200, { code: '090001', resultSetMetaData: { rowType: [{ name: 'ID' }] }, data: [] }, 'unexpected_response'],
])('an answer of status %i with %j is %s', async (status, body, kind) => {
  await using provider = await openProvider('snowflake', () => ({ status, body }), connection)
  const read = readAll(provider.connector, { object: 'ORDERS', fields: 'all' })
  await expect(read).rejects.toMatchObject({ class: kind })
})
