import type { Item } from '@mortise/client'
import { needed, resource, timeText } from './resource.ts'

export const destinationGroups = resource<Item<'listDestinationGroups'>>({
  name: 'destination-groups',
  one: 'destination-group',
  columns: [
    ['Group', ({ groupRef }) => groupRef],
    ['Destination', ({ destinationName }) => destinationName],
    ['Created', ({ createTime }) => timeText(createTime)],
    ['Changed', ({ updateTime }) => timeText(updateTime)],
  ],
  list: {
    needs: ['destination'],
    rows: (call) => {
      const { mortise, signal } = call
      return mortise.each('listDestinationGroups', { destination: needed(call, 'destination') }, { signal })
    },
  },
  delete: {
    needs: ['destination'],
    run: (call, groupRef) => {
      const { mortise, signal } = call
      return mortise.deleteDestinationGroup({ destination: needed(call, 'destination'), groupRef }, { signal })
    },
  },
})
