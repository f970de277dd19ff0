import { expect, it } from 'vitest'
import { breaksOf } from './released-schema.ts'

const last = [
  'table things',
  'column things.id uuid required',
  'column things.name text',
  'column things.size integer required with default',
  'unique things (id)',
  'constraint things CHECK (size > 0)',
  'trigger things publish_things',
  'function count_things(project uuid) integer',
]
const without = (start: string) => last.filter((line) => !line.startsWith(start))

it.each([
  ['new tables', [...last, 'table others', 'column others.id uuid required', 'unique others (id)']],
  ['new columns that may be left out', [...last, 'column things.a text', 'column things.b text required with default']],
  ['new functions and triggers', [...last, 'trigger things other', 'function other() integer']],
  ['a column that may now be null', [...without('column things.id'), 'column things.id uuid']],
  ['a dropped check', without('constraint')],
  ['a column that now has a default', [...without('column things.name'), 'column things.name text with default']],
])('accepts %s', (_, next) => {
  expect(breaksOf(last, next)).toEqual([])
})

it.each([
  ['a dropped table', without('table'), 'table things: removed'],
  ['a dropped column', without('column things.name'), 'column things.name text: removed'],
  ['a renamed column', [...without('column things.name'), 'column things.label text'], 'things.name text: removed'],
  ['another type', [...without('column things.name'), 'column things.name jsonb'], 'now column things.name jsonb'],
  ['a column that is now required', [...without('column things.name'), 'column things.name text required'], 'required'],
  [
    'a dropped default',
    [...without('column things.size'), 'column things.size integer required'],
    'without its default',
  ],
  ['a new required column', [...last, 'column things.kind text required'], 'required and without a default'],
  ['a dropped key', without('unique'), 'unique things (id): removed'],
  ['a new key', [...last, 'unique things (name)'], 'unique things (name): new'],
  ['a new constraint', [...last, 'constraint things CHECK (size > 9)'], 'CHECK (size > 9): new'],
  ['a dropped trigger', without('trigger'), 'trigger things publish_things: removed'],
  [
    'a function with other parameters',
    [...without('function'), 'function count_things(project uuid, kind text) integer'],
    'function count_things(project uuid) integer: removed',
  ],
])('refuses %s', (_, next, fault) => {
  expect(breaksOf(last, next)).toEqual([expect.stringContaining(fault)])
})

it('accepts that what the last release stopped using is dropped', () => {
  expect(breaksOf(last, without('column things.name'), { unused: ['things.name'] })).toEqual([])
  expect(breaksOf(last, without('unique'), { unused: ['unique things (id)'] })).toEqual([])
  expect(breaksOf(last, ['function count_things(project uuid) integer'], { unused: ['things'] })).toEqual([])
})

it('accepts a constraint that the last release keeps to', () => {
  const wider = 'constraint things CHECK (size >= 0)'
  expect(breaksOf(last, [...without('constraint'), wider], { compatible: [wider] })).toEqual([])
})
