import { expect, it } from 'vitest'
import { thingsProvider } from '../testing/provider.testkit.ts'
import { connected, readAll } from '../testing/things-reader.testkit.ts'

const types = `{ fixed: decimal, real: number, boolean: boolean, variant: json, instant: epochMicros }`
/** Columns are objects, and cells are values. */
const plain = `read:
  path: /things
  records: data
  rows: { columns: meta.columns, name: name, type: type, types: ${types} }`
/** Rows and cells are objects; a value may be a row, or a list. */
const nested = `read:
  path: /things
  records: rows
  unwrap: f
  rows:
    { columns: fields, name: name, type: type, types: { INT: decimal }, value: v, inner: fields, repeated: { mode: REPEATED } }`
/** The first row has the names. */
const headed = `read:
  path: /things
  records: values
  mayLackRecords: true
  id: row
  rows: { mayBeShort: true, number: row }`

async function rawOf(object: string, body: unknown): Promise<unknown[]> {
  let raw: unknown[] = []
  await connected(
    object,
    () => ({ body }),
    async (connector) => {
      raw = (await readAll(connector)).flat().map((record) => record.raw)
    },
  )
  return raw
}

async function failureOf(object: string, body: unknown, status = 200): Promise<string> {
  let message = ''
  await connected(
    object,
    () => ({ status, body }),
    async (connector) => {
      const read = readAll(connector)
      await expect(read).rejects.toMatchObject({ class: 'unexpected_response' })
      message = await read.then(
        () => '',
        (error: unknown) => String(error),
      )
    },
  )
  return message
}

const meta = (...names: unknown[]) => ({ meta: { columns: names.map((name) => ({ name, type: 'TEXT' })) } })

it('rows become records by the names of the columns, with an id as every record', async () => {
  await connected(
    plain,
    () => ({
      body: {
        ...meta('id', 'Name'),
        data: [
          ['7', 'Ada'],
          ['8', null],
        ],
      },
    }),
    async (connector) => {
      const { records } = await connector.readPage({ object: 'things', fields: ['name'] })
      expect(records).toEqual([
        { id: '7', fields: { name: 'Ada' }, raw: { id: '7', Name: 'Ada' } },
        { id: '8', fields: { name: null }, raw: { id: '8', Name: null } },
      ])
    },
  )
})

it('the type of a column decides what its texts become, and no digit is lost', async () => {
  const columns = ['FIXED', 'fixed', 'fixed', 'REAL', 'real', 'BOOLEAN', 'VARIANT', 'variant', 'instant', 'TEXT'].map(
    (type, at) => ({ name: `c${at}`, type }),
  )
  const cells = ['12.50', '9007199254740993', '-0001.5e3', '0.1000000000000000055', 'NaN', 'TRUE', '{"a":[1]}'].concat([
    'undefined',
    '1767225600123456',
    '5',
  ])
  expect(await rawOf(plain, { meta: { columns }, data: [cells] })).toEqual([
    {
      c0: 12.5,
      c1: '9007199254740993',
      c2: -1500,
      c3: 0.1,
      c4: 'NaN',
      c5: true,
      c6: { a: [1] },
      c7: 'undefined',
      c8: '2026-01-01T00:00:00.123456Z',
      c9: '5',
    },
  ])
})

it.each([
  ['1e-400', '1e-400'],
  ['-1.5E-320', '-1.5E-320'],
  ['1e400', '1e400'],
  ['-9.9E+16384', '-9.9E+16384'],
  ['1e300', 1e300],
  ['2.5e-300', 2.5e-300],
  ['0', 0],
  ['-0.000', 0],
  ['0e-400', 0],
])('a decimal of any size keeps its value: %s', async (text, value) => {
  const body = { meta: { columns: [{ name: 'c', type: 'fixed' }] }, data: [[text]] }
  expect(JSON.stringify(await rawOf(plain, body))).toBe(JSON.stringify([{ c: value }]))
})

