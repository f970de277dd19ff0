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
])('%j', (wanted, expected) => {
  expect(compileFields(wanted, ['properties'])(record)).toEqual(expected)
})

it('everything: lower-cased, containers lifted, the record’s own value first', () => {
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
