import type { Item } from '@mortise/client'
import { all, resource, timeText } from './resource.ts'

export const mySessions = resource<Item<'listMySessions'>>({
  name: 'my-sessions',
  one: 'my-session',
  columns: [
    ['Id', ({ id }) => id],
    ['Kind', ({ kind }) => kind],
    ['Client', ({ client }) => client],
    ['May change', ({ mayChange }) => (mayChange === undefined ? undefined : mayChange ? 'yes' : 'no')],
    ['Signed in', ({ createTime }) => timeText(createTime)],
    ['Last used', ({ lastUseTime }) => timeText(lastUseTime)],
    ['Current', ({ current }) => (current ? 'yes' : undefined)],
  ],
  list: { rows: ({ mortise, signal }) => all(mortise.listMySessions({}, { signal })) },
  delete: { run: ({ mortise, signal }, sessionId) => mortise.deleteMySession({ sessionId }, { signal }) },
})
