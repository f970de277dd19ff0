import { createConnection } from 'mysql2/promise'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAddressGuard, parseAllowedNetworks } from '../../../../kernel/net/index.ts'
import { openForTest } from '../conformance.testkit.ts'
import type { DestinationKind } from '../kind.ts'
import { recordMessages } from '../tables/record-message.testkit.ts'
import { type MysqlTarget, startMysqlTarget } from './conformance.testkit.ts'
import { mysql } from './index.ts'
import { hasMysqlServer, serverUrl } from './mysql-server.testkit.ts'

const kind = mysql as DestinationKind

describe.skipIf(!(await hasMysqlServer()))('{{groupRef}} in the database', () => {
  let target: MysqlTarget
  let prefix: string
  beforeAll(async () => {
    target = await startMysqlTarget()
    const [{ user }] = (await target.query<{ user: string }>('select database() as user')) as [{ user: string }]
    prefix = `g${user.slice(-8)}_`
    // What docs/destinations/mysql.md says that it needs.
    const underscored = prefix.replaceAll('_', '\\_')
    await target.query(`grant select, insert, update, delete, create, alter on \`${underscored}%\`.* to ${user}`)
  })
  afterAll(async () => {
    if (target === undefined) return
    for (const { name } of await databases()) await target.query(`drop database \`${name}\``)
    await target.stop()
  })

  const message = recordMessages()
  const contact = (groupRef: string, id: string) => message([{ id, fields: { n: 1 } }], { groupRef })
  const databases = () =>
    target.query<{ name: string; tables: number }>(`
      select schema_name as name, (select count(*) from information_schema.tables where table_schema = schema_name) as tables
        from information_schema.schemata where schema_name like '${prefix.replaceAll('_', '\\_')}%' order by binary schema_name`)
  const sender = () => openForTest(kind, { ...target.settings, database: `${prefix}{{groupRef}}` })

  it('stores the records of each group in a database, which Mortise creates', async () => {
    const { send, close } = sender()
    const batch = [contact('acme', '1'), contact('globex', '2'), contact('acme', '3')]
    const notice = { ...contact('', '4'), body: Buffer.from(JSON.stringify({ notificationType: 'x' })) }
    for (const _ of ['created', 'known'])
      expect((await send([...batch, notice])).map(({ outcome }) => outcome)).toEqual(Array(4).fill('delivered'))
    await close()
    expect(await databases()).toEqual([
      { name: `${prefix}_`, tables: 1 },
      { name: `${prefix}acme`, tables: 1 },
      { name: `${prefix}globex`, tables: 1 },
    ])
    const rows = await target.query(
      `select _mortise_group as g, _mortise_id as id from ${prefix}acme.contacts order by 2`,
    )
    expect(rows).toEqual([
      { g: 'acme', id: '1' },
      { g: 'acme', id: '3' },
    ])
    expect(await target.query(`show tables like 'contacts'`)).toEqual([])
  })

  it('with deletes: hard, removes the rows of a group in its database alone', async () => {
    const settings = { ...target.settings, database: `${prefix}del_{{groupRef}}`, deletes: 'hard' }
    const { send, close } = openForTest(kind, settings)
    const late = contact('acme', '1')
    await send([contact('acme', '1'), contact('globex', '1')])
    const removal = message([{ id: '1', deleted: true }], { groupRef: 'acme' })
    for (const one of [removal, late, contact('globex', '2')])
      expect((await send([one])).map(({ outcome }) => outcome)).toEqual(['delivered'])
    await close()
    expect(await target.query(`select _mortise_id as id from ${prefix}del_acme.contacts`)).toEqual([])
    expect(await target.query(`select _mortise_id as id from ${prefix}del_globex.contacts order by 1`)).toEqual([
      { id: '1' },
      { id: '2' },
    ])
    for (const { name } of (await databases()).filter((one) => one.name.startsWith(`${prefix}del_`)))
      await target.query(`drop database \`${name}\``)
  })

  it('adds the columns of new fields in the database of the group alone', async () => {
    const { send, close } = sender()
    await send([contact('narrow', '1'), contact('wide', '1')])
    const wider = message([{ id: '1', fields: { n: 1, email: 'ada@acme.test' } }], { groupRef: 'wide' })
    expect((await send([wider])).map(({ outcome }) => outcome)).toEqual(['delivered'])
    await close()
    const withEmail = await target.query(`
      select table_schema as name from information_schema.columns
       where column_name = 'email' and table_schema like '${prefix.replaceAll('_', '\\_')}%'`)
    expect(withEmail).toEqual([{ name: `${prefix}wide` }])
  })

  it('a group whose records cannot be stored holds up no other', async () => {
    await target.query(`create database ${prefix}full`)
    await target.query(`create view ${prefix}full.contacts as select 1 as one`)
    const { send, close } = sender()
    const results = await send([contact('full', '1'), contact('acme', '5')])
    await close()
    expect(results.map(({ outcome }) => outcome === 'delivered')).toEqual([false, true])
  })

  it('groups whose names MySQL cannot have get different databases', async () => {
    const groups = ['Ac me', 'ac-me', '𐌰', '𐌱', 'x'.repeat(80), 'x'.repeat(81)]
    const before = new Set((await databases()).map(({ name }) => name))
    const { send, close } = sender()
    const results = await send(groups.map((groupRef) => contact(groupRef, '1')))
    await close()
    expect(results.map(({ outcome }) => outcome)).toEqual(groups.map(() => 'delivered'))
    expect((await databases()).filter(({ name }) => !before.has(name))).toHaveLength(groups.length)
  })

  it('a test checks the databases of all groups, and stores nothing', async () => {
    const { send, close } = sender()
    await send([contact('checked', '1')])
    await close()
    const before = await databases()
    expect(await check(`${prefix}{{groupRef}}`)).toEqual({ outcome: 'delivered' })
    expect(await check('elsewhere_{{groupRef}}')).toMatchObject({
      outcome: 'retry',
      error: expect.stringMatching(
        /does not permit this user to create a table in databases such as elsewhere__mortise/,
      ),
    })
    await target.query(`alter table ${prefix}checked.contacts drop column _mortise_raw`)
    expect(await check(`${prefix}{{groupRef}}`)).toMatchObject({
      outcome: 'retry',
      error: expect.stringContaining(`Table: ${prefix}checked.contacts.`),
    })
    expect(await databases()).toEqual(before)
  })

  async function check(database: string) {
    const opened = openForTest(kind, { ...target.settings, database })
    const options = { time: new Date(), timeoutMs: 10_000, signal: new AbortController().signal }
    const result = await opened.sender.check?.(options)
    await opened.close()
    return result
  }

  it('needs no permission to create a database that exists', async () => {
    const [{ user }] = (await target.query<{ user: string }>('select database() as user')) as [{ user: string }]
    const admin = await createConnection({ uri: serverUrl })
    await admin.query(`create database given_${user}`)
    await admin.query(`grant select, insert, update, alter on given_${user}.* to ${user}`)
    await admin.query(`grant create on given_${user}.contacts to ${user}`)
    const group = user.toLowerCase()
    const { send, close } = openForTest(kind, { ...target.settings, database: 'given_{{groupRef}}' })
    try {
      expect((await send([contact(group, '1')])).map(({ outcome }) => outcome)).toEqual(['delivered'])
    } finally {
      await close()
      await admin.query(`drop database given_${user}`)
      await admin.end()
    }
  })
})

it.each([
  'crm',
  '{{groupRef}}',
  'crm{{groupRef}}',
  'information_{{groupRef}}',
  'Performance_{{groupRef}}',
  'crm_{{x}}',
])('%s is refused as the database of groups', (database) => {
  const guard = createAddressGuard({ allow: parseAllowedNetworks('loopback') })
  const url = 'mysql://mortise:secret@db.example.com/app'
  expect(kind.readSettings({ url, database }, 'metadata', { guard }).issues.map(({ name }) => name)).toEqual([
    'metadata.database',
  ])
})
