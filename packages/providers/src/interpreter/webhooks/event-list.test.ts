import { expect, it } from 'vitest'
import { compileEventList } from './event-list.ts'
import { parseEvents } from './parse-events.ts'

const change = (value: object) => ({ field: 'messages', value })
const split = ['value.messages', 'value.statuses']

it('events in lists of lists know what contains them', () => {
  const list = compileEventList({ list: ['entry', 'changes'] })
  const payload = { entry: [{ id: 'a', changes: [1, 2] }, { id: 'b', changes: [3] }, { id: 'c' }] }
  const [one, two, three, none] = list(payload)
  expect([one?.raw, two?.raw, three?.raw, none?.raw]).toEqual([1, 2, 3, undefined])
  expect(one?.outer).toEqual([payload.entry[0]])
  expect(three?.outer).toEqual([payload.entry[1]])
})

it('each item of a list in an event is an event of its own, with what they share', () => {
  const list = compileEventList({ split })
  const payload = change({ phone: 7, messages: [{ id: 'm1' }, { id: 'm2' }], statuses: [{ id: 's1' }] })
  expect(list(payload).map(({ raw }) => raw)).toEqual([
    change({ phone: 7, messages: [{ id: 'm1' }] }),
    change({ phone: 7, messages: [{ id: 'm2' }] }),
    change({ phone: 7, statuses: [{ id: 's1' }] }),
  ])
  // The payload itself stays as it is.
  expect(payload.value).toHaveProperty('statuses')
})

it('an event without such a list stays whole', () => {
  const list = compileEventList({ split })
  for (const payload of [change({ phone: 7 }), change({ messages: [] }), change({ messages: 'none' }), null, 'text', 7])
    expect(list(payload)).toEqual([{ raw: payload, outer: [] }])
})

it('texts of a list become events, and nothing else does', () => {
  const list = compileEventList({ list: 'accounts', textsAs: 'account' })
  const found = list({ accounts: ['a', 7, null, { id: 'b' }] }).map(({ raw }) => raw)
  expect(found).toEqual([{ account: 'a' }, { account: '7' }, null, { id: 'b' }])
  expect(list({}).map(({ raw }) => raw)).toEqual([undefined])
})

it('a text that holds no JSON has no events', () => {
  const parse = (Message: unknown) =>
    parseEvents(
      {
        endpoint: 'installation',
        verify: { by: 'token', header: 'x', secret: { from: 'app' } },
        event: { encoded: 'Message', encodedAs: 'json', name: 'type', id: ['id'] },
      },
      { Message },
      {},
    )
  expect(parse('{"type":"made","id":"1"}')).toMatchObject([{ name: 'made', id: '1' }])
  for (const text of ['You have chosen to subscribe', '<html>', 'null', '7', '', undefined, { type: 'made' }])
    expect(parse(text)).toEqual([])
})
