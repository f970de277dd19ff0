import type { Input, Item } from '@mortise/client'
import { parseTime } from '../parse-time.ts'
import { defined, resource, timeText } from './resource.ts'

type Query = NonNullable<Input<'searchOperations'>['query']>

export const operations = resource<Item<'searchOperations'>>({
  name: 'operations',
  one: 'operation',
  columns: [
    ['Id', ({ id }) => id],
    ['Action', ({ actionType, readType }) => readType ?? actionType],
    ['Object', (operation) => operation.resource],
    ['Status', ({ status }) => status],
    ['Result', ({ result }) => result],
    ['Created', ({ createTime }) => timeText(createTime)],
  ],
  list: {
    takes: ['integration', 'installation', 'group', 'object', 'status', 'since', 'until'],
    rows: ({ mortise, signal, options }) => {
      const { integration, installation, group, object, status, since, until } = options
      const query = defined({
        integrationId: integration,
        installationId: installation,
        groupRef: group,
        objectName: object,
        // The service reports a value that is none of these.
        status: status as Query['status'],
        createdAfter: since === undefined ? undefined : parseTime(since),
        createdBefore: until === undefined ? undefined : parseTime(until),
      })
      return mortise.each('searchOperations', { query }, { signal })
    },
  },
  get: { read: ({ mortise, signal }, operationId) => mortise.getOperation({ operationId }, { signal }) },
})
