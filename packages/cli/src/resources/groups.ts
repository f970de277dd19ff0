import type { Item } from '@mortise/client'
import { resource, timeText } from './resource.ts'

export const groups = resource<Item<'listGroups'>>({
  name: 'groups',
  one: 'group',
  columns: [
    ['Ref', ({ groupRef }) => groupRef],
    ['Name', ({ groupName }) => groupName],
    ['Created', ({ createTime }) => timeText(createTime)],
  ],
  list: { rows: ({ mortise, signal }) => mortise.each('listGroups', {}, { signal }) },
  get: { read: ({ mortise, signal }, groupRef) => mortise.getGroup({ groupRef }, { signal }) },
  delete: { run: ({ mortise, signal }, groupRef) => mortise.deleteGroup({ groupRef }, { signal }) },
})

export const consumers = resource<Item<'listConsumers'>>({
  name: 'consumers',
  one: 'consumer',
  columns: [
    ['Ref', ({ consumerRef }) => consumerRef],
    ['Name', ({ consumerName }) => consumerName],
    ['Created', ({ createTime }) => timeText(createTime)],
  ],
  list: { rows: ({ mortise, signal }) => mortise.each('listConsumers', {}, { signal }) },
  get: { read: ({ mortise, signal }, consumerRef) => mortise.getConsumer({ consumerRef }, { signal }) },
  delete: { run: ({ mortise, signal }, consumerRef) => mortise.deleteConsumer({ consumerRef }, { signal }) },
})
