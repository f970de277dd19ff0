import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ProblemBody } from '../../../testkit/installation-kit.ts'
import { agentManifest, type ResultBody, startToolsKit, type ToolsKit } from '../../../testkit/tools-kit.ts'

let kit: ToolsKit
beforeAll(async () => {
  kit = await startToolsKit()
})
afterAll(() => kit?.stop())

const names = (tools: { name: string }[]) => tools.map(({ name }) => name)

describe('the tools of a group', () => {
  test('are those that the manifest allows, with schemas of the account’s fields under the builder’s names', async () => {
    const group = await kit.group()
    const tools = await kit.tools(group)
    expect(names(tools)).toEqual([
      'search_people',
      'get_people',
      'list_people',
      'create_people',
      'update_people',
      'delete_people',
    ])
    for (const { name } of tools) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/)
    const where = tools[0]!.inputSchema.properties['where']!.properties!
    expect(Object.keys(where)).toEqual(
      expect.arrayContaining(['telephone', 'lifecycle', 'email', 'first_name', 'score']),
    )
    expect(Object.keys(where)).not.toContain('phone')
    expect(Object.keys(where)).not.toContain('stage')
    expect(where['lifecycle']).toMatchObject({ type: 'string', enum: expect.arrayContaining(['lead', 'customer']) })
    expect(where['score']).toMatchObject({ type: 'integer' })
    const create = tools[3]!.inputSchema.properties['fields']!
    expect(create.required).toEqual(['email'])
    expect(Object.keys(create.properties!)).not.toContain('created_at')
    expect(tools.map(({ readOnly }) => readOnly)).toEqual([true, true, true, false, false, false])
  })

  test('are none without agent in the manifest, without an installation, and for another group', async () => {
    const group = await kit.group()
    expect(await kit.tools('nobody')).toEqual([])
    const manifest = JSON.parse(agentManifest())
    delete manifest.integrations[0].agent
    await kit.deploy(JSON.stringify(manifest))
    expect(await kit.tools(group)).toEqual([])
    expect(await kit.app.call('POST', `${kit.base}/tools/search_people:call`, { groupRef: group })).toMatchObject({
      status: 404,
      body: { context: { code: 'tool-not-found' } },
    })
  })

  test('leave out what the config of the installation does not include', async () => {
    const group = await kit.group({ actions: ['search', 'delete', 'create'] })
    const { body } = await kit.app.call<{ id: string }[]>('GET', `${kit.path()}?groupRef=${group}`)
    const installation = { config: { content: { write: { objects: { contacts: {} } } } } }
    const updated = await kit.update(body[0]!.id, ['config.content.write.objects.contacts'], installation)
    expect(updated.status, JSON.stringify(updated.body)).toBe(200)
    expect(names(await kit.tools(group))).toEqual(['search_people', 'create_people'])
  })
})

