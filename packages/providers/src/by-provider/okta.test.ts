import { expect, it } from 'vitest'
import type { Answer, SeenRequest } from '../testing/http-server.testkit.ts'
import { asked, openProvider, readAll } from '../testing/open-provider.testkit.ts'

/** What developer.okta.com shows as answers, as far as the provider file relies on it. */

const metadata = { workspace: 'acme' }
const statuses = 'STAGED PROVISIONED ACTIVE RECOVERY PASSWORD_EXPIRED LOCKED_OUT SUSPENDED DEPROVISIONED'.split(' ')
const any = `(${statuses.map((status) => `status eq "${status}"`).join(' or ')})`

function okta({ url }: SeenRequest): Answer {
  if (url.pathname === '/api/v1/groups') return { body: [{ id: 'g1' }, { id: 'g2' }] }
  if (url.pathname !== '/api/v1/users') return { body: [{ id: 'u1' }] }
  if (url.searchParams.has('after')) return { body: [{ id: 'u2', status: 'DEPROVISIONED', profile: { email: 'b@x' } }] }
  const self = '<https://acme.okta.com/api/v1/users?limit=200>; rel="self"'
  const next = '<https://acme.okta.com/api/v1/users?after=00u1&limit=200>; rel="next"'
  return { headers: { link: `${self}, ${next}` }, body: [{ id: 'u1', profile: { email: 'a@x' } }] }
}

it('people of any status are read page by page, and those changed in a window', async () => {
  await using provider = await openProvider('okta', okta, { metadata })
  const { connector } = provider
  const first = await connector.readPage({ object: 'users', fields: ['email'] })
  const last = await connector.readPage({ object: 'users', fields: ['email'], page: first.nextPage ?? '' })
  expect([...first.records, ...last.records].map(({ id, fields }) => [id, fields])).toEqual([
    ['u1', { email: 'a@x' }],
    ['u2', { email: 'b@x' }],
  ])
  expect(last.nextPage).toBeUndefined()
  const window = { since: new Date('2026-01-01T00:00:00Z'), until: new Date('2026-01-02T00:00:00Z') }
  await connector.readPage({ object: 'users', fields: ['email'], ...window })
  await connector.search({
    object: 'users',
    fields: ['id'],
    filters: [{ field: 'email', operator: 'eq', value: 'a@x' }],
  })
  const changed = 'lastUpdated gt "2025-12-31T23:54:59.999Z" and lastUpdated lt "2026-01-02T00:00:00.000Z"'
  expect(asked(provider.seen)).toEqual([
    `GET /api/v1/users?limit=200&filter=${any}`,
    'GET /api/v1/users?after=00u1&limit=200',
    `GET /api/v1/users?limit=200&filter=${any} and ${changed}`,
    'GET /api/v1/users?limit=200&filter=profile.email eq "a@x"',
  ])
})

it('a membership is identified by its group and its person', async () => {
  await using provider = await openProvider('okta', okta, { metadata })
  const { records } = await provider.connector.readPage({ object: 'groupMembers', fields: ['groupId'] })
  expect(records.map(({ id }) => id)).toEqual(['g1/u1', 'g2/u1'])
})

it.each([
  [{ email: 'a@x', costCenter: '7', groupIds: ['g1'] }],
  [{ profile: { email: 'a@x', costCenter: '7' }, groupIds: ['g1'] }],
])('fields of a profile are written into it: %j', async (record) => {
  await using provider = await openProvider('okta', () => ({ body: { id: 'u1' } }), { metadata })
  await provider.connector.write({ object: 'users', type: 'create', record })
  expect(JSON.parse(provider.seen[0]?.body ?? '')).toEqual({
    profile: { email: 'a@x', costCenter: '7' },
    groupIds: ['g1'],
  })
})

it('policies of Identity Engine are read only where an org has it', async () => {
  const answer =
    (pipeline: string) =>
    ({ url }: SeenRequest): Answer =>
      url.pathname === '/.well-known/okta-organization'
        ? { body: { id: '00o1', pipeline } }
        : { body: [{ id: `p-${url.searchParams.get('type')}` }] }
  const read = { object: 'identityEnginePolicies', fields: ['id'] }
  await using engine = await openProvider('okta', answer('idx'), { metadata })
  expect((await readAll(engine.connector, read)).map(({ id }) => id)).toEqual([
    'p-ACCESS_POLICY',
    'p-PROFILE_ENROLLMENT',
  ])
  await using classic = await openProvider('okta', answer('v1'), { metadata })
  expect(await readAll(classic.connector, read)).toEqual([])
  expect(asked(classic.seen)).toEqual(['GET /.well-known/okta-organization'])
})

