import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { projectJoins } from './tables/project-joins.mjs'

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
  export const wholeDatabase = { backup: 'copies all tables' }
  export const sharedExpressions = { given: 'a row' }`

const distribution = (outside: string[]) =>
  `export const outsideProjects = { ${outside.map((table) => `${table}: ['local', 'people']`)} }`

const imports = `import { sql } from 'kysely'\n`

/** Checks a tree of these files below `features/shop`; returns what the check says, a line for each fault. */
function check(files: Record<string, string>, notYet: object = {}, outside = ['orders', 'carts', 'stocks']): string[] {
  const root = mkdtempSync(path.join(tmpdir(), 'mortise-tables-'))
  folders.push(root)
  const write = (name: string, content: string) => {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true })
    writeFileSync(path.join(root, name), content)
  }
  const source = 'packages/server/src'
  write('scripts/tables.json', JSON.stringify({ notYet }))
  write(`${source}/table-owners.ts`, owners)
  write(`${source}/table-distribution.ts`, distribution(outside))
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
    'sql`insert into carts select * from given`',
    'const add = (change, n) => sql`with c as (${change}), d as (insert into carts (n) values (${n})) select from c`',
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

it('lets the job queue alone touch the tables of pg-boss', () => {
  const text = 'sql`select from mortise_jobs.job for key share`'
  expect(check({ '../../kernel/jobs/a.ts': text })).toEqual([])
  expect(check({ 'carts/a.ts': text })).toEqual([expect.stringContaining('job is no table of')])
})

const odd: [...Case, fault: string][] = [
  ['cannot be parsed', 'sql`select from carts wher id = 1`', 'PostgreSQL cannot parse this statement'],
  [
    'writes to a shared expression',
    'sql`insert into given select 1`',
    'given is no table of packages/server/src/table-owners.ts',
  ],
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

const isOfProject = (table: string) => ['orders', 'carts', 'lines'].includes(table)
const faultsOfJoins = (text: string) => projectJoins(text, isOfProject).flatMap(({ faults }) => faults)

it.each([
  ['a join by id', 'select from orders o join carts on carts.id = o.id'],
  ['a second join by id', 'select from orders join carts using (project_id, id) join lines l on l.id = orders.id'],
  ['one side that names its project', 'select from orders, carts where orders.project_id = $1'],
  [
    'a project that only some rows have',
    'select from orders o, carts c where o.project_id = c.project_id or o.id = c.id',
  ],
  ['a subquery of ids', 'delete from carts where id in (select id from orders)'],
  ['a subquery that belongs to a row', 'select (select o.sum from orders o where o.id = c.id) from carts c'],
  [
    'an update from rows of a claim',
    'with due as (select id from orders) update carts set n = 1 from due where due.id = carts.id',
  ],
  ['an insert of rows of all projects', 'insert into carts (project_id, id) select $1, id from orders'],
  ['an insert under another project', 'insert into carts (id, project_id) select project_id, id from orders'],
  ['a list of projects', 'select from orders, carts where orders.project_id = any($1) and carts.project_id = any($1)'],
  [
    'a join with all of them',
    'select from orders o join stocks on stocks.id = o.id join carts on carts.id = stocks.id',
  ],
])('refuses %s across projects', (_, text) => {
  expect(faultsOfJoins(text)).toEqual([expect.stringMatching(/^no condition says that .* are of the same project$/)])
})

it.each([
  'select from orders o join carts c on c.project_id = o.project_id and c.id = o.id',
  'select from orders o join carts c on (c.project_id, c.id) = (o.project_id, o.id)',
  'select from orders join carts using (project_id, id) left join lines on lines.project_id = carts.project_id',
  'select from orders, carts where orders.project_id = $1 and carts.project_id = $2::uuid',
  'select from orders where (project_id, id) in (select project_id, id from carts)',
  'select from orders where exists (select from carts where carts.project_id is not distinct from orders.project_id)',
  'select from carts c, lateral (select from orders o where o.project_id = c.project_id limit 1) newest',
  `with due as (select project_id as project, id from orders for update skip locked), first (p, i) as (select project, id from due)
   update carts set n = 1 from first where carts.project_id = first.p and carts.id = first.i`,
  'with old as (delete from orders returning *) insert into carts (id, project_id) select id, project_id from old',
  'with old as (delete from orders returning *) insert into carts (id, project_id) select * from old',
  'with o as (update orders set n = 1 where project_id = $1) insert into carts (project_id, id) values ($1, $2)',
  'insert into carts as c (project_id, id) values ($1, $2) on conflict (project_id, id) do update set n = 1 where exists (select from orders where orders.project_id = excluded.project_id)',
  'select from unnest($1::uuid[], $2::uuid[]) as k (project_id, id) join orders using (project_id, id) join carts on carts.project_id = k.project_id',
  'select from orders join projects p on p.id = orders.project_id join carts on carts.project_id = p.id',
  'select count(*) from orders union all select count(*) from carts',
  'explain (format json) update carts set n = 1 from orders where orders.project_id = carts.project_id',
  'select from orders join stocks on stocks.id = orders.id join mortise_jobs.job on job.id = orders.id',
])('accepts a statement that joins rows of one project: %s', (text) => {
  expect(faultsOfJoins(text)).toEqual([])
})

it('names the statement that joins across projects', () => {
  const text = 'sql`select from orders one join orders other on other.id = one.id`'
  const files = {
    'orders/store.ts': `${text.replace('id = one', 'project_id = one.project_id and other.id = one')}\n${text}`,
  }
  expect(check(files, {}, ['carts'])).toEqual([
    'packages/server/src/features/shop/orders/store.ts:3: no condition says that orders other and orders one are of the same project',
  ])
  expect(check(files, {}, ['orders'])).toEqual([])
})

it('tells the parameters that the project is compared with', () => {
  const [found] = projectJoins(
    'select from orders o, carts c where o.project_id = $2 and c.project_id = $1',
    isOfProject,
  )
  expect(found?.parameters.toSorted()).toEqual([1, 2])
})
