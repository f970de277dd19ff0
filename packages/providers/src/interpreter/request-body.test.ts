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
