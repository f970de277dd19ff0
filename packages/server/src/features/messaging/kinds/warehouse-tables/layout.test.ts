import { afterEach, describe, expect, it } from 'vitest'
import { createAddressGuard, parseAllowedNetworks } from '../../../../kernel/net/index.ts'
import { bigquery } from '../bigquery/index.ts'
import { startBigQueryTables } from '../bigquery/tables-target.testkit.ts'
import { clickhouse } from '../clickhouse/index.ts'
import { startClickHouseTables } from '../clickhouse/tables-target.testkit.ts'
import { openForTest } from '../conformance.testkit.ts'
import type { DestinationKind } from '../kind.ts'
import { redshift } from '../redshift/index.ts'
import { startRedshiftTables } from '../redshift/tables-target.testkit.ts'
import { snowflake } from '../snowflake/index.ts'
import { startSnowflakeTables } from '../snowflake/tables-target.testkit.ts'
import { recordMessages } from '../tables/record-message.testkit.ts'
import type { WarehouseTarget } from './warehouse-target.testkit.ts'

const guard = createAddressGuard({ allow: parseAllowedNetworks('loopback') })
const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

async function open(kind: DestinationKind, start: () => Promise<WarehouseTarget>) {
  const target = await start()
  const opened = openForTest(kind, target.settings)
  closing.push(opened.close, () => target.stop())
  return { target, ...opened }
}

const kinds = [
  { kind: snowflake as DestinationKind, start: startSnowflakeTables, table: 'tableName' },
  { kind: bigquery as DestinationKind, start: startBigQueryTables, table: 'tableId' },
  { kind: redshift as DestinationKind, start: startRedshiftTables, table: 'tableName' },
  { kind: clickhouse as DestinationKind, start: startClickHouseTables, table: 'tableName' },
]

describe.each(kinds)('the layout of $kind.name', ({ kind, start, table }) => {
  it('is messages by default, which need their table; tables of records refuse one', async () => {
    const { target } = await open(kind, start)
    const names = (input: object) =>
      kind.readSettings({ ...input }, 'metadata', { guard }).issues.map(({ name }) => name)
    expect(names(target.settings)).toEqual([])
    expect(names({ ...target.settings, [table]: 'messages' })).toEqual([`metadata.${table}`])
    const { layout: _, deletes: __, ...byDefault } = target.settings as Record<string, unknown>
    expect(names(byDefault)).toEqual([`metadata.${table}`])
    expect(names({ ...byDefault, [table]: 'messages' })).toEqual([])
  })

  it('of tables sends one batch at a time', async () => {
    const { target } = await open(kind, start)
    expect(kind.collecting?.(target.settings)).toMatchObject({ concurrency: 1, count: 2, waitMs: 30_000 })
    expect(kind.collecting?.({ ...target.settings, layout: 'messages' })).toMatchObject({ concurrency: 2 })
  })

  it('says what is wrong in words, and what the service answered', async () => {
    const { target, send } = await open(kind, start)
    await target.dropAll()
    const [result] = await send([recordMessages()([{ id: '1', fields: { a: 1 } }])])
    expect(result).toMatchObject({ outcome: 'retry', error: expect.stringMatching(/not exist|no database/) })
  })
})

it('Snowflake that answers rows in another form is tried again', async () => {
  const { target, send } = await open(snowflake as DestinationKind, startSnowflakeTables)
  target.behave('answers rows that are none')
  const [result] = await send([recordMessages()([{ id: '1', fields: { a: 1 } }])])
  expect(result).toMatchObject({ outcome: 'retry', error: expect.stringContaining('did not confirm') })
})

it('Redshift stores a long record without its raw form, and refuses one that is still too long', async () => {
  const { target, send } = await open(redshift as DestinationKind, startRedshiftTables)
  const long = 'x'.repeat(40_000)
  const message = recordMessages()([
    { id: '1', fields: { note: long }, raw: { note: long } },
    { id: '2', fields: { note: long, more: long } },
    { id: '3', fields: { note: 'short' }, raw: { note: 'short' } },
  ])
  const [result] = await send([message], { timeoutMs: 20_000 })
  expect(result).toMatchObject({
    outcome: 'delivered',
    rejected: [{ entries: [1], outcome: 'refused', error: expect.stringContaining('65000 bytes') }],
  })
  const rows = await target.rows('contacts')
  expect(rows.map(({ _mortise_id, _mortise_raw }) => [_mortise_id, _mortise_raw])).toEqual([
    ['1', null],
    ['3', { note: 'short' }],
  ])
})