it.each([
  ['fixed', '1,5', 'decimal'],
  ['fixed', '1e', 'decimal'],
  ['real', '1e400', 'number'],
  ['fixed', '', 'decimal'],
  ['real', '0x10', 'number'],
  ['boolean', 'yes', 'boolean'],
  ['instant', '1.7E9', 'epochMicros'],
])('a value of the type %s that is "%s" is an error', async (type, value, wanted) => {
  const body = { meta: { columns: [{ name: 'c', type }] }, data: [[value]] }
  expect(await failureOf(plain, body)).toContain(`The column "c" has a value that is no ${wanted}.`)
})

it('a value of a nested row is an object, and a repeated one a list', async () => {
  const fields = [
    { name: 'id', type: 'STRING' },
    { name: 'at', type: 'RECORD', fields: [{ name: 'n', type: 'int' }] },
    { name: 'tags', type: 'STRING', mode: 'REPEATED' },
    { name: 'lines', type: 'RECORD', mode: 'REPEATED', fields: [{ name: 'n', type: 'INT' }] },
  ]
  const cell = (v: unknown) => ({ v })
  const row = (...cells: unknown[]) => ({ f: cells.map(cell) })
  const rows = [row('1', row('5'), [cell('a'), cell('b')], [cell(row('6')), cell(row(null))]), row('2', null, [], [])]
  expect(await rawOf(nested, { fields, rows })).toEqual([
    { id: '1', at: { n: 5 }, tags: ['a', 'b'], lines: [{ n: 6 }, { n: null }] },
    { id: '2', at: null, tags: [], lines: [] },
  ])
})

it('a first row of names: rows that end early have nulls, rows without a value are none, and numbers are kept', async () => {
  const values = [['name', 'mail'], ['Ada'], [], ['', ''], ['Bob', 'b@x.example']]
  expect(await rawOf(headed, { values })).toEqual([
    { name: 'Ada', mail: null, row: 2 },
    { name: 'Bob', mail: 'b@x.example', row: 5 },
  ])
  // An empty sheet, and one with names only.
  expect(await rawOf(headed, { range: 'A1:Z' })).toEqual([])
  expect(await rawOf(headed, { values: [['name']] })).toEqual([])
})

it('a column with the name of the number is an error in any letter case', async () => {
  const object = headed.replace('number: row', 'number: ROW')
  expect(await failureOf(object, { values: [['Row'], ['1']] })).toContain('has the name of the field for the number')
})

it('with an offset, the number of a row is its offset', async () => {
  const object = `read:
  path: /things
  query: { skip: '{{offset}}' }
  records: data
  id: row
  pageSizeMax: 2
  paging: { kind: offset, first: 2 }
  rows: { columns: names, number: row }`
  await connected(
    object,
    ({ url }) => {
      const skip = Number(url.searchParams.get('skip'))
      return { body: { names: ['n'], data: [['a'], ['b'], ['c']].slice(skip - 2, skip) } }
    },
    async (connector) => {
      const records = (await readAll(connector)).flat()
      expect(records.map(({ id, raw }) => [id, raw['n']])).toEqual([
        ['2', 'a'],
        ['3', 'b'],
        ['4', 'c'],
      ])
    },
  )
})

it.each([
  ['a row with more cells than columns', { ...meta('a'), data: [['1', '2']] }, '2 cells, and there are 1 columns'],
  ['a row with fewer cells', { ...meta('a', 'b'), data: [['1', '2'], ['1']] }, '1 cells, and there are 2 columns'],
  ['a row that is an object', { ...meta('a'), data: [{ a: '1' }] }, 'not a list of cells'],
  ['a row that is a text', { ...meta('a'), data: ['1'] }, 'not a list of cells'],
  ['a row that is null', { ...meta('a'), data: [null] }, 'not a list of cells'],
  ['a column twice', { ...meta('a', 'a'), data: [['1', '2']] }, 'has the column "a" twice'],
  ['a column twice in other letters', { ...meta('a', 'A'), data: [['1', '2']] }, 'has the column "A" twice'],
  ['a column without a name', { meta: { columns: [{ type: 'TEXT' }] }, data: [['1']] }, 'has no name'],
  ['a column with an empty name', { ...meta(' '), data: [['1']] }, 'has no name'],
  ['a column whose name is an object', { ...meta({}), data: [['1']] }, 'has no name'],
  ['a column that is null', { meta: { columns: [null] }, data: [['1']] }, 'has no name'],
  ['a column that would be a prototype', { ...meta('__proto__'), data: [['1']] }, '__proto__'],
  ['no columns', { data: [['1']] }, '"meta.columns" of the response is not a list of columns'],
  ['no columns, and no rows', { data: [] }, '"meta.columns" of the response is not a list of columns'],
  ['columns that are null', { meta: { columns: null }, data: [['1']] }, 'not a list of columns'],
  ['columns that are an object', { meta: { columns: { a: 1 } }, data: [['1']] }, 'not a list of columns'],
  ['no rows', meta('a'), '"data" of the response is not a list of records'],
  ['rows that are an object', { ...meta('a'), data: { 0: ['1'] } }, 'not a list of records'],
])('%s: an error of the provider, and no record', async (_, body, message) => {
  expect(await failureOf(plain, body)).toContain(message)
})

