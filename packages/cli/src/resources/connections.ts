import type { Item } from '@mortise/client'
import { defined, resource, timeText } from './resource.ts'

export const connections = resource<Item<'listConnections'>>({
  name: 'connections',
  one: 'connection',
  columns: [
    ['Id', ({ id }) => id],
    ['Provider', ({ provider }) => provider],
    ['Group', ({ group }) => group?.groupRef],
    ['Consumer', ({ consumer }) => consumer?.consumerRef],
    ['Status', ({ status }) => status],
    ['Created', ({ createTime }) => timeText(createTime)],
  ],
  list: {
    takes: ['provider', 'group', 'consumer'],
    rows: ({ mortise, signal, options: { provider, group, consumer } }) =>
      mortise.each(
        'listConnections',
        { query: defined({ provider, groupRef: group, consumerRef: consumer }) },
        { signal },
      ),
  },
  // Its credentials stay at the service: nothing here asks for them.
  get: {
    read: ({ mortise, signal }, connectionId) =>
      mortise.getConnection({ connectionId, query: { includeTokenInfo: true } }, { signal }),
  },
  delete: { run: ({ mortise, signal }, connectionId) => mortise.deleteConnection({ connectionId }, { signal }) },
})
