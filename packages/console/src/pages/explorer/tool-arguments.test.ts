import { expect, test } from 'vitest'
import {
  type ArgumentSchema,
  argumentFields,
  argumentsOf,
  loggedArguments,
  textsOfArguments,
} from './tool-arguments.ts'

const schema: ArgumentSchema = {
  type: 'object',
  properties: {
    limit: { type: 'integer' },
    id: { type: 'string' },
    fields: {
      type: 'object',
      properties: {
        stage: { type: 'string', enum: ['lead', 'customer'] },
        'address.city': { type: 'string' },
        active: { type: 'boolean' },
        tags: { type: 'array', items: { type: 'string' } },
        any: {},
      },
      required: ['active'],
    },
  },
  required: ['id', 'fields'],
}
const fields = argumentFields(schema)
const key = (...path: string[]) => JSON.stringify(path)

test('a form asks for each argument, and for what is required first', () => {
  expect(fields.map(({ path }) => path.join('/'))).toEqual([
    'id',
    'fields/active',
    'limit',
    'fields/stage',
    'fields/address.city',
    'fields/tags',
    'fields/any',
  ])
})

test('null removes a value where the schema takes it, also in another call of the same tool', () => {
  const nullable = argumentFields({
    type: 'object',
    properties: {
      stage: { type: ['string', 'null'], enum: ['lead', null] },
      score: { type: ['integer', 'null'] },
      name: { type: 'string' },
    },
  })
  const texts = { [key('stage')]: 'null', [key('score')]: '7', [key('name')]: 'null' }
  const values = { stage: null, score: 7, name: 'null' }
  expect(argumentsOf(nullable, texts)).toEqual(values)
  expect(textsOfArguments(nullable, values)).toEqual(texts)
  expect(loggedArguments(nullable, '{"stage":null,"score":"…"}').texts).toEqual({ [key('stage')]: 'null' })
})

test('texts become values of the types of the schema; what is empty is left out', () => {
  const texts = {
    [key('id')]: 'con_1',
    [key('limit')]: '5',
    [key('fields', 'stage')]: '',
    [key('fields', 'active')]: 'false',
    [key('fields', 'address.city')]: '12345',
    [key('fields', 'tags')]: 'a\n\nb',
    [key('fields', 'any')]: '{"deep":[1]}',
  }
  const values = {
    id: 'con_1',
    limit: 5,
    fields: { active: false, 'address.city': '12345', tags: ['a', 'b'], any: { deep: [1] } },
  }
  expect(argumentsOf(fields, texts)).toEqual(values)
  expect(argumentsOf(fields, textsOfArguments(fields, values))).toEqual(values)
})

test('what is no number and no JSON is sent as it was typed, for the service to refuse', () => {
  expect(argumentsOf(fields, { [key('limit')]: 'many', [key('fields', 'any')]: '{"deep' })).toEqual({
    limit: 'many',
    fields: { any: '{"deep' },
  })
})

test('a name of a field cannot change the prototype of the arguments', () => {
  const hostile = argumentFields({
    properties: JSON.parse('{"fields":{"type":"object","properties":{"__proto__":{}}}}') as Record<
      string,
      ArgumentSchema
    >,
  })
  const values = argumentsOf(hostile, { [key('fields', '__proto__')]: '{"isAdmin":true}' })
  expect((values['fields'] as { isAdmin?: boolean }).isAdmin).toBeUndefined()
})

test('of a logged call, ids and limits are known, and which fields had values', () => {
  const logged = JSON.stringify({ id: 'con_1', limit: 3, fields: { stage: '…', tags: '…' } })
  const known = loggedArguments(fields, logged)
  expect(known.texts).toEqual({ [key('id')]: 'con_1', [key('limit')]: '3' })
  expect(known.masked.map(({ path }) => path.at(-1))).toEqual(['stage', 'tags'])
  for (const cut of [undefined, '', '{"id":"con_', '7', 'null'])
    expect(loggedArguments(fields, cut)).toEqual({ texts: {}, masked: [] })
})
