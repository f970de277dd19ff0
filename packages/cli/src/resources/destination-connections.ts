import type { Item } from '@mortise/client'
import { needed, resource, timeText } from './resource.ts'

export const destinationConnections = resource<Item<'listDestinationConnections'>>({
  name: 'destination-connections',
  one: 'destination-connection',
  columns: [
    ['Connection', ({ connectionId }) => connectionId],
    ['Group', ({ groupRef }) => groupRef],
    ['Provider', ({ provider }) => provider],
    ['Destination', ({ destinationName }) => destinationName],
    ['Created', ({ createTime }) => timeText(createTime)],
    ['Changed', ({ updateTime }) => timeText(updateTime)],
  ],
  list: {
    needs: ['destination'],
    rows: (call) => {
      const { mortise, signal } = call
      return mortise.each('listDestinationConnections', { destination: needed(call, 'destination') }, { signal })
    },
  },
  delete: {
    needs: ['destination'],
    run: (call, connectionId) => {
      const { mortise, signal } = call
      return mortise.deleteDestinationConnection({ destination: needed(call, 'destination'), connectionId }, { signal })
    },
  },
})
