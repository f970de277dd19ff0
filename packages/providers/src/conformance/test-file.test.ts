import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { type StandInGroup, type StandInRequest, testWithStandIn } from './test-file.ts'

/** A provider file of anybody is tested as those of the catalog are. */
const good = `name: acme
baseUrl: '{{url}}/api'
inputs: [{ name: url, kind: url }]
authentication: [{ scheme: apiKey, attach: header, name: X-Api-Key }]
errors: { message: [error.message] }
objects:
  contacts:
    read:
      path: /contacts
      query: { limit: '{{pageSize}}', cursor: '{{cursor}}', since: '{{since}}' }
      records: data
      total: total
      paging: { kind: cursor, next: next_cursor }
    incremental: { format: unix }
    write: { create: { path: /contacts }, update: { path: '/contacts/{{id}}' } }
  notes:
    read: { path: /notes, query: { page: '{{page}}' }, records: items, paging: { kind: page } }
`
const fileOf = (text: string, path = 'acme.yaml') => ({ path, text })

async function tested(request: Omit<StandInRequest, 'builtIn'>) {
  const groups: (StandInGroup & { of: string })[] = []
  const add = (of: string, found: StandInGroup[]) => groups.push(...found.map((group) => ({ ...group, of })))
  const result = await testWithStandIn(
    { ...request, builtIn: [] },
    { file: (found) => add('', found), object: (found) => add(found.objectName, found.groups) },
  )
  const failed = groups.flatMap((one) =>
    one.failed.map((fault) => `${one.of} ${one.group} ${fault.case}: ${fault.message}`),
  )
  return { groups, failed, result }
}

it('a good file passes in each group of cases', async () => {
  const { groups, failed, result } = await tested({ file: fileOf(good) })
  expect(failed).toEqual([])
  expect(result).toEqual({ untested: [] })
  expect(groups.map(({ of, group, passed }) => `${of} ${group}: ${passed.join()}`)).toEqual([
    ' addresses: templates,defaults,hostile inputs',
    ' authentication: apiKey',
    'contacts read: full,empty,window,ids',
    'contacts failures: html,cut,401,429,503,no list',
    'contacts describe: fields',
    'contacts create: success,422,html',
    'contacts update: success,422,html',
    'notes read: full,empty,ids',
    'notes failures: html,cut,401,429,503,no list',
    'notes describe: fields',
  ])
})

it('records are looked up as a check for deletions does: those that exist, and those that were deleted', async () => {
  const only = 'get: { path: /contacts/{{id}}, record: contact, only: { deleted_at: { present: false } } }'
  const byIds = `readByIds: { path: /contacts, query: { ids: '{{ids}}' }, records: contacts, max: 50 }`
  const text = good.replace(
    '  notes:',
    `    ${only.replace('/contacts/{{id}}', "'/contacts/{{id}}'")}\n    ${byIds}\n  notes:`,
  )
  const { groups, failed } = await tested({ file: fileOf(text), objects: ['contacts'] })
  expect(failed).toEqual([])
  expect(groups.find(({ group }) => group === 'lookup')?.passed).toEqual(['by ids', 'found', '404', 'only'])
  const other = text.replace('record: contact,', 'record: person,')
  const { failed: found } = await tested({ file: fileOf(other), as: fileOf(text), objects: ['contacts'] })
  expect(found).toEqual([expect.stringContaining('contacts lookup found: '), expect.stringContaining('lookup only: ')])
})

it('a description has the fields of each source of the file', async () => {
  const listed = (path: string) =>
    `    fields:\n      - { source: static, fields: { id: string } }\n      - { source: live, path: ${path}, records: fields, name: 'cf_{{key}}' }\n`
  const text = good.replace('  notes:', `${listed('/schema')}  notes:`)
  expect((await tested({ file: fileOf(text), objects: ['contacts'] })).failed).toEqual([])
  const other = good.replace('  notes:', `${listed('/fields')}  notes:`)
  const { failed } = await tested({ file: fileOf(other), as: fileOf(text), objects: ['contacts'] })
  expect(failed).toEqual([
    expect.stringContaining('contacts describe fields: the stand-in refused GET /api/fields'),
    expect.stringContaining('contacts describe fields: fails: '),
  ])
})

