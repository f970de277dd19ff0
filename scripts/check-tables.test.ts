import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, expect, it } from 'vitest'

const folders: string[] = []
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

const owners = `
  export const tableOwners = {
    orders: { owner: 'orders', readBy: { reports: 'joined' } },
    carts: { owner: 'carts' },
    stocks: { owner: 'kernel/stock' },
  }
  export const wholeDatabase = { backup: 'copies all tables' }`

const imports = `import { sql } from 'kysely'\n`

/** Checks a tree of these files below `features/shop`; returns what the check says, a line for each fault. */
function check(files: Record<string, string>, notYet: object = {}): string[] {
  const root = mkdtempSync(path.join(tmpdir(), 'mortise-tables-'))
  folders.push(root)
  const write = (name: string, content: string) => {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true })
    writeFileSync(path.join(root, name), content)
  }
  const source = 'packages/server/src'
  write('scripts/tables.json', JSON.stringify({ notYet }))
  write(`${source}/table-owners.ts`, owners)
  write(`${source}/features/shop/reports/store.ts`, `${imports}sql\`select from orders\``)
  for (const [name, text] of Object.entries(files)) write(`${source}/features/shop/${name}`, imports + text)
  const { stderr, status } = spawnSync(process.execPath, [path.join(import.meta.dirname, 'check-tables.mjs'), root], {
    encoding: 'utf8',
  })
  expect(status).toBe(stderr === '' ? 0 : 1)
  return stderr.split('\n').filter((line) => line !== '')
}

type Case = [what: string, text: string]

/** Checks each case as a file of the feature `carts`, all in one tree; returns the faults of a case by its name. */
function checkAll(cases: readonly (readonly string[])[]): (what: string) => string[] {
  const name = (what: string) => `carts/${what.replaceAll(' ', '-')}.ts`
  const lines = check(Object.fromEntries(cases.map(([what = '', text = '']) => [name(what), text])))
  return (what) =>
    lines.filter((line) => line.includes(`/${name(what)}:`)).map((line) => line.replace(/^\S+:(\d+): /, '$1: '))
}

const writing: Case[] = [
  ['an insert', 'sql`insert into orders (id) values (${id}) on conflict (id) do update set id = excluded.id`'],
  ['an update', 'sql`update only orders as o set id = ${id} from carts where carts.id = o.id`'],
  ['a delete', 'sql`delete from orders using carts where orders.id = carts.id`'],
  ['a merge', 'sql`merge into orders using carts on orders.id = carts.id when matched then delete`'],
  ['a truncate', 'sql`truncate carts, orders`'],
  ['a lock for an update', 'sql`select from carts c join orders o using (id) for no key update of o skip locked`'],
  ['an expression that writes', 'sql`with o as (insert into orders default values returning id) select from o`'],
  ['an insert of the query builder', `db.sql.insertInto('orders').values({ id })`],
  ['an update of the query builder', `db.sql.updateTable('orders as o').set({ id })`],
  ['a delete of the query builder', `db.sql.deleteFrom(isOld ? 'carts' : 'orders')`],
  ['a lock of the query builder', `db.sql.selectFrom('orders').selectAll().where('id', '=', id).forUpdate()`],
  ['a text for the driver', 'client.query(`update orders set id = $1 where ${condition}`, [id])'],
  ['a declaration for the work engine', `const orders: WorkTable<Row> = { table: 'orders', key: ['id'] }`],
  ['a raw text', `sql.raw('delete from orders')`],
]

const faultsOfWriting = checkAll(writing)
it.each(writing)('refuses that %s touches the table of another module', (what) => {
  expect(faultsOfWriting(what)).toContain('2: carts writes orders, which belongs to orders; call a function of orders')
})