it('policies are read one type after the other', async () => {
  const policies = ({ url }: SeenRequest): Answer => ({ body: [{ id: `p-${url.searchParams.get('type')}` }] })
  await using provider = await openProvider('okta', policies, { metadata })
  const { records, nextPage } = await provider.connector.readPage({ object: 'policies', fields: ['id'] })
  expect(records.map(({ id }) => id)).toEqual(['p-OKTA_SIGN_ON', 'p-PASSWORD', 'p-MFA_ENROLL', 'p-IDP_DISCOVERY'])
  expect(nextPage).toBeUndefined()
  expect(asked(provider.seen)[0]).toBe('GET /api/v1/policies?type=OKTA_SIGN_ON')
})

it('applications that are not active are listed, too', async () => {
  await using provider = await openProvider('okta', okta, { metadata })
  await provider.connector.readPage({ object: 'apps', fields: ['label'] })
  expect(provider.seen[0]?.url.searchParams.get('includeNonDeleted')).toBe('true')
})

it.each([
  ['users', 'user.lifecycle.delete.completed', 'User'],
  ['groups', 'group.lifecycle.delete', 'UserGroup'],
  ['apps', 'application.lifecycle.delete', 'AppInstance'],
])('deleted %s are events of the System Log in the window', async (object, eventType, type) => {
  const event = (id: string, of: string) => ({ uuid: `e-${id}`, eventType, target: [{ id, type: of }] })
  await using provider = await openProvider(
    'okta',
    ({ url }): Answer => ({ body: url.pathname === '/api/v1/logs' ? [event('x1', type), event('x2', 'Other')] : [] }),
    { metadata },
  )
  const until = new Date()
  const window = { since: new Date(until.getTime() - 3_600_000), until }
  const request = { object, fields: ['id'], ...window, deletions: true }
  const found = await readAll(provider.connector, request)
  expect(found.map(({ id, deleted }) => [id, deleted])).toEqual([['x1', true]])
  const { searchParams } = provider.seen.at(-1)?.url ?? new URL('http://none')
  expect(searchParams.get('filter')).toBe(`eventType eq "${eventType}" and outcome.result eq "SUCCESS"`)
  expect([searchParams.has('since'), searchParams.get('until')]).toEqual([true, until.toISOString()])
})

it('the System Log is read for the days that Okta keeps it, to an end', async () => {
  const now = () => Date.parse('2026-06-30T00:00:00Z')
  await using provider = await openProvider('okta', () => ({ body: [{ uuid: 'e1' }] }), { metadata, now })
  const records = await readAll(provider.connector, { object: 'logs', fields: ['eventType'] })
  expect(records.map(({ id }) => id)).toEqual(['e1', 'e1', 'e1'])
  expect(asked(provider.seen)).toEqual(
    [
      'since=2026-04-01T23:55:00.000Z&until=2026-05-01T23:54:59.999Z',
      'since=2026-05-01T23:54:59.999Z&until=2026-05-31T23:54:59.998Z',
      'since=2026-05-31T23:54:59.998Z&until=2026-06-30T00:00:00.000Z',
    ].map((window) => `GET /api/v1/logs?limit=1000&${window}`),
  )
})

it('choices of a field have the titles of `oneOf`, and without it the values of `enum`', async () => {
  const sizes = [
    { const: 'S', title: 'Small' },
    { const: 'L', title: 'Large' },
  ]
  const properties = {
    // As developer.okta.com shows an enumerated property of a schema: both lists, of the same values.
    shirtSize: { title: 'Shirt Size', type: 'string', enum: ['S', 'L'], oneOf: sizes },
    department: { title: 'Department', type: 'string', enum: ['Sales', 'Support'] },
    login: { title: 'Username', type: 'string' },
  }
  const empty = { base: { properties: {} }, custom: { properties: {} } }
  const titled = [
    { value: 'S', displayValue: 'Small' },
    { value: 'L', displayValue: 'Large' },
  ]
  for (const part of ['base', 'custom']) {
    await using provider = await openProvider(
      'okta',
      () => ({ body: { definitions: { ...empty, [part]: { properties } } } }),
      { metadata },
    )
    const { fields } = await provider.connector.describeObject('users')
    expect(fields['shirtSize']).toMatchObject({ valueType: 'singleSelect', values: titled })
    expect(fields['department']?.values?.map(({ value }) => value)).toEqual(['Sales', 'Support'])
    expect(fields['login']).not.toHaveProperty('values')
  }
})
