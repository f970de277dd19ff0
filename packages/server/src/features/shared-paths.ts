import type { SharedPath } from '../kernel/http/index.ts'

const writeTypes = ['create', 'update', 'delete']

/**
 * Reading and writing an object have the same path, each on its own host (contract 0.2). Without host or prefix
 * the body tells: only a write has a `type`, and only a read is always `async`.
 */
export const sharedPaths: SharedPath[] = [
  {
    method: 'POST',
    path: '/projects/{projectIdOrName}/integrations/{integrationId}/objects/{objectName}',
    endpoints: ['triggerRead', 'writeRecords'],
    choose(body) {
      const { type, mode } = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>
      if (typeof type === 'string' && writeTypes.includes(type)) return 'writeRecords'
      if (type === undefined && mode === 'async') return 'triggerRead'
      return [
        {
          in: 'body',
          name: 'type',
          ...(type !== undefined && { value: type }),
          detail: 'The body tells neither a write (`type` is create, update or delete) nor a read (`mode` is async).',
          remedy: 'Set one of the two, or call the endpoint below /read/v1 or /write/v1.',
        },
      ]
    },
  },
]
