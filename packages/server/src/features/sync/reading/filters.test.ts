import { afterAll, beforeAll, expect, test } from 'vitest'
import { type FieldCrm, startFieldCrm } from '../../../testkit/field-crm.ts'

let crm: FieldCrm
beforeAll(async () => {
  crm = await startFieldCrm()
  await crm.deploy('crm')
})
afterAll(() => crm?.stop())

const equal = (fieldName: string, value: unknown) => ({ fieldName, operator: 'eq', value })
const fullHistory = { defaultPeriod: { fullHistory: true } }
const reads = () => crm.seen.filter(({ path }) => path === '/contacts').map(({ query }) => query)

/** Waits until the requests for contacts are these. */
async function installed(group: string, config: Record<string, unknown>) {
  await crm.connect(group)
  crm.seen.length = 0
  const answer = await crm.install('crm', group, config)
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
}
const trigger = async (groupRef: string) => {
  crm.seen.length = 0
  const path = `//read/v1${crm.base}/integrations/crm/objects/contacts`
  expect((await crm.app.call('POST', path, { groupRef, mode: 'async' })).status).toBe(201)
}

test('filters of the object hold for the backfill and for triggered reads', async () => {
  await installed('all', { backfill: fullHistory, fieldFilters: [equal('stage', 'won'), equal('phone', '3')] })
  const filtered = { 'where.stage': 'won', 'where.phone': '3' }
  await expect.poll(reads, { timeout: 30_000 }).toMatchObject([filtered])
  await trigger('all')
  await expect.poll(reads, { timeout: 30_000 }).toMatchObject([filtered])
})

test('filters of the backfill take the place of the object’s, for it alone', async () => {
  await installed('own', {
    backfill: { ...fullHistory, fieldFilters: [equal('stage', 'lead')] },
    fieldFilters: [equal('phone', '3')],
  })
  await expect.poll(reads, { timeout: 30_000 }).toEqual([{ 'where.stage': 'lead' }])
  await trigger('own')
  await expect.poll(reads, { timeout: 30_000 }).toEqual([{ 'where.phone': '3' }])
})

test.each([
  ['two of one field', { fieldFilters: [equal('stage', 'won'), equal('Stage', 'lead')] }, 'fieldFilters.1.fieldName'],
  ['one without a value', { fieldFilters: [{ fieldName: 'stage', operator: 'eq' }] }, 'fieldFilters.0.value'],
])('filters are a 422 where there are %s', async (_, config, place) => {
  await crm.connect('refused')
  expect(await crm.install('crm', 'refused', config)).toMatchObject({
    status: 422,
    body: { issues: [{ in: 'body', name: `config.content.read.objects.contacts.${place}` }] },
  })
})
