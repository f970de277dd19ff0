import { afterAll, beforeAll, expect, it } from 'vitest'
import { type FieldCrm, startFieldCrm } from '../../../testkit/field-crm.ts'
import type { AuditEntry } from './model.ts'

let crm: FieldCrm
let connectionId: string
let installation: { id: string; integrationId: string; config: { id: string; revisionId: string } }

beforeAll(async () => {
  crm = await startFieldCrm({ MORTISE_ROLES: 'api' })
  await crm.deploy('crm')
  connectionId = await crm.connect('the-group')
  installation = (await crm.install<typeof installation>('crm', 'the-group')).body
})
afterAll(() => crm?.stop())

const entriesOf = async (resourceId: string) =>
  (await crm.app.call<AuditEntry[]>('GET', `${crm.base}/audit-log?resourceId=${resourceId}`)).body
const configOf = (id: string) => ({ id, revisionId: installation.config.revisionId })
const path = () => `${crm.base}/integrations/${installation.integrationId}/installations/${installation.id}`

it('an update of an installation shows which config became which', async () => {
  const content = { provider: 'fieldCrm', read: { objects: { contacts: { selectedFields: { stage: true } } } } }
  const change = { updateMask: ['config.content.read.objects.contacts'], installation: { config: { content } } }
  const { status, body } = await crm.app.call<typeof installation>('PATCH', path(), change)
  expect(status, JSON.stringify(body)).toBe(200)
  expect(body.config.id).not.toBe(installation.config.id)
  const [entry] = await entriesOf(installation.id)
  expect(entry).toMatchObject({ action: 'updateInstallation' })
  expect(entry?.before).toEqual({ config: configOf(installation.config.id) })
  expect(entry?.after).toEqual({ config: configOf(body.config.id) })
})

it('entries about a customer say what was made and removed, and never whose it was', async () => {
  const changed = { updateMask: ['apiKey'], connection: { apiKey: 'the-other-key' } }
  expect((await crm.app.call('PATCH', `${crm.base}/connections/${connectionId}`, changed)).status).toBe(200)
  const removed = await crm.app.call('DELETE', path())
  expect(removed.status, JSON.stringify(removed.body)).toBe(204)
  const [deleted, , created] = await entriesOf(installation.id)
  const state = {
    id: installation.id,
    integrationId: installation.integrationId,
    connection: expect.objectContaining({ id: connectionId, provider: 'fieldCrm', authScheme: 'apiKey' }),
  }
  expect(deleted).toMatchObject({ action: 'deleteInstallation', before: state })
  expect(deleted).not.toHaveProperty('after')
  expect(created).toMatchObject({
    action: 'createInstallation',
    after: { ...state, config: configOf(installation.config.id) },
  })
  const all = (await crm.app.call<AuditEntry[]>('GET', `${crm.base}/audit-log?pageSize=1000`)).body
  expect(all.length).toBeGreaterThan(4)
  expect(JSON.stringify(all)).not.toMatch(/the-group|"ada"|consumer:|a-key|the-other-key|127\.0\.0\.1:\d/)
})
