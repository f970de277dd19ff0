import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createAddressGuard, parseAllowedNetworks } from '../../../../kernel/net/index.ts'
import { bigquery } from '../bigquery/index.ts'
import { startBigQueryTables } from '../bigquery/tables-target.testkit.ts'
import { hasChdb } from '../clickhouse/chdb.testkit.ts'
import { clickhouse } from '../clickhouse/index.ts'
import { startChdbTables, startClickHouseTables } from '../clickhouse/tables-target.testkit.ts'
import { openForTest } from '../conformance.testkit.ts'
import type { DestinationKind, OutgoingMessage, SenderServices } from '../kind.ts'
import { redshift } from '../redshift/index.ts'
import { startRedshiftTables } from '../redshift/tables-target.testkit.ts'
import { snowflake } from '../snowflake/index.ts'
import { startSnowflakeTables } from '../snowflake/tables-target.testkit.ts'
import { recordMessages } from '../tables/record-message.testkit.ts'
import { namespaceForGroup } from './namespace.ts'
import type { WarehouseTarget } from './warehouse-target.testkit.ts'

interface Tested {
  name: string
  kind: DestinationKind
  start: () => Promise<WarehouseTarget>
  /** The setting that names the namespace. */
  setting: string
  /** How the warehouse writes names. */
  cased(name: string): string
  /** Whether its users have all permissions. */
  isOpen?: boolean
  /** Distance of the requests between which connections end, where there are many. */
  step?: number
}

const same = (name: string) => name
const ofClickHouse = { kind: clickhouse as DestinationKind, setting: 'database', cased: same }
const warehouses: Tested[] = [
  ...(hasChdb() ? [{ ...ofClickHouse, name: 'a real clickhouse', start: startChdbTables, isOpen: true }] : []),
  { ...ofClickHouse, name: 'clickhouse', start: startClickHouseTables },
  {
    name: 'snowflake',
    kind: snowflake as DestinationKind,
    start: startSnowflakeTables,
    setting: 'schemaName',
    cased: (name) => name.toUpperCase(),
    step: 4,
  },
  {
    name: 'bigquery',
    kind: bigquery as DestinationKind,
    start: startBigQueryTables,
    setting: 'datasetId',
    cased: same,
    step: 3,
  },
  {
    name: 'redshift',
    kind: redshift as DestinationKind,
    start: startRedshiftTables,
    setting: 'schemaName',
    cased: (name) => name.toLowerCase(),
    step: 7,
  },
]

/** The prefix has an uppercase letter: some warehouses change it. */
const placeholder = 'Crm_{{groupRef}}'

