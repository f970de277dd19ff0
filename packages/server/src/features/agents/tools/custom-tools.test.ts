import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type CustomKit, codeOf, json, startCustomKit } from './custom-tools.testkit.ts'

let kit: CustomKit
beforeAll(async () => {
  kit = await startCustomKit()
})
afterAll(() => kit?.stop())
beforeEach(() => {
  kit.received.length = 0
  kit.answer(json({ data: { id: 'c1', name: 'Acme' } }))
})

const id = { type: 'string', minLength: 1 }
const schema = (properties: object, required: string[] = []) => ({ type: 'object', properties, required })
const get = (more: object = {}) => ({
  name: 'get_company_of',
  description: 'Returns the company of a person.',
  inputSchema: schema({ id, page: { type: 'integer' } }, ['id']),
  request: { path: '/people/{{arguments.id}}/company', query: { page: '{{arguments.page}}', size: 5 } },
  result: { path: 'data' },
  ...more,
})
const merge = (more: object = {}) => ({
  name: 'merge_companies',
  description: 'Merges two companies.',
  inputSchema: schema(
    { id, into: { type: 'integer' }, tags: { type: 'array', items: { type: 'string' } }, note: { type: 'string' } },
    ['id'],
  ),
  request: {
    method: 'POST',
    path: '/companies/{{arguments.id}}/merge',
    headers: { 'X-Note': '{{arguments.note}}' },
    body: { into: { $value: 'arguments.into' }, tags: { $value: 'arguments.tags' }, by: 'agent of {{group}}' },
  },
  ...more,
})