const withWebhooks = `${good}webhooks:
  endpoint: installation
  registration:
    per: installation
    create: { path: /hooks, body: { url: '{{url}}', events: { $value: events } } }
    id: hook.id
    secret: hook.secret
    delete: { path: '/hooks/{{id}}' }
  verify: { by: hmac, algorithm: sha256, encoding: hex, header: X-Signature, secret: { from: answer } }
  handshake: [{ signed: false, when: { type: check }, answer: challenge }]
  event: { list: events, name: type, id: [contact.id], time: at }
  objects: { contacts: { create: [contact.created], update: [contact.updated] } }
`

it('events and subscriptions of a file are tested, too', async () => {
  const { groups, failed, result } = await tested({ file: fileOf(withWebhooks) })
  expect(failed).toEqual([])
  expect(result).toEqual({ untested: [] })
  const names = Object.fromEntries(groups.map(({ group, passed }) => [group, passed]))
  expect(names['signatures']).toEqual([
    ...['valid', 'other signature', 'other secret', 'no secret', 'no header x-signature', 'other body'],
  ])
  expect(names['handshakes']).toContain('POST success')
  expect(names['events']).toContain('contacts')
  expect(names['subscriptions']).toEqual(expect.arrayContaining(['create', 'renew', 'delete', 'no id', 'html']))
})

const withSignIn = good.replace(
  'authentication: [{ scheme: apiKey, attach: header, name: X-Api-Key }]',
  `authentication:
  - scheme: custom
    inputs: [{ name: user }, { name: password }]
    headers: { X-Token: '{{token}}' }
    token:
      request: { method: POST, url: '{{url}}/login', form: { user: '{{user}}', password: '{{password}}' } }
      take: { token: token }`,
)

it('a sign-in of a file is tested, too, and its requests are those of the other file', async () => {
  const { groups, failed, result } = await tested({ file: fileOf(withSignIn) })
  expect(failed).toEqual([])
  expect(result).toEqual({ untested: [] })
  expect(groups.find(({ group }) => group === 'sign-in')?.passed).toEqual([
    ...['success', 'wrong user', 'wrong password', 'html', 'no token', '503', '429', 'ended 401'],
  ])
  const other = fileOf(withSignIn.replace('user: ', 'name: '))
  expect((await tested({ file: other, as: fileOf(withSignIn) })).failed).toContainEqual(
    expect.stringContaining(' sign-in success: the stand-in refused POST /login: body name='),
  )
})

it('a stream of a file is tested, except its protocol', async () => {
  const stream = `stream:
  protocol: pubSub
  host: events.example.com:7443
  headers: { token: '{{accessToken}}' }
  topics: [{ topic: '/{{object}}' }]
  event: { name: type, ids: ids }
  events: { create: [made] }
`
  const oauth =
    '{ scheme: oauth2, grantType: authorizationCode, authUrl: https://acme.com/a, tokenUrl: https://acme.com/t }'
  const text = good.replace('{ scheme: apiKey, attach: header, name: X-Api-Key }', oauth) + stream
  const { groups, failed, result } = await tested({ file: fileOf(text) })
  expect(failed).toEqual([])
  expect(result).toEqual({
    untested: [
      { what: 'sign-in with OAuth', because: 'the stand-in has no authorization server' },
      { what: 'protocol of the stream', because: 'the stand-in speaks no gRPC' },
    ],
  })
  expect(groups.find(({ group }) => group === 'stream')?.passed).toContain('create made')
})

it('an event whose id cannot be where the file says is found', async () => {
  const { failed } = await tested({ file: fileOf(withWebhooks.replace('[contact.id]', '[type.id]')) })
  expect(failed).toContain(' events contacts: create contact.created: the id is undefined, not sample-id')
})

it.each([
  ['no further pages', 'next: next_cursor', 'next: cursor', 'contacts read full: 3 records'],
  ['another page', 'kind: page }', 'kind: page, first: 0 }', 'notes read full: '],
  [
    'another window',
    'format: unix',
    'format: date',
    'contacts read window: the stand-in refused GET /api/contacts: query',
  ],
  ['another list', 'records: items', 'records: data', 'notes read full: fails: "data" of the response is not a list'],
  ['another path', 'path: /notes', 'path: /note', 'notes read full: the stand-in refused GET /api/note: address'],
  [
    'another write',
    "{ path: '/contacts/{{id}}' }",
    "{ path: '/contacts/{{id}}', method: PUT }",
    'contacts update success: ',
  ],
  ['another credential', 'X-Api-Key', 'X-Key', ' authentication apiKey: the stand-in refused the credential is not in'],
])('it names %s than the other file has', async (_, part, instead, fault) => {
  expect(good).toContain(part)
  const { failed } = await tested({ file: fileOf(good.replace(part, instead)), as: fileOf(good) })
  expect(failed).toContainEqual(expect.stringContaining(fault))
  const [object] = fault.trim().split(' ')
  const others = ['contacts', 'notes'].filter((name) => !fault.includes('authentication') && name !== object)
  expect(failed.filter((one) => others.some((name) => one.startsWith(`${name} `)))).toEqual([])
})

