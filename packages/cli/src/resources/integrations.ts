import type { Item } from '@mortise/client'
import { resource, timeText } from './resource.ts'

export const integrations = resource<Item<'listIntegrations'>>({
  name: 'integrations',
  one: 'integration',
  columns: [
    ['Name', ({ name }) => name],
    ['Provider', ({ provider }) => provider],
    ['Id', ({ id }) => id],
    ['Updated', ({ createTime, updateTime }) => timeText(updateTime ?? createTime)],
  ],
  list: { rows: ({ mortise, signal }) => mortise.each('listIntegrations', {}, { signal }) },
  get: {
    read: ({ mortise, signal }, integrationIdOrName) => mortise.getIntegration({ integrationIdOrName }, { signal }),
  },
  delete: {
    run: ({ mortise, signal }, integrationIdOrName) => mortise.deleteIntegration({ integrationIdOrName }, { signal }),
  },
})
