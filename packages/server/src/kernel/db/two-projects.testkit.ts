import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { createTestDatabase, type TestDatabase } from '../../testkit/test-database.ts'
import { newId } from './index.ts'

/** Rows of two projects in every table of a project, and statements without a condition that look for them. */
export interface TwoProjects {
  testDatabase: TestDatabase
  superuser: pg.Client
  projects: [string, string]
  tables: Table[]
  /** What is visible and can be changed without a condition, as a role and for a project. */
  reach(as: Caller, table: Table): Promise<Reached>
  /** Runs in a transaction that is undone, as the role and for the project of it. */
  within<T>(as: Caller, work: () => Promise<T>): Promise<T>
  /** Returns the statement that inserts a row into a table. */
  insertStatement(table: Table, project: string): Promise<string>
  close(): Promise<void>
}

export interface Table {
  name: string
  /** The column that names the project. */
  tenant: string
  isPartition: boolean
}

export interface Caller {
  role: string
  project?: string
}

export interface Reached {
  /** Projects of the rows that are seen. */
  seen: (string | null)[]
  updated: number | null
  deleted: number | null
}

export async function openTwoProjects(): Promise<TwoProjects> {
  const testDatabase = await createTestDatabase()
  const superuser = await connectAs(testDatabase.url, 'postgres')
  const projects: [string, string] = [newId(), newId()]
  // Without the rows that they would refer to, and whatever their checks say.
  await superuser.query('set session_replication_role = replica')
  await dropChecks(superuser)
  // Partitions of counts are created when the first ones are stored.
  await superuser.query('select ensure_count_partitions(current_date, current_date)')
  const tables = await projectTables(superuser)
  for (const table of tables.filter(({ isPartition }) => !isPartition))
    for (const project of projects) await superuser.query(await insertStatement(superuser, table, project))
  // Nobody has rights on a partition itself. Here they are given, to see that it is protected as well.
  const names = tables.map(({ name }) => name).join(', ')
  // The same for what the rights keep append-only.
  await superuser.query(`grant select, insert, update, delete on ${names} to mortise_app, mortise_system`)

  const within: TwoProjects['within'] = async ({ role, project }, work) => {
    await superuser.query('begin')
    try {
      await superuser.query(`set local session_replication_role = origin; set local role ${role}`)
      if (project) await superuser.query(`select set_config('mortise.project', $1, true)`, [project])
      return await work()
    } finally {
      await superuser.query('rollback')
    }
  }
  const count = async (text: string) => (await superuser.query(text)).rowCount
  return {
    testDatabase,
    superuser,
    projects,
    tables,
    within,
    reach: (as, { name, tenant }) =>
      within(as, async () => {
        const { rows } = await superuser.query<{ project: string | null }>(`select ${tenant} as project from ${name}`)
        return {
          seen: rows.map(({ project }) => project).toSorted(),
          updated: await count(`update ${name} set ${tenant} = ${tenant}`),
          deleted: await count(`delete from ${name}`),
        }
      }),
    insertStatement: (table, project) => insertStatement(superuser, table, project),
    async close() {
      await superuser.end()
      await testDatabase.drop()
    },
  }
}

export async function connectAs(url: string, user: string): Promise<pg.Client> {
  const to = new URL(url)
  to.username = user
  const client = new pg.Client({ connectionString: to.href, options: '-c search_path=mortise' })
  client.on('error', () => undefined)
  await client.connect()
  return client
}

/** Every table with a project, partitions included, as the catalog lists them now. */
async function projectTables(client: pg.Client): Promise<Table[]> {
  const { rows } = await client.query<Table>(`
    select relname as name, relispartition as "isPartition", case relname when 'projects' then 'id' else 'project_id' end as tenant
      from pg_class c
     where relnamespace = 'mortise'::regnamespace and relkind in ('r', 'p')
       and (relname = 'projects' or exists (select from pg_attribute where attrelid = c.oid and attname = 'project_id'))
     order by relname`)
  if (rows.length < 50) throw new Error('the tables of projects are not where they were')
  return rows
}

async function dropChecks(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ drop: string }>(`
    select format('alter table %s drop constraint %I', conrelid::regclass, conname) as drop
      from pg_constraint where contype = 'c' and coninhcount = 0 and connamespace = 'mortise'::regnamespace and conrelid <> 0`)
  for (const { drop } of rows) await client.query(drop)
}

/** A row whose other values are made up. */
async function insertStatement(client: pg.Client, { name, tenant }: Table, project: string): Promise<string> {
  const { rows: columns } = await client.query<{ name: string; type: string }>(
    `select attname as name, format_type(atttypid, null) as type from pg_attribute
      where attrelid = to_regclass($1) and attnum > 0 and not attisdropped and (attnotnull and not atthasdef or attname = $2)`,
    [name, tenant],
  )
  const value = (type: string): string => {
    if (type === 'uuid') return `'${newId()}'`
    if (type === 'text') return `'${randomBytes(8).toString('hex')}'`
    if (type === 'bytea') return `'\\x${randomBytes(8).toString('hex')}'`
    if (type === 'boolean') return 'false'
    if (type === 'integer' || type === 'bigint' || type === 'smallint') return '1'
    if (type.startsWith('json')) return `'{}'`
    if (type.endsWith('[]')) return `'{}'`
    if (type.startsWith('timestamp')) return 'now()'
    if (type === 'date') return 'current_date'
    throw new Error(`There is no value of type ${type} here: add one.`)
  }
  const values = columns.map((column) => (column.name === tenant ? `'${project}'` : value(column.type)))
  return `insert into ${name} (${columns.map((column) => column.name).join(', ')}) values (${values.join(', ')})`
}
