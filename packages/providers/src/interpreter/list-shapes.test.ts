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
