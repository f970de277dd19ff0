import type { Item } from '@mortise/client'
import { resource, timeText } from './resource.ts'

export const operations = resource<Item<'listOperations'>>({
  name: 'operations',
  one: 'operation',
  columns: [
    ['Id', ({ id }) => id],
    ['Action', ({ actionType }) => actionType],
    ['Object', (operation) => operation.resource],
    ['Status', ({ status }) => status],
    ['Result', ({ result }) => result],
    ['Created', ({ createTime }) => timeText(createTime)],
  ],
  list: {
    needs: ['integration', 'installation'],
    rows: ({ mortise, signal, options }) =>
      mortise.each(
        'listOperations',
        { integrationId: options.integration!, installationId: options.installation! },
        { signal },
      ),
  },
  get: { read: ({ mortise, signal }, operationId) => mortise.getOperation({ operationId }, { signal }) },
})
