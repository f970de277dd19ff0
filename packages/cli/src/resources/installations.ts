import type { Item } from '@mortise/client'
import { defined, needed, resource, timeText } from './resource.ts'

export const installations = resource<Item<'listInstallations'>>({
  name: 'installations',
  one: 'installation',
  columns: [
    ['Id', ({ id }) => id],
    ['Group', ({ group }) => group?.groupRef],
    ['Provider', ({ connection }) => connection?.provider],
    ['Health', ({ healthStatus }) => healthStatus],
    ['Last operation', ({ lastOperationStatus }) => lastOperationStatus],
    ['Integration', ({ integrationId }) => integrationId],
    ['Created', ({ createTime }) => timeText(createTime)],
  ],
  list: {
    takes: ['integration', 'group'],
    rows: ({ mortise, signal, options: { integration, group } }) => {
      const query = defined({ groupRef: group })
      return integration === undefined
        ? mortise.each('listInstallationsForProject', { query }, { signal })
        : mortise.each('listInstallations', { integrationId: integration, query }, { signal })
    },
  },
  get: {
    needs: ['integration'],
    read: (call, installationId) =>
      call.mortise.getInstallation(
        { integrationId: needed(call, 'integration'), installationId },
        { signal: call.signal },
      ),
  },
  delete: {
    needs: ['integration'],
    run: (call, installationId) =>
      call.mortise.deleteInstallation(
        { integrationId: needed(call, 'integration'), installationId },
        { signal: call.signal },
      ),
  },
})
