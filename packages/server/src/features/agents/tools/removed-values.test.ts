import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ResultBody, startToolsKit, type ToolsKit } from '../../../testkit/tools-kit.ts'

let kit: ToolsKit
beforeAll(async () => {
  kit = await startToolsKit()
})
afterAll(() => kit?.stop())

let contacts = 10
const nextId = () => `con_${String(++contacts).padStart(7, '0')}`
const fieldsOf = async (group: string, name: string, key = 'fields') =>
  (await kit.tool(group, name)).inputSchema.properties[key]!.properties!
const update = (group: string, id: string, fields: object) => kit.call(group, 'update_people', { id, fields })
const errorOf = ({ content }: ResultBody) => content.error
const refusalOf = (result: ResultBody) => [errorOf(result)?.code, errorOf(result)?.details]

interface LogBody {
  message: { details: Record<string, string> }
}
const logOf = async ({ operationId }: ResultBody) => {
  const { body } = await kit.app.call<LogBody[]>('GET', `${kit.base}/operations/${operationId}/logs`)
  return body[0]?.message.details
}

describe('null in a call', () => {
  test('removes the value of an optional field, by each name and of each type', async () => {
    const group = await kit.group()
    const id = nextId()
    const fields = { lifecycle: null, score: null, vip: null, renewal_at: null, first_name: null }
    const called = await update(group, id, { ...fields, last_name: 'Kept' })
    expect(called, JSON.stringify(called)).toMatchObject({ isError: false, content: { done: 'update', id } })
    expect(kit.crm.contact(id)).toMatchObject({
      stage: null,
      score: null,
      first_name: null,
      last_name: 'Kept',
      custom_fields: { vip: null, renewal_at: null, plan: expect.any(String) },
    })
    const read = await kit.call(group, 'get_people', { id })
    expect(read.content.providerData?.record).toMatchObject({ lifecycle: null, score: null, last_name: 'Kept' })
  })

  test('is a new record without the value', async () => {
    const group = await kit.group()
    const made = await kit.call(group, 'create_people', { fields: { email: 'null@x.example', lifecycle: null } })
    expect(made.isError, JSON.stringify(made)).toBe(false)
    expect(kit.crm.contact(made.content.id!)).toMatchObject({ email: 'null@x.example', stage: null })
  })

  test('is in the schemas of writes for optional fields, also in choices, and in no condition', async () => {
    const group = await kit.group()
    for (const name of ['create_people', 'update_people']) {
      const fields = await fieldsOf(group, name)
      expect(fields['lifecycle']).toMatchObject({
        type: ['string', 'null'],
        enum: ['lead', 'customer', 'lost', null],
      })
      expect(fields['score']).toMatchObject({ type: ['integer', 'null'] })
      expect(fields['vip']).toMatchObject({ type: ['boolean', 'null'] })
      // Required by the manifest; the provider requires only the first.
      expect([fields['email']?.type, fields['telephone']?.type]).toEqual(['string', 'string'])
    }
    const conditions = await fieldsOf(group, 'search_people', 'where')
    expect([conditions['lifecycle']?.type, conditions['lifecycle']?.enum]).toEqual([
      'string',
      ['lead', 'customer', 'lost'],
    ])
    const search = await kit.call(group, 'search_people', { where: { lifecycle: null } })
    expect(refusalOf(search)).toEqual(['arguments_refused', ['arguments.where.lifecycle must be text, not null.']])
  })

  test('is logged, without other values', async () => {
    const group = await kit.group()
    const id = nextId()
    const called = await update(group, id, { score: null, last_name: 'Secret' })
    expect(JSON.parse((await logOf(called))?.['arguments'] ?? '')).toEqual({
      id,
      fields: { score: null, last_name: '…' },
    })
  })

  test('is accepted from a client of MCP', async () => {
    const group = await kit.group()
    const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } })
    const address = new URL(`${kit.app.url}/mcp/v1${kit.base}`)
    const requestInit = { headers: await kit.signer.headers(group, 'ada') }
    await client.connect(new StreamableHTTPClientTransport(address, { requestInit }) as never)
    const { tools } = await client.listTools()
    const schema = tools.find(({ name }) => name === 'update_people')?.inputSchema
    expect(schema).toMatchObject({
      properties: { fields: { properties: { score: { type: ['integer', 'null'] } } } },
    })
    const id = nextId()
    const args = { id, fields: { score: null } }
    expect(await client.callTool({ name: 'update_people', arguments: args })).toMatchObject({
      structuredContent: { done: 'update' },
    })
    expect(kit.crm.contact(id)?.score).toBeNull()
    const required = await client.callTool({ name: 'update_people', arguments: { id, fields: { email: null } } })
    expect(JSON.stringify(required.structuredContent)).toContain('email cannot be null: the field is required.')
    await client.close()
  })
})

