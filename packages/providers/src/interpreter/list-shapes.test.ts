import { expect, it } from 'vitest'
import { thingsProvider } from '../testing/provider.testkit.ts'
import { connected, readAll } from '../testing/things-reader.testkit.ts'

async function recordsOf(object: string, body: unknown) {
  let found: unknown[] = []
  await connected(
    object,
    () => ({ body }),
    async (connector) => {
      found = (await readAll(connector)).flat().map(({ id, fields }) => ({ recordId: id, ...fields }))
    },
  )
  return found
}

it('an object of records: the key of each is a field', async () => {
  const object = 'read: { path: /things, records: things, keyedBy: id, only: { open: true } }'
  const things = {
    a7: { name: 'x', open: true },
    b8: { name: 'y', open: false },
    __proto__x: { name: 'z', open: true },
  }
  expect(await recordsOf(object, { things })).toEqual([
    { recordId: 'a7', id: 'a7', name: 'x', open: true },
    { recordId: '__proto__x', id: '__proto__x', name: 'z', open: true },
  ])
  expect(await recordsOf(object, { things: [] })).toEqual([])
  await expect(recordsOf(object, { things: 'none' })).rejects.toMatchObject({ class: 'unexpected_response' })
})

it('a list of values: each is a field', async () => {
  const object = 'read: { path: /things, records: things, valueAs: code, id: code }'
  expect(await recordsOf(object, { things: ['a/7', 8, { code: 'c', name: 'z' }] })).toEqual([
    { recordId: 'a/7', code: 'a/7' },
    { recordId: '8', code: 8 },
    { recordId: 'c', code: 'c', name: 'z' },
  ])
  expect(() => thingsProvider('read: { path: /things, valueAs: id, keyedBy: id }')).toThrow('cannot be used with')
})

it('each value of a list is requested', async () => {
  const object = `read: { path: /things, valueAs: id, getEach: true }
get: { path: '/things/{{id}}', none: { when: { error: not found } } }`
  const answers = ({ url }: { url: URL }) => {
    if (url.pathname === '/api/things') return { body: ['1', '2', '3'] }
    if (url.pathname === '/api/things/2') return { status: 500, body: { error: 'not found' } }
    return { body: { name: `n${url.pathname.slice(-1)}` } }
  }
  await connected(object, answers, async (connector) => {
    const [records = []] = await readAll(connector)
    expect(records.map(({ fields }) => fields)).toEqual([
      { id: '1', name: 'n1' },
      { id: '3', name: 'n3' },
    ])
    const listed = await connector.readPage({ object: 'things', fields: [], idsOnly: true })
    expect(listed.records.map(({ id }) => id)).toEqual(['1', '2', '3'])
  })
})

it('one record in place of a list', async () => {
  const object = 'read: { path: /me, records: account, single: true }'
  expect(await recordsOf(object, { account: { id: 1, name: 'Acme' } })).toEqual([
    { recordId: '1', id: 1, name: 'Acme' },
  ])
  expect(await recordsOf(object, { account: null })).toEqual([])
  await expect(recordsOf(object, { account: 'Acme' })).rejects.toMatchObject({ class: 'unexpected_response' })
})

it('the paths of the record and of the total may name the object', async () => {
  const object = `set: { one: thing }
read: { path: /things, records: items, unwrap: '{{one}}', total: 'counts.{{object}}' }`
  await connected(
    object,
    () => ({ body: { items: [{ thing: { id: 1 } }], counts: { things: 5 } } }),
    async (connector) => {
      expect(await connector.readPage({ object: 'things', fields: 'all' })).toMatchObject({
        records: [{ id: '1' }],
        total: 5,
      })
    },
  )
  const file = (keys: string) => () => thingsProvider(`read: { path: /things, ${keys} }`)
  expect(file("unwrap: '{{other}}'")).toThrow('uses the variable "other"')
  expect(file("total: '{{other}}'")).toThrow('uses the variable "other"')
})
