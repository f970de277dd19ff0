import type { Item } from '@mortise/client'
import { installationIdOf } from './installation-id-of.ts'
import { needed, resource, timeText } from './resource.ts'

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
    needs: ['integration'],
    takes: ['installation', 'group'],
    async *rows(call) {
      const path = { integrationId: needed(call, 'integration'), installationId: await installationIdOf(call) }
      yield* call.mortise.each('listOperations', path, { signal: call.signal })
    },
  },
  get: { read: ({ mortise, signal }, operationId) => mortise.getOperation({ operationId }, { signal }) },
})
