import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type FieldCrm, startFieldCrm } from '../../../testkit/field-crm.ts'
import type { ProblemBody } from '../../../testkit/installation-kit.ts'

let crm: FieldCrm
let groups = 0
let group = ''
beforeAll(async () => {
  crm = await startFieldCrm({ MORTISE_ROLES: 'api' })
  await crm.deploy('crm')
})
afterAll(() => crm?.stop())
beforeEach(async () => {
  group = `fields-${++groups}`
  await crm.connect(group)
  crm.seen.length = 0
  crm.fields.clear()
  crm.fields.set('email', 'Email')
})

const tier = { fieldName: 'tier', displayName: 'Tier', valueType: 'string' }
type Body = ProblemBody & { success: boolean; fields: Record<string, Record<string, object>> }
const ofConnection = (fields: unknown, provider = 'fieldCrm') =>
  crm.app.call<Body>('PUT', `${crm.base}/providers/${provider}/object-metadata`, { groupRef: group, fields })
const ofInstallation = (fields: unknown, name = 'crm') =>
  crm.app.call<Body>('PUT', `${crm.base}/integrations/${name}/object-metadata`, { groupRef: group, fields })
const changes = () => crm.seen.filter(({ method }) => method !== 'GET')

describe('fields of an account', () => {
  test('are made and changed, and are there when the object is looked at next', async () => {
    const metadata = `${crm.base}/providers/fieldCrm/objects/contacts/metadata?groupRef=${group}`
    expect((await crm.app.call<Body>('GET', metadata)).body.fields).not.toHaveProperty('tier')
    const answer = await ofConnection({ contacts: [tier, { ...tier, fieldName: 'email', displayName: 'E-mail' }] })
    expect(answer).toMatchObject({
      status: 200,
      body: {
        success: true,
        fields: {
          contacts: {
            tier: { fieldName: 'tier', action: 'create', metadata: { name: 'tier', label: 'Tier' } },
            email: { fieldName: 'email', action: 'update' },
          },
        },
      },
    })
    expect(changes()).toMatchObject([
      { method: 'POST', path: '/fields', body: { name: 'tier', label: 'Tier', type: 'text' } },
      { method: 'PATCH', path: '/fields/email', body: { label: 'E-mail' } },
    ])
    expect((await crm.app.call<Body>('GET', metadata)).body.fields).toMatchObject({ tier: {}, email: {} })
    // The same again finds nothing to do.
    expect((await ofConnection({ contacts: [tier] })).body.fields).toEqual({
      contacts: { tier: { fieldName: 'tier', action: 'none' } },
    })
  })

  test('of an installation go by either name of the object', async () => {
    expect((await crm.install('crm', group)).status).toBe(201)
    const answer = await ofInstallation({ people: [tier], contacts: [{ ...tier, fieldName: 'rank' }] })
    expect(answer.body).toMatchObject({
      success: true,
      fields: { people: { tier: { action: 'create' } }, contacts: { rank: { action: 'create' } } },
    })
    expect((await ofConnection({ people: [tier] })).body.issues).toMatchObject([{ name: 'fields.people' }])
  })

  test('that are left out of, or refused by, the provider are told with the field', async () => {
    const described = await ofConnection({ contacts: [{ ...tier, description: 'How they pay' }] })
    expect(described.body).toMatchObject({
      success: true,
      fields: { contacts: { tier: { action: 'create', warnings: [expect.stringContaining('`description`')] } } },
    })
    const other = await ofConnection({ contacts: [{ ...tier, valueType: 'int' }] })
    expect(other.body).toMatchObject({
      success: false,
      fields: { contacts: { tier: { action: 'none', warnings: [expect.stringContaining('type')] } } },
    })
  })

  test.each([
    ['an object that there is not', { nope: [tier] }, 'fields.nope'],
    ['an object whose fields cannot be made', { notes: [tier] }, 'fields.notes'],
    [
      'a type that the provider does not know',
      { contacts: [{ ...tier, valueType: 'date' }] },
      'fields.contacts[0].valueType',
    ],
    ['a type that there is not', { contacts: [{ ...tier, valueType: 'other' }] }, 'fields.contacts[0].valueType'],
    ['a field twice', { contacts: [tier, { ...tier, fieldName: 'TIER' }] }, 'fields.contacts[1].fieldName'],
    ['nothing', { contacts: [] }, 'fields'],
    [
      'more than a request may hold',
      {
        contacts: Array.from({ length: 60 }, (_, at) => ({ ...tier, fieldName: `a${at}` })),
        people: Array.from({ length: 60 }, (_, at) => ({ ...tier, fieldName: `b${at}` })),
      },
      'fields',
    ],
  ])('are refused before anything is done: %s', async (_, fields, name) => {
    expect(await ofConnection(fields)).toMatchObject({ status: 400, body: { issues: [{ in: 'body', name }] } })
    expect(changes()).toEqual([])
  })

  test('at a provider that cannot, in no account, and for a key of scope frontend', async () => {
    expect(await ofConnection({ contacts: [tier] }, 'fieldCrn')).toMatchObject({
      status: 404,
      body: { context: { code: 'connection-not-found' } },
    })
    expect((await ofInstallation({ contacts: [tier] })).status).toBe(404)
    expect((await ofInstallation({ contacts: [tier] }, 'nope')).status).toBe(404)
    const path = `${crm.base}/providers/fieldCrm/object-metadata`
    const body = { groupRef: group, fields: { contacts: [tier] } }
    expect((await crm.app.call('PUT', path, body, { apiKey: crm.app.frontendKey })).status).toBe(403)
  })

  test('of a provider that fails are told as a problem, and can be sent again', async () => {
    crm.failNext(503)
    expect(await ofConnection({ contacts: [tier] })).toMatchObject({
      status: 502,
      body: { context: { code: 'provider-unavailable' } },
    })
    expect((await ofConnection({ contacts: [tier] })).body.success).toBe(true)
  })
})
