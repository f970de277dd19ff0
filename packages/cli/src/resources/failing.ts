import type { Input, Item } from '@mortise/client'
import { defined, resource, timeText } from './resource.ts'

type Query = NonNullable<Input<'listFailingInstallations'>['query']>

export const failing = resource<Item<'listFailingInstallations'>>({
  name: 'failing',
  one: 'failing',
  columns: [
    ['Installation', ({ installationId }) => installationId],
    ['Integration', ({ integrationName }) => integrationName],
    ['Group', ({ groupRef }) => groupRef],
    ['Since', ({ since }) => timeText(since)],
    ['Reason', ({ detail }) => detail],
  ],
  list: {
    takes: ['integration', 'group', 'reason'],
    rows: ({ mortise, signal, options: { integration, group, reason } }) => {
      const query = defined({
        integrationId: integration,
        groupRef: group,
        // The service reports a value that is none of these.
        reason: reason as Query['reason'],
      })
      return mortise.each('listFailingInstallations', { query }, { signal })
    },
  },
})