describe('a call', () => {
  let group = ''
  beforeAll(async () => {
    group = await kit.group()
  })

  test('of search finds records by mapped names and values', async () => {
    const found = await kit.call(group, 'search_people', { where: { email: 'contact1@example.com' } })
    expect(found.isError, JSON.stringify(found)).toBe(false)
    const all = await kit.call(group, 'search_people', { where: { lifecycle: 'customer' }, limit: 3 })
    expect(all.content.providerData?.provider).toBe('sampleCrm')
    expect(all.content.providerData?.records).toHaveLength(3)
    for (const record of all.content.providerData?.records ?? [])
      expect(record).toMatchObject({ id: expect.any(String), lifecycle: 'customer', email: expect.any(String) })
    expect(all.content.note).toContain('data')
  })

  test('of list pages through all records without a repetition', async () => {
    const ids: unknown[] = []
    let cursor: string | undefined
    do {
      const args: Record<string, unknown> = { limit: 7, ...(cursor && { cursor }) }
      const page: ResultBody = await kit.call(group, 'list_people', args)
      expect(page.isError, JSON.stringify(page.content)).toBe(false)
      ids.push(...(page.content.providerData?.records ?? []).map(({ id }) => id))
      cursor = page.content.nextCursor
    } while (cursor)
    expect(ids.length).toBeGreaterThanOrEqual(100)
    expect(new Set(ids).size).toBe(ids.length)
  })

  test('of get returns one record, and says when there is none', async () => {
    const found = await kit.call(group, 'get_people', { id: 'con_0000001' })
    expect(found.content.providerData?.record).toMatchObject({ id: 'con_0000001', telephone: expect.any(String) })
    expect(JSON.stringify(found)).not.toContain('"raw"')
    expect((await kit.call(group, 'get_people', { id: 'nope' })).content.error?.code).toBe('not_found')
  })

  test('of create, update and delete changes the account under the builder’s names', async () => {
    const fields = { email: 'grace@acme.example', lifecycle: 'customer', telephone: '+1' }
    const made = await kit.call(group, 'create_people', { fields })
    expect(made, JSON.stringify(made)).toMatchObject({
      isError: false,
      content: { done: 'create', id: expect.any(String) },
    })
    const id = made.content.id!
    const updated = await kit.call(group, 'update_people', { id, fields: { lifecycle: 'lead' } })
    expect(updated.content.done).toBe('update')
    const operation = await kit.app.call('GET', `${kit.base}/operations/${updated.operationId}`)
    expect(operation.body['result']).toBe('[contacts] update_people: 1 record updated')
    const read = await kit.call(group, 'get_people', { id })
    expect(read.content.providerData?.record).toMatchObject({
      email: 'grace@acme.example',
      lifecycle: 'lead',
      telephone: '+1',
    })
    expect((await kit.call(group, 'delete_people', { id })).content.done).toBe('delete')
    expect((await kit.call(group, 'get_people', { id })).content.error?.code).toBe('not_found')
  })

  test('with wrong arguments is answered with all that is wrong, and asks no provider', async () => {
    const wrong = await kit.call(group, 'create_people', { fields: { emaill: 'x', score: 'many' }, more: 1 })
    expect(wrong).toMatchObject({ isError: true, content: { error: { code: 'arguments_refused' } } })
    expect(wrong.content.error?.details).toEqual([
      expect.stringContaining('arguments.fields.email is missing'),
      expect.stringContaining('Did you mean email?'),
      expect.stringContaining('arguments.fields.score must be a whole number'),
      expect.stringContaining('has no field "more"'),
    ])
  })

  test('becomes an operation that says who called, what was asked, and no value', async () => {
    const called = await kit.call(group, 'search_people', { where: { email: 'secret@x.example' } }, { agent: 'helper' })
    const path = `${kit.base}/operations/${called.operationId}`
    // A call that reads is stored within a moment.
    await expect.poll(async () => (await kit.app.call('GET', path)).status, { timeout: 10_000 }).toBe(200)
    expect((await kit.app.call('GET', path)).body).toMatchObject({
      actionType: 'tool',
      status: 'success',
      result: '[contacts] search_people: 0 records',
      metadata: { tool: 'search_people', agent: 'helper' },
    })
    const logs = await kit.app.call<{ results: { message: { details: Record<string, string> } }[] }>(
      'GET',
      `${path}/logs`,
    )
    expect(JSON.stringify(logs.body)).not.toContain('secret@x.example')
    expect(JSON.stringify(logs.body)).toContain('GET /contacts')
    expect(JSON.stringify(logs.body)).toContain('{\\"where\\":{\\"email\\":\\"…\\"}}')
    expect(kit.app.logs.join('')).not.toContain('secret@x.example')
  })

  test('without an account says what to do', async () => {
    expect((await kit.call('nobody', 'list_people')).content.error).toMatchObject({
      code: 'not_connected',
      message: expect.stringContaining('Ask the user to connect'),
    })
  })

  test.each([
    ['search_people', { where: { email: 'x@y.example' } }],
    ['list_people', {}],
    ['get_people', { id: 'con_0000002' }],
    ['create_people', { fields: { email: 'x@y.example' } }],
    ['update_people', { id: 'con_0000002', fields: { score: 1 } }],
    ['delete_people', { id: 'con_0000002' }],
  ])('of %s with an account that refuses its credential asks for a new connection', async (name, args) => {
    const own = await kit.group()
    const key = kit.crm.apiKey
    kit.crm.revokeKey()
    const called = await kit.call(own, name, args)
    kit.crm.createKey(key)
    expect(called.content.error, JSON.stringify(called)).toMatchObject({
      code: 'reconnect_account',
      message: expect.stringContaining('Ask the user to connect it again'),
    })
    expect(JSON.stringify(called)).not.toContain(key)
  })

  test('that meets the limit of the provider says when to call again', async () => {
    kit.crm.failNext(1, 429)
    const limited = await kit.call(group, 'get_people', { id: 'con_0000003' })
    expect(limited.content.error).toMatchObject({ code: 'limit_reached', retryAfterSeconds: expect.any(Number) })
  })

  test('names the group with an API key', async () => {
    const answer = await kit.app.call<ProblemBody>('POST', `${kit.base}/tools/list_people:call`, {})
    expect(answer).toMatchObject({ status: 400, body: { issues: [{ in: 'body', name: 'groupRef' }] } })
  })
})