it('values of the provider app are where the file says', async () => {
  const text = `name: acme
baseUrl: https://api.acme.com
authentication: [{ scheme: oauth2, grantType: authorizationCode, authUrl: https://acme.com/a, tokenUrl: https://acme.com/t }]
appMetadata: { providerParams: [{ name: key, secret: true, required: true }] }
headers: { client: '{{app.clientId}}' }
objects:
  notes:
    read: { method: POST, path: /notes, records: items, query: { k: '{{app.key}}' }, body: { k: '{{app.key}}' } }
`
  expect((await tested({ file: fileOf(text) })).failed).toEqual([])
  for (const [part, instead] of [
    ["query: { k: '{{app.key}}' }", "query: { k: '{{app.clientId}}' }"],
    ["client: '{{app.clientId}}'", "client: '{{app.key}}'"],
  ] as const)
    expect((await tested({ file: fileOf(text.replace(part, instead)), as: fileOf(text) })).failed).not.toEqual([])
})

it('tests the named objects only, and says what it does not test', async () => {
  const { groups, result } = await tested({ file: fileOf(good), objects: ['notes', 'tasks'] })
  expect(new Set(groups.map(({ of }) => of))).toEqual(new Set(['', 'notes']))
  expect(result).toEqual({ untested: [{ what: 'tasks', because: 'the file has no such object' }] })
  const other = good.replace('  notes:', '  tasks:')
  expect((await tested({ file: fileOf(good), as: fileOf(other) })).result).toEqual({
    untested: [
      { what: 'notes', because: 'the file of the stand-in has no such object' },
      { what: 'tasks', because: 'the tested file has no such object' },
    ],
  })
})

describe('a file that nobody should load', () => {
  it.each([
    ['is no YAML', 'name: [acme'],
    ['is no provider', '- 1'],
    ['holds itself', 'name: acme\nlabels: &a { a: *a }'],
    ['is nested', `name: ${'['.repeat(5000)}`],
  ])('%s', async (_, text) => {
    const { groups, result } = await tested({ file: fileOf(text) })
    expect(groups).toEqual([])
    expect(result).toMatchObject({ faults: [{ file: 'acme.yaml' }] })
  })

  it('has too many lists for the stand-in', async () => {
    const values = Array.from({ length: 400 }, (_, at) => `{ kind: k${at} }`).join(', ')
    const each = `each: { path: /teams, records: items, values: [${values}] }`
    const text = good.replace('path: /notes,', `path: '/teams/{{parent.id}}/{{parent.kind}}', ${each},`)
    const { groups, result } = await tested({ file: fileOf(text), objects: ['notes'] })
    expect(result).toEqual({ untested: [] })
    const because = 'the object has more than 500 lists'
    expect(groups.find(({ group }) => group === 'read')).toMatchObject({
      passed: [],
      notTested: [
        { case: 'full', because },
        { case: 'empty', because },
        { case: 'ids', because },
      ],
    })
  })
})

const guide = readFileSync(new URL('../../../../docs/writing-a-provider.md', import.meta.url), 'utf8')
const [head = ''] = [...guide.matchAll(/```yaml\n(name: [^`]+)```/g)].map(([, text = '']) => text)
const parts = [...guide.matchAll(/```yaml\n((?:templates|objects):\n[^`]+)```/g)].map(([, text = '']) => text)
/** The first file of the guide, and what later steps make of it. */
const examples = [head, ...parts.map((text) => head + text)]

it('the guide has files', () => expect(examples.length).toBeGreaterThan(3))

it.each(examples.map((text, at) => [at + 1, text] as const))('file %i of the guide passes', async (_, text) => {
  const name = /^name: (\w+)/.exec(text)?.[1] ?? ''
  const { failed, result } = await tested({ file: fileOf(text, `${name}.yaml`) })
  expect(failed).toEqual([])
  expect(result).toHaveProperty('untested')
})
