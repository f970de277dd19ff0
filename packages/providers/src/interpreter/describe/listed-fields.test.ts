import { expect, it } from 'vitest'
import { type Answer, plainHttp, type SeenRequest, startServer } from '../../testing/http-server.testkit.ts'
import { thingsProvider } from '../../testing/provider.testkit.ts'
import { createConnector } from '../create-connector.ts'

/** What a provider file can say of where fields are known from, against a real server. */

async function connect(fields: string, answer: (request: SeenRequest) => Answer) {
  const server = await startServer(answer)
  const hosts: string[] = []
  const entry = thingsProvider(`read: { path: /things }\n${fields}`)
  const connection = { metadata: { baseUrl: server.origin }, credential: { scheme: 'apiKey', apiKey: 'k' } as const }
  const connector = createConnector(entry, connection, (request) => {
    const { host, origin } = new URL(request.url)
    hosts.push(host)
    return plainHttp(fetch, { from: origin, to: server.origin })(request)
  })
  return { connector, server, hosts, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}

it('types that stand in a value or one level deeper, as introspection of GraphQL answers them', async () => {
  const scalar = (name: string) => ({ name, kind: 'SCALAR', ofType: null })
  const choice = { name: 'State', kind: 'ENUM', enumValues: [{ name: 'ON' }], ofType: null }
  const needed = (ofType: object) => ({ name: null, kind: 'NON_NULL', ofType })
  await using at = await connect(
    `fields:
  - source: live
    path: /fields
    only:
      - { type.kind: [SCALAR, ENUM], args: { present: false } }
      - { type.kind: NON_NULL, type.ofType.kind: [SCALAR, ENUM] }
    name: name
    providerType: [type.name, type.ofType.name]
    valueType:
      - { when: { type.name: String }, is: string }
      - { when: { type.ofType.kind: ENUM }, is: singleSelect }
    values: { path: [type.enumValues, type.ofType.enumValues], value: name, label: name }`,
    () => ({
      body: [
        { name: 'title', type: scalar('String') },
        { name: 'state', type: needed(choice) },
        { name: 'metafield', type: scalar('String'), args: [{ name: 'key' }] },
        { name: 'owner', type: { name: 'Owner', kind: 'OBJECT', ofType: null } },
      ],
    }),
  )
  const { fields } = await at.connector.describeObject('things')
  expect(Object.values(fields)).toEqual([
    { fieldName: 'title', displayName: 'title', valueType: 'string', providerType: 'String' },
    {
      fieldName: 'state',
      displayName: 'state',
      valueType: 'singleSelect',
      providerType: 'State',
      values: [{ value: 'ON', displayValue: 'ON' }],
    },
  ])
})

it('a list fits when one of its items does, in all that is asked of it', async () => {
  const uses = (...kinds: [string, string][]) => kinds.map(([entity, kind]) => ({ entity, kinds: [{ kind }] }))
  await using at = await connect(
    `set: { kind: CUSTOMER }
fields:
  - source: live
    path: /fields
    only: { uses: { some: { entity: contact, kinds: { some: { kind: '{{kind}}' } } } } }
    name: name`,
    () => ({
      body: [
        { name: 'tier', uses: uses(['sale', 'INVOICE'], ['contact', 'CUSTOMER']) },
        { name: 'contract', uses: uses(['contact', 'VENDOR'], ['sale', 'CUSTOMER']) },
        { name: 'none' },
      ],
    }),
  )
  const { fields } = await at.connector.describeObject('things')
  expect(Object.keys(fields)).toEqual(['tier'])
})

it('a source of another host gets the credential, and may fail for any reason where it always is optional', async () => {
  let status = 200
  await using at = await connect(
    `fields:
  - { source: static, fields: { id: string } }
  - { source: live, optional: always, base: 'https://fields.example.com/v2', path: /own, name: name }`,
    () => ({ status, body: [{ name: 'mine' }] }),
  )
  const known = await at.connector.describeObject('things')
  expect(Object.keys(known.fields)).toEqual(['id', 'mine'])
  expect(known).not.toHaveProperty('incomplete')
  expect(at.hosts).toEqual(['fields.example.com'])
  expect(at.server.seen[0]?.url.pathname).toBe('/v2/own')
  expect(at.server.seen[0]?.headers['x-api-key']).toBe('k')
  for (status of [500, 400, 403]) {
    const { fields, incomplete } = await at.connector.describeObject('things')
    expect([Object.keys(fields), incomplete]).toEqual([['id'], true])
  }
})
