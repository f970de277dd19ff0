import { expect, it } from 'vitest'
import { compileFields } from './fields.ts'

const record = JSON.parse(`{
  "Id": 7, "Name": "a", "empty": null, "a.b": 1, "deep": {"It's": {"x.y": [2]}}, "list": [{"n": 3}],
  "properties": {"email": "e", "Name": "shadowed"}, "__proto__": {"polluted": true}
}`) as Record<string, unknown>

it.each([
  [['Id', 'Name'], { id: 7, name: 'a' }],
  [['name', 'EMAIL'], { name: 'a', email: 'e' }],
  [['empty', 'absent'], { empty: null }],
  [["$['deep']['It\\'s']['x.y']"], { "$['deep']['it\\'s']['x.y']": [2] }],
  [['$["a.b"]'], { '$["a.b"]': 1 }],
  [["$['deep']['absent']['x']", "$['__proto__']['x']"], {}],
  [['toString', 'constructor', 'hasOwnProperty'], {}],
  [['deep'], { deep: { "It's": { 'x.y': [2] } } }],
  [["Deep.it's", 'deep.absent', 'empty.x', 'absent.x', '.'], { "deep.it's": { 'x.y': [2] } }],
])('%j', (wanted, expected) => {
  expect(compileFields(wanted, ['properties'])(record)).toEqual(expected)
})

it('everything: lower-cased, containers extracted, the record’s own value first', () => {
  expect(compileFields('all', ['properties'])(record)).toEqual({
    id: 7,
    name: 'a',
    empty: null,
    'a.b': 1,
    deep: { "It's": { 'x.y': [2] } },
    list: [{ n: 3 }],
    email: 'e',
  })
})

it('a record cannot give its fields another prototype', () => {
  for (const wanted of ['all', ['__proto__', 'polluted']] as const) {
    const fields = compileFields(wanted, ['__proto__'])(record)
    expect(Object.getPrototypeOf(fields)).toBe(Object.prototype)
    expect('polluted' in Object.prototype).toBe(false)
  }
})

it('values are the record’s own, not copies', () => {
  expect(compileFields(['list'], [])(record)['list']).toBe(record['list'])
})

it('no name is anything but a name to the reader that is made of it', () => {
  const hostile = [
    '"]; throw new Error("ran"); //',
    '\\"',
    '`${1}`',
    'a\u2028b',
    "']",
    '*/',
    'map',
    'length',
    '__PROTO__',
  ]
  const values = Object.fromEntries(hostile.map((name, at) => [name, at]))
  const fields = compileFields(hostile, ['inner'])(values)
  expect(fields).toEqual(Object.fromEntries(hostile.slice(0, -1).map((name, at) => [name.toLowerCase(), at])))
  expect(Object.getPrototypeOf(fields)).toBe(Object.prototype)
  expect(compileFields(['map', 'length', "$['list']['map']"], ['list'])({ list: [] })).toEqual({ length: 0 })
  expect(compileFields(hostile, ['inner'])({ inner: 'text' })).toEqual({})
})

it('what was extracted out of a list comes last, by its name in small letters', () => {
  const extracted = new Map([
    ['topic', 'extracted'],
    ['id', 'not this'],
  ])
  expect(compileFields(['Topic', 'id'], [])({ id: 1 }, extracted)).toEqual({ topic: 'extracted', id: 1 })
  expect(compileFields('all', [])({ id: 1 }, extracted)).toEqual({ topic: 'extracted', id: 1 })
})
