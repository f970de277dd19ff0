import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Problem } from '../../../kernel/http/index.ts'
import { crmNow, type Installed, type ReadingKit, startReadingKit } from './reading.testkit.ts'

/** Deleted records that a provider reports: delivered where the manifest or the config asks for them. */

let kit: ReadingKit
beforeAll(async () => {
  kit = await startReadingKit()
})
afterAll(() => kit?.stop())

interface Entry {
  id?: string
  deleted?: boolean
  fields: Record<string, unknown>
  raw: Record<string, unknown>
}
const noBackfill = { backfill: { defaultPeriod: { days: 0 } } }
const always = { deletions: { enabled: 'always' } }

const remove = async (id: string) => {
  const answer = await fetch(`${kit.crm.url}/contacts/${id}`, {
    method: 'DELETE',
    headers: { 'X-Api-Key': 'demo-key' },
  })
  expect(answer.status).toBe(204)
}

/** The window of its next read begins before what the CRM, whose clock is behind, changes now. */
async function age({ installationId }: Installed): Promise<void> {
  await sql`update read_states set high_water_mark = ${new Date(crmNow())} where installation_id = ${installationId}`.execute(
    kit.app.db.sql,
  )
}

/** What a scheduled read after a deletion delivers, and the result of its operation. */
async function deliveredAfter(id: string, options: Parameters<ReadingKit['install']>[0]) {
  const installed = await kit.install(options)
  await age(installed)
  await remove(id)
  const [changed] = kit.crm.change(1)
  await kit.makeDue(installed.installationId)
  const messages = await kit.until(async () => {
    const all = kit.receiver.bodies as { installationId: string; result: Entry[] }[]
    const of = all.filter(({ installationId }) => installationId === installed.installationId)
    return of.length > 0 && of
  })
  const operations = await kit.operations(installed)
  return { entries: messages.flatMap(({ result }) => result), changed: changed?.id, result: operations[0]?.result }
}

describe('a deleted record', () => {
  it('is delivered by the next scheduled read with its id and `deleted: true`, after what changed', async () => {
    const { entries, changed, result } = await deliveredAfter('con_0000101', { object: { ...noBackfill, ...always } })
    const known = entries.filter(({ id, raw }) => id === 'con_0000101' || raw['id'] === changed)
    expect(known).toEqual([
      expect.not.objectContaining({ deleted: true }),
      {
        id: 'con_0000101',
        deleted: true,
        fields: {},
        raw: { id: 'con_0000101', deleted_at: expect.any(String) as string },
      },
    ])
    expect(result).toBe(`[contacts] ${entries.length} records read`)
  })

  it('is not delivered unless it is requested, and the config decides over the manifest', async () => {
    const without = await deliveredAfter('con_0000102', { object: noBackfill })
    expect(without.entries.filter(({ deleted }) => deleted)).toEqual([])
    const never = { object: { ...noBackfill, ...always }, config: { deletions: { enabled: 'never' } } }
    expect((await deliveredAfter('con_0000103', never)).entries.filter(({ deleted }) => deleted)).toEqual([])
    const asked = { object: noBackfill, config: always }
    const { entries } = await deliveredAfter('con_0000104', asked)
    expect(entries.filter(({ deleted }) => deleted).map(({ id }) => id)).toContain('con_0000104')
  })
})

it('a read that finds no change and no deletion ends as one that found nothing', async () => {
  const installed = await kit.install({ object: { ...noBackfill, ...always } })
  await kit.makeDue(installed.installationId)
  const found = await kit.until(async () => {
    const [operation] = await kit.operations(installed)
    return operation?.status === 'success' && operation
  })
  expect(found.result).toBe('[contacts] No new data found')
})

it('a manifest or a config that requests deletions of an object without them is refused', async () => {
  const manifest = await kit.app.call<Problem>('PUT', '/projects/default/integrations:batch', {
    sourceYaml: `specVersion: 1.0.0
integrations:
  - name: no-deletions
    provider: sampleCrm
    read: { objects: [{ objectName: companies, destination: hook, deletions: { enabled: always } }] }`,
  })
  expect([manifest.status, JSON.stringify(manifest.body)]).toEqual([
    422,
    expect.stringContaining('does not report deleted records of \\"companies\\"'),
  ])
})