describe.each(warehouses)('{{groupRef}} in tables of $name', ({ kind, start, setting, cased, isOpen, step = 1 }) => {
  let target: WarehouseTarget
  let opened: ReturnType<typeof openForTest>
  let fieldTypes: SenderServices['fieldTypes']
  const message = recordMessages()
  beforeEach(async () => {
    target = await start()
    fieldTypes = async () => []
    opened = openForTest(
      kind,
      { ...target.settings, [setting]: placeholder },
      { fieldTypes: (objects) => fieldTypes(objects) },
    )
  })
  afterEach(async () => {
    vi.restoreAllMocks()
    await opened.close()
    await target.stop()
  })

  const table = kind.name === 'snowflake' ? 'CONTACTS' : 'contacts'
  const messages = kind.name === 'snowflake' ? '_MORTISE_MESSAGES' : '_mortise_messages'
  const of = (groupRef: string, id = '1', email = 'a@x') => message([{ id, fields: { email } }], { groupRef })
  const send = async (...batch: OutgoingMessage[]) => (await opened.send(batch)).map(({ outcome }) => outcome)
  const idsIn = async (namespace: string) =>
    (await target.rows(table, cased(namespace))).map((row) => [row['_mortise_group'], row['_mortise_id']])
  const check = async () =>
    opened.sender.check?.({ time: new Date(), timeoutMs: kind.limits.timeoutMs, signal: new AbortController().signal })

  it('has the tables of each group in a namespace that no other group has, whatever their names', async () => {
    const groups = [
      'acme',
      'Acme',
      'ACME',
      'ac me',
      'ac-me',
      '_',
      'é',
      'ё',
      '日本',
      '😀',
      `g'"\\\`;--`,
      'x'.repeat(128),
    ]
    const event = message([{ subscribeEventType: 'other', rawEvent: {} }], { action: 'subscribe', groupRef: undefined })
    const batch = [...groups.map((group) => of(group)), event, of('acme', '2')]
    for (const _ of ['created', 'known']) expect(new Set(await send(...batch))).toEqual(new Set(['delivered']))
    const found = await target.namespaces()
    const byGroup = new Map<unknown, string[]>()
    for (const name of Object.keys(found).filter((one) => found[one]?.includes(table)))
      for (const row of await target.rows(table, name))
        byGroup.set(row['_mortise_group'], [...(byGroup.get(row['_mortise_group']) ?? []), name])
    expect([...byGroup.keys()].toSorted()).toEqual(groups.toSorted())
    expect(new Set([...byGroup.values()].flat()).size).toBe(groups.length)
    expect(found[cased('Crm_acme')]).toEqual([table])
    expect(found[cased('Crm__')]).toEqual([messages])
    expect(await idsIn('Crm_acme')).toEqual([
      ['acme', '1'],
      ['acme', '2'],
    ])
  })

  it('with deletes: hard, removes the rows of a group in its namespace alone', async () => {
    await opened.close()
    opened = openForTest(kind, { ...target.settings, [setting]: placeholder, deletes: 'hard' })
    await send(of('acme'), of('acme', '2'), of('globex'))
    const late = of('acme')
    const removal = message([{ id: '1', deleted: true }], { groupRef: 'acme' })
    expect(await send(removal, of('globex', '2'))).toEqual(['delivered', 'delivered'])
    await send(late)
    expect(await idsIn('Crm_acme')).toEqual([['acme', '2']])
    expect(await idsIn('Crm_globex')).toEqual([
      ['globex', '1'],
      ['globex', '2'],
    ])
  })

  it('stores a group whose namespace exists, and holds up no other, when a namespace cannot be created', async () => {
    if (isOpen) return
    await target.createNamespace(cased('Crm_acme'))
    await target.forbid()
    const batch = [of('globex'), of('acme'), message([{ subscribeEventType: 'x', rawEvent: {} }]), of('acme', '2')]
    const results = await opened.send(batch)
    expect(results.map(({ outcome }) => outcome)).toEqual(['retry', 'delivered', 'delivered', 'delivered'])
    expect(results[0]?.error).toMatch(/^Mortise could not create Crm_globex\. .+permission/)
    expect(JSON.stringify(results)).not.toContain(target.secret)
    expect(await target.namespaces()).toEqual({ [cased('Crm_acme')]: [messages, table].toSorted() })
  })

  it('keeps messages that are not about records with those of their group', async () => {
    const events = ['acme', 'globex'].map((groupRef) =>
      message([{ subscribeEventType: 'other', rawEvent: {} }], { action: 'subscribe', groupRef }),
    )
    expect(await send(...events)).toEqual(['delivered', 'delivered'])
    expect(await target.namespaces()).toEqual({ [cased('Crm_acme')]: [messages], [cased('Crm_globex')]: [messages] })
  })

  it('has a namespace again that was dropped', async () => {
    for (const id of ['1', '2']) await send(of('acme', id), of('globex', id))
    await target.dropNamespace(cased('Crm_acme'))
    expect(await send(of('acme', '3'), of('globex', '3'))).toEqual(['delivered', 'delivered'])
    expect([await idsIn('Crm_acme'), (await idsIn('Crm_globex')).length]).toEqual([[['acme', '3']], 3])
  })

  it('delivers what one namespace stored before the connection ended, and loses nothing of the others', async () => {
    let wasPartial = false
    let isOver = false
    for (let after = 0; !isOver; after += step) {
      target.cutAfter(after, 'answered')
      const groups = ['acme', 'globex', 'initech'].map((group) => `${group}${after}`)
      let left = groups.map((group) => of(group))
      for (let attempt = 0; left.length > 0; attempt++) {
        const outcomes = await send(...left).catch(() => left.map(() => 'retry'))
        wasPartial ||= outcomes.includes('delivered') && outcomes.includes('retry')
        left = left.filter((_, index) => outcomes[index] !== 'delivered')
        expect(attempt).toBeLessThan(4)
      }
      for (const group of groups) expect(await idsIn(`Crm_${group}`)).toEqual([[group, '1']])
      isOver = !target.wasCut()
      expect(after).toBeLessThan(100)
    }
    expect(wasPartial).toBe(true)
  }, 120_000)

  it('leaves namespaces for the next attempt after half of the time', async () => {
    const started = performance.now()
    const timeoutMs = 50_000
    fieldTypes = async () => {
      vi.spyOn(performance, 'now').mockReturnValue(started + timeoutMs * 0.6)
      return []
    }
    const batch = [of('acme'), of('globex')]
    const results = await opened.send(batch, { timeoutMs })
    expect(results.map(({ outcome }) => outcome)).toEqual(['delivered', 'cancelled'])
    vi.restoreAllMocks()
    expect(await send(...batch)).toEqual(['delivered', 'delivered'])
  })

  it('tests a destination without a change, and says that namespaces cannot be created', async () => {
    expect(await check()).toMatchObject({ outcome: 'delivered' })
    expect(await target.namespaces()).toEqual({})
    if (isOpen) return
    await target.forbid()
    const result = await check()
    expect(result).toMatchObject({
      outcome: 'retry',
      error: expect.stringMatching(
        /may not create schemas in|needs CREATE DATABASE, .+ begin with Crm_\.|could not create Crm__\. .+permission/,
      ),
    })
    expect(JSON.stringify(result)).not.toContain(target.secret)
  })

  it('is refused with rows of messages, and in another form', () => {
    const guard = createAddressGuard({ allow: parseAllowedNetworks('loopback') })
    const issuesOf = (value: string, more = {}) =>
      kind.readSettings({ ...target.settings, [setting]: value, ...more }, 'metadata', { guard }).issues
    expect(issuesOf(placeholder)).toEqual([])
    const rows = { layout: 'messages', deletes: undefined, tableName: 'messages', tableId: 'messages' }
    for (const one of [rows, { ...rows, layout: undefined }])
      expect(issuesOf(placeholder, one)).toMatchObject([
        { name: `metadata.${setting}`, detail: expect.stringContaining('is for tables of records') },
      ])
    const others = [
      '{{groupRef}}',
      'crm{{groupRef}}',
      'information_{{groupRef}}',
      'crm_{{groupRef}}_x',
      'crm_{{group}}',
    ]
    for (const value of [...others, 'crm_{{groupRef', '"crm_{{groupRef}}"'])
      expect(issuesOf(value).map(({ name }) => name)).toEqual([`metadata.${setting}`])
  })
})

