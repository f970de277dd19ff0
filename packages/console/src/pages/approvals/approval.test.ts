import { expect, test } from 'vitest'
import { type Approval, deciderWords, statusNow, titleOfApproval, valueIn, whatItSets } from './approval.ts'

const approval = {
  action: 'update',
  objectName: 'contacts',
  status: 'waiting',
  expireTime: '2026-11-27T10:00:00Z',
} as Approval

test('a request expires while a page shows it', () => {
  const end = Date.parse(approval.expireTime)
  expect(statusNow(approval, end - 1)).toBe('waiting')
  expect(statusNow(approval, end)).toBe('expired')
  expect(statusNow({ ...approval, status: 'done' }, end)).toBe('done')
  expect(statusNow({ ...approval, status: 'asking' }, end - 1)).toBe('asking')
  expect(statusNow({ ...approval, status: 'asking' }, end)).toBe('expired')
})

test('the user of a client is told apart from a person who approved', () => {
  expect(deciderWords({ ...approval, decider: 'person' })).toBeUndefined()
  expect(deciderWords({ ...approval, decider: 'user' })).toBe('the user of the client')
  expect(deciderWords({ ...approval, decider: 'user', agent: 'Editor' })).toBe('the user of Editor')
})

test('a request has the title of what it does', () => {
  expect(titleOfApproval(approval)).toBe('Update of contacts')
})

test('the record and the values of a call are shown one by one', () => {
  expect(whatItSets({ id: 'con_1', fields: { stage: 'lost', tags: ['a'] } })).toEqual({
    id: 'con_1',
    values: [
      { field: 'stage', value: 'lost' },
      { field: 'tags', value: ['a'] },
    ],
  })
  expect(whatItSets({ id: 7, fields: null })).toEqual({ id: undefined, values: [] })
})

test('the current value of a nested field is found by its dotted name', () => {
  const record = { stage: 'lead', address: { city: 'Ulm' }, 'a.b': 1 }
  expect(valueIn(record, 'stage')).toBe('lead')
  expect(valueIn(record, 'address.city')).toBe('Ulm')
  expect(valueIn(record, 'a.b')).toBe(1)
  expect(valueIn(record, 'address.zip')).toBeUndefined()
  expect(valueIn(record, 'stage.length')).toBeUndefined()
  expect(valueIn(record, '__proto__')).toBeUndefined()
})
