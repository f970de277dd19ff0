import type { Item } from '@mortise/client'
import { installationIdOf } from './installation-id-of.ts'
import { needed, resource, timeText } from './resource.ts'

export const configs = resource<Item<'listConfigs'>>({
  name: 'configs',
  one: 'config',
  columns: [
    ['Version', ({ version, isCurrent }) => (isCurrent ? `${version} (current)` : version)],
    ['Created', ({ createTime }) => timeText(createTime)],
    ['By', ({ createdBy }) => createdBy],
    ['Revision', ({ revisionId }) => revisionId],
    ['Id', ({ id }) => id],
  ],
  list: {
    needs: ['integration'],
    takes: ['installation', 'group'],
    async *rows(call) {
      const { mortise, signal } = call
      const path = { integrationId: needed(call, 'integration'), installationId: await installationIdOf(call) }
      yield* mortise.each('listConfigs', path, { signal })
    },
  },
})