describe('rules hold for null', () => {
  test('a required field cannot be removed, by the manifest or by the provider, and nothing is sent', async () => {
    const group = await kit.group()
    const id = nextId()
    const before = kit.crm.contact(id)
    expect(refusalOf(await update(group, id, { email: null, telephone: null, score: null }))).toEqual([
      'arguments_refused',
      [
        'arguments.fields.email cannot be null: the field is required.',
        'arguments.fields.telephone cannot be null: the field is required.',
      ],
    ])
    const made = await kit.call(group, 'create_people', { fields: { email: 'req@x.example', telephone: null } })
    expect(errorOf(made)?.details).toEqual(['arguments.fields.telephone cannot be null: the field is required.'])
    expect(kit.crm.contact(id)).toEqual(before)
  })

  test.each([
    ['hidden', { hiddenFields: ['lifecycle'] }],
    ['read-only', { readOnlyFields: ['lifecycle'] }],
    ['fixed', { filters: [{ fieldName: 'lifecycle', value: '{{consumer}}' }] }],
  ])('a %s field cannot be removed under any name', async (_, rules) => {
    const group = await kit.group(rules)
    const id = nextId()
    const stage = kit.crm.contact(id)?.stage
    for (const name of ['lifecycle', 'stage', "$['stage']"]) {
      const args = { id, fields: { [name]: null } }
      const called = await kit.call(group, 'update_people', args, { consumerRef: stage })
      expect(errorOf(called)?.code).toBe('arguments_refused')
    }
    expect(kit.crm.contact(id)?.stage).toBe(stage)
  })

  test('a masked field that agents may write can be removed, and stays masked', async () => {
    const group = await kit.group({ maskedFields: ['first_name'] })
    const id = nextId()
    expect((await kit.call(group, 'get_people', { id })).content.providerData?.record).toMatchObject({
      first_name: '[masked]',
    })
    expect((await update(group, id, { first_name: null })).isError).toBe(false)
    expect(kit.crm.contact(id)?.first_name).toBeNull()
  })

  test.each<[string, Record<string, unknown>]>([
    ['hidden by its path', { hiddenFields: ["$['company']['city']"] }],
    ['hidden by its mapped name', { hiddenFields: ['town'] }],
    ['hidden by its name at any depth', { hiddenFields: ['city'] }],
    ['read-only by its mapped name', { readOnlyFields: ['town'] }],
    ['read-only by its name at any depth', { readOnlyFields: ['city'] }],
  ])('a part of a value can be neither removed nor set if it is %s', async (_, rules) => {
    const group = await kit.group(rules, { read: { selectedFieldMappings: { town: "$['company']['city']" } } })
    const id = nextId()
    const before = kit.crm.contact(id)
    for (const company of [{ city: null }, { city: 'x' }])
      expect(errorOf(await update(group, id, { company }))?.code).toBe('arguments_refused')
    expect(kit.crm.contact(id)).toEqual(before)
  })

  test('a part of a value can be neither removed nor set if a filter fixes it', async () => {
    const id = nextId()
    const before = kit.crm.contact(id)
    const filters = [{ fieldName: 'town', value: before?.company.city }]
    const group = await kit.group({ filters }, { read: { selectedFieldMappings: { town: "$['company']['city']" } } })
    for (const company of [{ city: null }, { city: 'x' }, null])
      expect(errorOf(await update(group, id, { company }))?.code).toBe('arguments_refused')
    expect(kit.crm.contact(id)).toEqual(before)
    expect((await update(group, id, { score: null })).isError).toBe(false)
  })

  test('a field that is set only where it is empty cannot be removed', async () => {
    const group = await kit.group()
    const { body } = await kit.app.call<{ id: string }[]>('GET', `${kit.path()}?groupRef=${group}`)
    const settings = { selectedFieldSettings: { score: { writeOnUpdate: 'ifEmpty' } } }
    const config = { content: { write: { objects: { contacts: settings } } } }
    const updated = await kit.update(body[0]!.id, ['config.content.write.objects.contacts'], { config })
    expect(updated.status, JSON.stringify(updated.body)).toBe(200)
    expect((await fieldsOf(group, 'update_people'))['score']?.type).toBe('integer')
    expect(errorOf(await update(group, nextId(), { score: null }))?.details).toEqual([
      'arguments.fields.score cannot be null: it is set only where it has no value.',
    ])
  })
})

test('a person who approves a call sees that a value is removed, and the call removes it', async () => {
  const group = await kit.group({ confirm: { update: 'approval' } })
  const id = nextId()
  const asked = await update(group, id, { score: null })
  const path = `${kit.base}/approvals/${asked.content.approvalId}`
  expect((await kit.app.call('GET', path)).body).toMatchObject({ arguments: { id, fields: { score: null } } })
  expect(kit.crm.contact(id)?.score).not.toBeNull()
  expect((await kit.app.call('POST', `${path}:approve`, {})).body).toMatchObject({ status: 'done' })
  expect(kit.crm.contact(id)?.score).toBeNull()
  expect(errorOf(await update(group, id, { email: null }))?.code).toBe('arguments_refused')
})