it.each([
  ['a row longer than the names', { values: [['a'], ['1', '2']] }, '2 cells, and there are 1 columns'],
  [
    'a name twice',
    {
      values: [
        ['a', 'a'],
        ['1', '2'],
      ],
    },
    'has the column "a" twice',
  ],
  [
    'an empty name',
    {
      values: [
        ['a', ''],
        ['1', '2'],
      ],
    },
    'has no name',
  ],
  ['a first row that is no list', { values: ['a', ['1']] }, 'The first row is not a list of columns'],
  ['a column with the name of the number', { values: [['Row'], ['1']] }, 'has the name of the field for the number'],
])('a first row of names, and %s: an error', async (_, body, message) => {
  expect(await failureOf(headed, body)).toContain(message)
})

it.each([
  [
    'a cell that is no object',
    { fields: [{ name: 'a' }], rows: [{ f: ['1'] }] },
    'A cell of the response has no value',
  ],
  ['a cell without a value', { fields: [{ name: 'a' }], rows: [{ f: [{}] }] }, 'A cell of the response has no value'],
  ['a row without cells', { fields: [{ name: 'a' }], rows: [{}] }, 'not a list of cells'],
  [
    'a repeated value that is none',
    { fields: [{ name: 'a', mode: 'REPEATED' }], rows: [{ f: [{ v: 'x' }] }] },
    'A value of the column "a" is not a list',
  ],
  [
    'a nested row of another length',
    { fields: [{ name: 'a', fields: [{ name: 'b' }] }], rows: [{ f: [{ v: { f: [] } }] }] },
    '0 cells, and there are 1 columns',
  ],
  ['nested columns that are a text', { fields: [{ name: 'a', fields: 'b' }], rows: [] }, 'not a list of columns'],
])('%s: an error', async (_, body, message) => {
  expect(await failureOf(nested, body)).toContain(message)
})

it('columns inside columns without end are an error', async () => {
  let column: object = { name: 'a' }
  for (let depth = 0; depth < 30; depth++) column = { name: 'a', fields: [column] }
  expect(await failureOf(nested, { fields: [column], rows: [] })).toContain('more than 20 levels deep')
})

it('a page of HTML is an error of the provider', async () => {
  expect(await failureOf(plain, '<html><title>Sign in</title></html>')).toContain('titled "Sign in"')
})

it.each([
  ['rows: { type: t }, keyedBy: id', 'cannot be used with "keyedBy"'],
  ['rows: { type: t }, single: true', 'cannot be used with "single"'],
  ['rows: { type: t }, within: { list: a }', 'cannot be used with "within"'],
  ['rows: { type: t }, format: csv', 'needs responses in JSON'],
  ['rows: { types: { a: json } }', 'needs "type"'],
  [`rows: { type: t }, query: { p: '{{page}}' }, paging: { kind: page }`, 'needs "columns": only the first page'],
  ['rows: { types: { a: text }, type: t }', 'number'],
])('a file is refused that has %s', (read, message) => {
  expect(() => thingsProvider(`read: { path: /things, ${read} }`)).toThrow(message)
})