it('Redshift has one session for all schemas of a batch', async () => {
  const target = await startRedshiftTables()
  const { send, close } = openForTest(redshift as DestinationKind, { ...target.settings, schemaName: placeholder })
  const batch = ['acme', 'globex', 'initech'].map((groupRef) => recordMessages()([{ id: '1' }], { groupRef }))
  expect((await send(batch)).map(({ outcome }) => outcome)).toEqual(Array(3).fill('delivered'))
  expect(target.sessions()).toBe(1)
  await close()
  await target.stop()
})

it('names of namespaces are short, and of letters that every warehouse takes', () => {
  const groups = ['acme', 'Ünï', '日本'.repeat(64), '😀'.repeat(64), 'x'.repeat(128), '', "a'b"]
  for (const groupRef of groups)
    expect(namespaceForGroup(`${'p'.repeat(31)}_{{groupRef}}`, { groupRef })).toMatch(/^p{31}_[a-z0-9_]{1,95}$/)
  expect(namespaceForGroup(placeholder, { groupRef: 'acme_2' })).toBe('Crm_acme_2')
  expect(namespaceForGroup(placeholder, { groupRef: 'Acme Inc.' })).toBe('Crm_acme_inc__ee60673d')
  expect(namespaceForGroup(placeholder, { groupRef: 'é' })).toMatch(/^Crm_e9_[0-9a-f]{8}$/)
})
