import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAddressGuard, parseAllowedNetworks } from '../../../../kernel/net/index.ts'
import { openForTest } from '../conformance.testkit.ts'
import { schemaForGroup } from '../group-ref.ts'
import type { DestinationKind } from '../kind.ts'
import { type PostgresTarget, startPostgresTarget } from './conformance.testkit.ts'
import { postgres } from './index.ts'

const kind = postgres as DestinationKind
let target: PostgresTarget
beforeAll(async () => {
  target = await startPostgresTarget()
})
afterAll(() => target?.stop())

let count = 0
const message = (body: object) => ({
  id: `0197b1c0-0000-7000-8000-${String(count++).padStart(12, '0')}`,
  kind: 'read',
  eventType: undefined,
  body: Buffer.from(JSON.stringify(body)),
})
const records = (groupRef: string, id: string) =>
  message({ action: 'read', provider: 'hubspot', objectName: 'contact', groupRef, result: [{ id, fields: { n: 1 } }] })
const schemas = () =>
  target.query<{ name: string; tables: number }>(`
    select nspname as name, count(c.oid)::int as tables from pg_namespace n
      left join pg_class c on c.relnamespace = n.oid and c.relkind = 'r'
     where nspname like 'crm\\_%' group by 1 order by 1`)

describe('{{groupRef}} in the schema', () => {
  it('stores the records of each group in a schema, which Mortise creates', async () => {
    const { send, close } = openForTest(kind, { ...target.settings, schema: 'crm_{{groupRef}}' })
    const batch = [
      records('acme', '1'),
      records('globex', '2'),
      records('acme', '3'),
      message({ notificationType: 'x' }),
    ]
    for (const _ of ['created', 'known'])
      expect((await send(batch)).map(({ outcome }) => outcome)).toEqual(Array(4).fill('delivered'))
    await close()
    expect(await schemas()).toEqual([
      { name: 'crm__', tables: 1 },
      { name: 'crm_acme', tables: 1 },
      { name: 'crm_globex', tables: 1 },
    ])
    const rows = await target.query(`select _mortise_group as g, _mortise_id as id from crm_acme.contact order by 2`)
    expect(rows).toEqual([
      { g: 'acme', id: '1' },
      { g: 'acme', id: '3' },
    ])
  })

  it('with deletes: hard, removes the rows of a group in its schema alone', async () => {
    const { send, close } = openForTest(kind, { ...target.settings, schema: 'del_{{groupRef}}', deletes: 'hard' })
    const late = records('acme', '1')
    await send([records('acme', '1'), records('globex', '1')])
    const deleted = [{ id: '1', deleted: true }]
    const removal = message({
      action: 'read',
      provider: 'hubspot',
      objectName: 'contact',
      groupRef: 'acme',
      result: deleted,
    })
    const other = records('globex', '2')
    for (const one of [removal, late, other]) expect((await send([one]))[0]?.outcome).toBe('delivered')
    await close()
    expect(await target.query('select _mortise_id as id from del_acme.contact')).toEqual([])
    expect(await target.query('select _mortise_id as id from del_globex.contact order by 1')).toEqual([
      { id: '1' },
      { id: '2' },
    ])
    expect(await target.query('select from del_acme._mortise_deleted')).toHaveLength(1)
    expect(await target.query('select from del_globex._mortise_deleted')).toEqual([])
  })

  it('a group whose records cannot be stored holds up no other', async () => {
    await target.query('create schema crm_full; create view crm_full.contact as select 1 as one')
    const { send, close } = openForTest(kind, { ...target.settings, schema: 'crm_{{groupRef}}' })
    const results = await send([records('full', '1'), records('acme', '4')])
    await close()
    expect(results.map(({ outcome }) => outcome === 'delivered')).toEqual([false, true])
  })

  it('never gives two groups one schema, or a group a schema of PostgreSQL', () => {
    const groups = [
      'acme',
      'Acme',
      'ACME',
      'ac me',
      'ac-me',
      'ac_me',
      'ac"me',
      '_',
      '',
      'é',
      'x'.repeat(80),
      'x'.repeat(81),
    ]
    const names = groups.map((groupRef) => schemaForGroup('crm_{{groupRef}}', { groupRef }))
    names.push(...names.map((name) => schemaForGroup('crm_{{groupRef}}', { groupRef: name.slice(4) })))
    const distinct = new Set(groups.concat(names.slice(0, groups.length).map((name) => name.slice(4))))
    expect(new Set(names).size).toBe(distinct.size)
    for (const name of names) expect(Buffer.byteLength(name)).toBeLessThanOrEqual(63)
    expect(schemaForGroup('crm_{{groupRef}}', { groupRef: 'acme_2' })).toBe('crm_acme_2')
    expect(schemaForGroup('crm_{{groupRef}}', { groupRef: 'Acme Inc.' })).toMatch(/^crm_acme_inc__[0-9a-f]{8}$/)
  })

  it.each([
    '{{groupRef}}',
    'crm{{groupRef}}',
    'pg_{{groupRef}}',
    'information_{{groupRef}}',
    'crm_{{groupRef}}_x',
    'crm_{{group}}',
    'crm_{{groupRef',
    'a"b',
  ])('is refused in %s', (schema) => {
    const guard = createAddressGuard({ allow: parseAllowedNetworks('loopback') })
    const url = 'postgresql://mortise:secret@db.example.com/app'
    expect(kind.readSettings({ url, schema }, 'metadata', { guard }).issues.map(({ name }) => name)).toEqual([
      'metadata.schema',
    ])
  })
})