const reading: Case[] = [
  ['a join', 'sql`select from carts join orders using (id)`'],
  ['a lateral join', 'sql`select from carts c, lateral (select from orders o where o.id = c.id) x`'],
  ['a subquery of a condition', 'sql`delete from carts where id in (select id from orders)`'],
  ['an expression with the name of no table', 'sql`with x as (select id from orders) select from x`'],
  ['a join of the query builder', `db.sql.selectFrom('carts').innerJoin('orders', 'orders.id', 'carts.id')`],
  ['a fragment of a condition', 'const c = sql`exists (select from orders)`; sql`select from carts where ${c}`'],
  ['a fragment that a function returns', 'const c = (x) => sql`orders`; const q = sql`select from ${c(1)}`'],
  [
    'the second of two fragments',
    'const q = sql`select from carts where ${a ? sql`true` : sql`id in (table orders)`}`',
  ],
  ['one of several fragments', 'const f = { a: sql`carts`, b: sql`orders` }; const q = sql`select from ${f[x]}`'],
  ['a table by a name of a type', `const f = (t: 'carts' | 'orders') => sql\`select from \${sql.table(t)}\``],
  ['a fragment that no statement here has', 'export const tables = sql`carts join orders using (id)`'],
]

const faultsOfReading = checkAll(reading)
it.each(reading)('refuses that %s reads the table of another module', (what) => {
  expect(faultsOfReading(what)).toEqual([expect.stringContaining('2: carts reads orders, which belongs to orders')])
})

it('accepts statements on own tables, names of expressions, and tables that are declared as readable', () => {
  const own = [
    'sql`with orders as (select from carts for update) select from orders, pg_class, unnest(${ids}::uuid[]) x`',
    `db.sql.selectFrom('carts').forUpdate()`,
    'const rows = list.map((x) => sql`(${x}, 1)`)',
    'sql`insert into carts (id, n) values ${sql.join(rows)}`',
    `const b = Buffer.from('orders')`,
  ].join('\n')
  expect(check({ 'carts/store.ts': own })).toEqual([])
})

it('counts a fragment for the module that wrote it', () => {
  const orders = 'export const insertOrders = (x) => sql`insert into orders ${x}`'
  const carts = `import { insertOrders } from '../orders/index.ts'
    sql\`with c as (select from carts), o as (\${insertOrders(sql\`table c\`)}) select from c\``
  expect(check({ 'orders/index.ts': orders, 'carts/store.ts': carts })).toEqual([])
})

it('lets modules of the whole database touch every table, and kernel modules only theirs', () => {
  const files = { '../../backup/a.ts': 'sql`truncate orders`', '../../kernel/stock/a.ts': 'sql`delete from orders`' }
  expect(check(files)).toEqual([expect.stringContaining('kernel/stock writes orders')])
})

const odd: [...Case, fault: string][] = [
  ['cannot be parsed', 'sql`select from carts wher id = 1`', 'PostgreSQL cannot parse this statement'],
  ['names an unknown table', 'sql`select from chairs`', 'chairs is no table of packages/server/src/table-owners.ts'],
  [
    'gets its table from elsewhere',
    'const f = (t: string) => sql`table ${sql.id(t)}`',
    'the name of a table is not known',
  ],
  ['builds on an unknown name', 'db.sql.selectFrom(name)', 'selectFrom names a table that cannot be read here'],
]

const faultsOfOdd = checkAll(odd)
it.each(odd)('refuses a statement that %s', (what, _, fault) => {
  expect(faultsOfOdd(what)).toEqual([expect.stringContaining(fault)])
})

it('accepts what is listed as not moved yet, and asks to remove what no statement needs', () => {
  const foreign = { 'carts/store.ts': 'sql`delete from orders`' }
  const listed = { carts: ['orders'] }
  expect(check(foreign, listed)).toEqual([])
  const outdated = check({ 'reports/store.ts': '' }, listed)
  expect(outdated).toContainEqual(expect.stringMatching(/carts uses orders: .* remove the entry/))
  expect(outdated).toContainEqual(expect.stringMatching(/reports reads orders: .* remove the entry/))
})
