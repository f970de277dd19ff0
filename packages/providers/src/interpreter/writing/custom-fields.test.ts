import { expect, it } from 'vitest'
import { createConnector } from '../../index.ts'
import { type Answer, plainHttp, type SeenRequest, startServer } from '../../testing/http-server.testkit.ts'
import { thingsProvider } from '../../testing/provider.testkit.ts'

/** Custom fields, written by the names that reading lifts them under; the shapes are those of Copper and Capsule. */

const copper = `read:
  path: /things
  customFields:
    list: custom_fields
    key: custom_field_definition_id
    value: value
    definitions: { path: /definitions, key: id, name: 'custom_field_{{name|snake}}' }
fields: [{ source: static, fields: { name: string, custom_field_own: string } }]
write:
  customFields: { item: { custom_field_definition_id: { $value: definition.id }, value: { $value: value } } }
  create: { path: /things }
  update: { path: '/things/{{id}}' }
  batch: { create: { path: /batch, max: 5, answer: { results: results } } }
`
const definitions = [
  { id: 705393, name: 'Favourite Cake' },
  { id: 705394, name: 'Rank' },
  { id: 705395, name: 'Own' },
]

async function connect(object: string, answer: (request: SeenRequest) => Answer | undefined) {
  const server = await startServer((request) => answer(request) ?? { body: { id: 1 } })
  const connection = { metadata: { baseUrl: server.origin }, credential: { scheme: 'apiKey', apiKey: 'k' } as const }
  return { server, connector: createConnector(thingsProvider(object), connection, plainHttp(fetch)) }
}
const sent = (seen: SeenRequest[]) =>
  seen.filter(({ body }) => body !== '').map(({ body }): unknown => JSON.parse(body))

it('each becomes an item of the list that the provider takes, beside what the caller put there', async () => {
  const { server, connector } = await connect(copper, ({ url }) =>
    url.pathname === '/api/definitions' ? { body: definitions } : undefined,
  )
  await using _ = server
  const record = {
    name: 'Acme',
    Custom_Field_Favourite_Cake: 'Poppy',
    custom_field_rank: null,
    custom_field_own: 'not one of the list',
    unknown: 1,
    custom_fields: [{ custom_field_definition_id: 9, value: 'given' }],
  }
  await connector.write({ object: 'things', type: 'create', record })
  await connector.write({ object: 'things', type: 'update', id: '1', record: { custom_field_rank: [3, 4] } })
  expect(sent(server.seen)).toEqual([
    {
      name: 'Acme',
      custom_field_own: 'not one of the list',
      unknown: 1,
      custom_fields: [
        { custom_field_definition_id: 9, value: 'given' },
        { custom_field_definition_id: 705393, value: 'Poppy' },
        { custom_field_definition_id: 705394, value: null },
      ],
    },
    { custom_fields: [{ custom_field_definition_id: 705394, value: [3, 4] }] },
  ])
  expect(server.seen.filter(({ url }) => url.pathname === '/api/definitions')).toHaveLength(1)
})

it('in a batch, too; and nothing is asked for where all fields are written down', async () => {
  const { server, connector } = await connect(copper, ({ url }) =>
    url.pathname === '/api/definitions'
      ? { body: definitions }
      : url.pathname === '/api/batch'
        ? { body: { results: [{ id: 1 }, { id: 2 }] } }
        : undefined,
  )
  await using _ = server
  await connector.write({ object: 'things', type: 'create', record: { name: 'Acme', "$['a']['b']": 1 } })
  expect(server.seen.map(({ url }) => url.pathname)).toEqual(['/api/things'])
  const items = [{ record: { custom_field_rank: 1 } }, { record: { name: 'B' } }]
  await connector.writeBatch({ object: 'things', type: 'create', items, allOrNone: false })
  expect(sent(server.seen).at(-1)).toEqual([
    { custom_fields: [{ custom_field_definition_id: 705394, value: 1 }] },
    { name: 'B' },
  ])
})

const capsule = `read: { path: /things, customFields: { list: extra.fields, key: definition.name, value: value } }
write:
  body: { thing: { $value: record } }
  customFields:
    definitions: { path: /definitions, records: definitions, paging: { kind: linkHeader }, key: id, name: name }
    item: { definition: { id: { $value: definition.id } }, value: { $value: value } }
  create: { path: /things }
`

it('definitions may be of the write alone, in pages, and the list inside the record', async () => {
  const { server, connector } = await connect(capsule, ({ url }) => {
    if (url.pathname !== '/api/definitions') return undefined
    if (url.searchParams.has('page')) return { body: { definitions: [{ id: 48, name: 'Local' }] } }
    const link = `<${server.origin}/api/definitions?page=2>; rel="next"`
    return { headers: { link }, body: { definitions: [{ id: 45, name: 'Referring Site' }] } }
  })
  await using _ = server
  await connector.write({ object: 'things', type: 'create', record: { local: true, 'referring site': 'x', a: 1 } })
  expect(sent(server.seen)).toEqual([
    {
      thing: {
        a: 1,
        extra: {
          fields: [
            { definition: { id: 48 }, value: true },
            { definition: { id: 45 }, value: 'x' },
          ],
        },
      },
    },
  ])
})

it('a refusal of the definitions is a refusal of the write, and nothing was sent', async () => {
  const { server, connector } = await connect(copper, () => ({ status: 403, body: { message: 'no' } }))
  await using _ = server
  await expect(
    connector.write({ object: 'things', type: 'create', record: { custom_field_rank: 1 } }),
  ).rejects.toMatchObject({ class: 'forbidden' })
  expect(sent(server.seen)).toEqual([])
})

it('what is missing is a fault of the file', () => {
  expect(() => thingsProvider(capsule.replace(/ {4}definitions.*\n/, ''))).toThrow('needs "definitions"')
  expect(() => thingsProvider(capsule.replace(/, customFields.*value \}/, ''))).toThrow('needs "into"')
  expect(() => thingsProvider(copper.replace('definition.id', 'defined.id'))).toThrow('"defined.id"')
})