describe('a tool of the builder', () => {
  test('is listed with its schema, and makes the request that it declares', async () => {
    const group = await kit.install([get(), merge()])
    const [first, second] = await kit.tools(group)
    expect(first).toEqual({
      name: 'get_company_of',
      description: expect.stringMatching(/^Returns the company of a person\. Works in own1\.$/),
      inputSchema: { ...get().inputSchema, additionalProperties: false },
      readOnly: true,
      needsApproval: false,
      integrationId: expect.any(String),
      integrationName: 'own1',
      action: 'call',
    })
    expect(second).toMatchObject({ name: 'merge_companies', readOnly: false })

    expect(await kit.call(group, 'get_company_of', { id: 'p/1?a=b&c#d', page: 2 })).toMatchObject({
      isError: false,
      content: { providerData: { provider: 'sampleCrm', result: { id: 'c1', name: 'Acme' } }, note: /data/ },
    })
    expect(await kit.call(group, 'merge_companies', { id: '7', into: 8, tags: ['a', 'b'] })).toMatchObject({
      isError: false,
      content: { done: 'call', providerData: { result: { data: { id: 'c1' } } } },
    })
    expect(kit.received).toMatchObject([
      {
        method: 'GET',
        url: '/people/p%2F1%3Fa%3Db%26c%23d/company?page=2&size=5',
        headers: { 'x-api-key': 'demo-key' },
      },
      { method: 'POST', url: '/companies/7/merge', headers: { 'content-type': 'application/json' } },
    ])
    expect(JSON.parse(kit.received[1]!.body)).toEqual({ into: 8, tags: ['a', 'b'], by: 'agent of own1-group' })
    expect(kit.received[1]!.headers).not.toHaveProperty('x-note')
  })

  test.each([
    ['JSON', undefined, '{"stage":null,"address":null}', '{}'],
    ['a form', 'form', 'stage=&address=', ''],
  ])(
    'takes null where its schema says so, which is no value left out, in %s',
    async (_, encoding, withNull, without) => {
      const address = { type: ['object', 'null'], properties: { city: { type: 'string' } } }
      const inputSchema = schema({ id, stage: { type: ['string', 'null'], enum: ['lead', null] }, address }, ['id'])
      const body = { $keep: true, stage: { $value: 'arguments.stage' }, address: { $value: 'arguments.address' } }
      const request = { method: 'PATCH', path: '/people/{{arguments.id}}', body, ...(encoding && { encoding }) }
      const group = await kit.install([
        { name: `set_person_${encoding}`, description: 'Changes it.', inputSchema, request },
      ])
      const [tool] = await kit.tools(group)
      expect(tool?.inputSchema.properties).toEqual({
        ...inputSchema.properties,
        address: { ...address, additionalProperties: false },
      })
      await kit.call(group, `set_person_${encoding}`, { id: '7', stage: null, address: null })
      await kit.call(group, `set_person_${encoding}`, { id: '7' })
      expect(kit.received.map(({ body: sent }) => sent)).toEqual([withNull, without])
      const refused = await kit.call(group, `set_person_${encoding}`, { id: null, stage: 'x' })
      expect(refused.content.error?.details).toEqual([
        'arguments.id must be text, not null.',
        'arguments.stage must be one of: lead.',
      ])
      expect(kit.received).toHaveLength(2)
    },
  )

  test('is logged as an operation, without values of its arguments', async () => {
    const group = await kit.install([merge({ name: 'merge_logged' })])
    const { operationId } = await kit.call(group, 'merge_logged', { id: '7', note: 'private words' })
    const { body } = await kit.app.call('GET', `${kit.base}/operations/${operationId}/logs`)
    const text = JSON.stringify(body)
    expect(text).toContain('POST /companies/7/merge')
    expect(text).toContain('merge_logged')
    expect(text).not.toContain('private words')
    expect(text).not.toContain('demo-key')
  })

  test('has a name of the project, whatever a group has installed', async () => {
    const group = await kit.install([get()])
    const other = await kit.install([get()])
    for (const one of [group, other])
      expect((await kit.tools(one)).map(({ name }) => name)).toEqual([`get_company_of_${one.replace('-group', '')}`])
  })

  test('can send a form, and needs the consumer where its request names one', async () => {
    const request = {
      method: 'POST',
      path: '/notes',
      encoding: 'form',
      body: { text: '{{arguments.text}}', author: '{{consumer}}' },
    }
    const group = await kit.install([merge({ name: 'note', inputSchema: schema({ text: id }, ['text']), request })])
    expect(codeOf(await kit.call(group, 'note', { text: 'a' }))).toBe('rule_refused')
    expect(kit.received).toEqual([])
    const called = await kit.call(group, 'note', { text: 'a&author=eve' }, { consumerRef: 'ada' })
    expect(called.isError, JSON.stringify(called)).toBe(false)
    expect(kit.received[0]).toMatchObject({
      body: 'text=a%26author%3Deve&author=ada',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
  })

  test('waits for a person, and runs once with the stored arguments', async () => {
    const group = await kit.install([merge({ name: 'merge_later', confirm: 'approval' })])
    expect((await kit.tools(group)).map(({ name }) => name)).toEqual(['merge_later', 'get_approval_result'])
    const waiting = await kit.call(group, 'merge_later', { id: '7' })
    expect(waiting.content).toMatchObject({ status: 'waiting_for_approval' })
    expect(kit.received).toEqual([])
    const path = `${kit.base}/approvals/${waiting.content.approvalId}`
    expect((await kit.app.call('GET', path)).body).toMatchObject({ action: 'call', objectName: 'merge_later' })
    const approved = await kit.app.call('POST', `${path}:approve`, {})
    expect(approved.body).toMatchObject({ status: 'done', result: { done: 'call' } })
    expect(kit.received).toMatchObject([{ method: 'POST', url: '/companies/7/merge' }])
    expect((await kit.app.call('POST', `${path}:approve`, {})).status).toBe(409)
    expect(kit.received).toHaveLength(1)
  })

  test('is not approved after a deploy has changed it', async () => {
    const tool = merge({ name: 'merge_changed', confirm: 'approval' })
    const group = await kit.install([tool])
    const { content } = await kit.call(group, 'merge_changed', { id: '7' })
    const request = { method: 'DELETE', path: '/companies/{{arguments.id}}' }
    const integration = {
      name: group.replace('-group', ''),
      provider: 'sampleCrm',
      agent: { tools: [{ ...tool, request }] },
    }
    await kit.deploy(JSON.stringify({ specVersion: '1.0.0', integrations: [integration] }))
    expect((await kit.app.call('POST', `${kit.base}/approvals/${content.approvalId}:approve`, {})).status).toBe(409)
    expect(kit.received).toEqual([])
  })

  test('is only checked in a dry run, whichever says so', async () => {
    const group = await kit.install([merge({ name: 'dry' }), get({ name: 'wet' })], { dryRun: true })
    expect((await kit.call(group, 'dry', { id: '7' })).content).toMatchObject({ dryRun: true })
    expect(codeOf(await kit.call(group, 'dry', { id: '..' }))).toBe('arguments_refused')
    expect(kit.received).toEqual([])
    expect((await kit.call(group, 'wet', { id: '7' })).isError).toBe(false)
  })

  test('counts against the limit of the group', async () => {
    const group = await kit.install([get({ name: 'limited' })], { limits: { callsPerMinute: 1 } })
    await kit.call(group, 'limited', { id: '7' })
    expect(codeOf(await kit.call(group, 'limited', { id: '7' }))).toBe('limit_reached')
  })
})

describe('arguments never leave their part of the request', () => {
  let group = ''
  beforeAll(async () => {
    group = await kit.install([get({ name: 'read' }), merge({ name: 'write' })])
  })

  test.each(['..', '.', '../admin', 'a/../../admin', '..\\admin', 'a;..', '%2e%2e', 'a\r\nb', 'a\u0001b'])(
    'the path refuses %j or keeps it in its segment',
    async (value) => {
      const called = await kit.call(group, 'read', { id: value })
      if (value === '%2e%2e') expect(kit.received[0]!.url).toMatch(/^\/people\/%252e%252e\/company\?/)
      else {
        expect(codeOf(called)).toBe('arguments_refused')
        expect(kit.received).toEqual([])
      }
    },
  )

  test.each(['a\r\nX-Evil: 1', 'a\nb', '\u2028', 'Ω'])('the header refuses %j', async (note) => {
    const called = await kit.call(group, 'write', { id: '7', note })
    expect(codeOf(called)).toBe('arguments_refused')
    expect(kit.received).toEqual([])
  })

  test('values of a wrong form, unknown and too long ones are refused together', async () => {
    const called = await kit.call(group, 'write', { id: '', into: '8', tags: [1], more: true })
    expect(codeOf(called)).toBe('arguments_refused')
    expect(called.content.error?.details).toHaveLength(4)
    expect(codeOf(await kit.call(group, 'read', { id: 'x'.repeat(9_000) }))).toBe('arguments_refused')
    expect(kit.received).toEqual([])
  })
})

describe('an answer', () => {
  let count = 0
  const people = Array.from({ length: 40 }, (_, at) => ({
    id: `${at}`,
    name: { first: 'Ada', salary: 5 },
    Phone: '+1',
    salary: 3,
    more: 'x'.repeat(100),
  }))

  test('shows the fields to keep, hides those of all rules, and is cut', async () => {
    const read = {
      objects: [
        {
          objectName: 'contacts',
          destination: 'hook',
          requiredFields: [{ fieldName: 'phone', mapToName: 'telephone' }],
        },
      ],
    }
    const objects = [
      { objectName: 'contacts', actions: ['get'], hiddenFields: ['salary'], maskedFields: ['telephone'] },
    ]
    const list = {
      name: 'people_of',
      description: 'People.',
      request: { path: '/people' },
      result: { path: 'data.people', fields: ['id', 'name', 'Phone', 'salary'] },
    }
    const group = await kit.install([list], { objects, limits: { recordsPerCall: 30 } }, { read })
    kit.answer(json({ data: { people } }))
    const { content } = await kit.call(group, 'people_of')
    const result = content.providerData?.result as unknown[]
    expect(result).toHaveLength(30)
    expect(result[0]).toEqual({ id: '0', name: { first: 'Ada' }, Phone: '[masked]' })
    expect(content).toMatchObject({ omitted: 10, message: expect.stringContaining('10 more items') })
  })

  test('fits the limit of bytes, as a list and as one large object', async () => {
    const all = { name: 'all', description: 'All.', request: { path: '/all' } }
    const hidden = { hiddenFields: ['name'], maskedFields: ['salary'] }
    const some = { ...all, name: 'some', result: { path: 'list', ...hidden } }
    const group = await kit.install([all, some], { limits: { resultBytes: 3_000, recordsPerCall: 100 } })
    kit.answer(json({ list: people, text: 'y'.repeat(100_000) }))
    for (const name of ['all', 'some']) {
      const { content } = await kit.call(group, name)
      expect(Buffer.byteLength(JSON.stringify(content))).toBeLessThan(3_000)
      expect(JSON.stringify(content)).toContain('"Phone"')
    }
    const { content } = await kit.call(group, 'some')
    expect(content.providerData?.result).toContainEqual({
      id: '0',
      Phone: '+1',
      salary: '[masked]',
      more: people[0]!.more,
    })
  })

  test('without content is a success of a call that changes something, and of HEAD', async () => {
    const exists = { name: 'exists', description: 'Whether.', request: { method: 'HEAD', path: '/x' } }
    const group = await kit.install([merge({ name: 'quiet' }), exists])
    kit.answer((response) => response.writeHead(204).end())
    expect(await kit.call(group, 'quiet', { id: '7' })).toMatchObject({ isError: false, content: { done: 'call' } })
    expect(await kit.call(group, 'exists')).toMatchObject({ isError: false })
  })

  const html = (response: import('node:http').ServerResponse) =>
    response.writeHead(200, { 'content-type': 'text/html' }).end('<html><title>Sign in</title></html>')

  test.each<[string, Parameters<CustomKit['answer']>[0], read: string, write: string]>([
    ['a page of HTML', html, 'not_possible', 'outcome_unknown'],
    [
      'a redirect',
      (response) => response.writeHead(302, { location: '/elsewhere' }).end(),
      'not_possible',
      'outcome_unknown',
    ],
    [
      'half of an answer',
      (response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{"data":{'),
      'not_possible',
      'outcome_unknown',
    ],
    [
      'a broken connection',
      (response) => response.writeHead(200, { 'content-length': '99' }).write('{', () => response.destroy()),
      'provider_unavailable',
      'outcome_unknown',
    ],
    ['no connection', (response) => response.destroy(), 'provider_unavailable', 'outcome_unknown'],
    ['an answer without the result', json({ other: 1 }), 'not_possible', 'outcome_unknown'],
    ['an error of status 200', json({ error: { message: 'No such plan.' } }), 'not_possible', 'outcome_unknown'],
    ['a wrong request', json({ error: { message: 'No such plan.' } }, 422), 'provider_refused', 'provider_refused'],
    ['a missing record', json({ error: { message: 'No.' } }, 404), 'not_found', 'not_found'],
    ['an error of the provider', json({}, 503), 'provider_unavailable', 'provider_unavailable'],
    ['too many requests', json({}, 429), 'limit_reached', 'limit_reached'],
  ])('that is %s becomes an error to act on', async (_, answer, read, write) => {
    const group = await kit.install([merge({ name: `change${++count}`, result: { path: 'data' } })])
    kit.answer(answer)
    expect(codeOf(await kit.call(group, `change${count}`, { id: '7' }))).toBe(write)
    const other = await kit.install([get({ name: `ask${count}` })])
    expect(codeOf(await kit.call(other, `ask${count}`, { id: '7' }))).toBe(read)
  })

  test('that says an error with status 200 is none without a path of the result either', async () => {
    const group = await kit.install([get({ name: 'whole', result: undefined })])
    kit.answer(json({ error: { message: 'No such plan.' } }))
    expect(await kit.call(group, 'whole', { id: '7' })).toMatchObject({
      isError: true,
      content: { error: { code: 'provider_refused', providerMessage: expect.stringContaining('No such plan.') } },
    })
  })

  test('that is empty is no result of a read', async () => {
    const group = await kit.install([get({ name: 'empty' })])
    kit.answer((response) => response.writeHead(200, { 'content-type': 'application/json' }).end())
    expect(codeOf(await kit.call(group, 'empty', { id: '7' }))).toBe('not_possible')
  })

  test('that refuses the credential asks the user to connect again', async () => {
    const group = await kit.install([get({ name: 'refused' })])
    kit.answer(json({}, 401))
    expect(codeOf(await kit.call(group, 'refused', { id: '7' }))).toBe('reconnect_account')
    const { body } = await kit.app.call<{ status: string }[]>('GET', `${kit.base}/connections?groupRef=${group}`)
    expect(body[0]?.status).not.toBe('working')
  })
})
