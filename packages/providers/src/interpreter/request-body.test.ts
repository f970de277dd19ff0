import { expect, it } from 'vitest'
import { compileBody } from './request-body.ts'
import { scopeOf } from './scope.ts'

/** Bodies of provider files, filled with variables. */

const exposed = {
  always: true,
  content: { $when: { fields: 'content' }, topics: true },
  paid: { $when: { plan: ['pro', 'team'] }, limits: true },
}

function filled(part: unknown, values: Record<string, unknown>): unknown {
  return compileBody(part).fill(scopeOf(values))
}

it('a part stands where a variable has the value that it asks for, or is a list that holds it', () => {
  expect(filled(exposed, { fields: ['id', 'content'], plan: 'team' })).toEqual({
    always: true,
    content: { topics: true },
    paid: { limits: true },
  })
  expect(filled(exposed, { fields: ['id'], plan: 'free' })).toEqual({ always: true })
  expect(filled(exposed, {})).toEqual({ always: true })
  expect(compileBody(exposed).variables).toEqual(['fields', 'plan'])
})

it('an object of which nothing is left is left out, unless it is to be kept', () => {
  expect(filled({ filter: { from: '{{since}}' }, limit: 5 }, {})).toEqual({ limit: 5 })
  expect(filled({ filter: { $keep: true, from: '{{since}}' }, limit: 5 }, {})).toEqual({ filter: {}, limit: 5 })
  expect(filled({ filter: { $keep: true, from: '{{since}}' } }, { since: 'x' })).toEqual({ filter: { from: 'x' } })
})

it('an object is made of a list, with one key for each item that has a value', () => {
  const part = { $each: 'filters', $key: '{{item.parameter}}', $item: { exact: { $value: 'item.value' } } }
  const filters = [{ parameter: 'email', value: 'a@b.c' }, { parameter: '__proto__', value: 7 }, { value: 'x' }]
  expect(JSON.stringify(filled(part, { filters }))).toBe('{"email":{"exact":"a@b.c"},"__proto__":{"exact":7}}')
  expect(filled({ query: part, limit: 5 }, {})).toEqual({ limit: 5 })
  expect(filled({ ...part, limit: 5 }, { filters: filters.slice(0, 1) })).toEqual({
    email: { exact: 'a@b.c' },
    limit: 5,
  })
  expect(compileBody(part).variables).toEqual(['filters'])
})
