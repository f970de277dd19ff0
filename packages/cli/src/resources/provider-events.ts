import type { Item } from '@mortise/client'
import { defined, resource, timeText } from './resource.ts'

export const providerEvents = resource<Item<'listProviderEvents'>>({
  name: 'provider-events',
  one: 'provider-event',
  columns: [
    ['Time', ({ time }) => timeText(time)],
    ['Provider', ({ provider }) => provider],
    ['Outcome', ({ outcome }) => outcome],
    ['Object', ({ objectName }) => objectName],
    ['Events', ({ events }) => events],
    ['Installation', ({ installationId }) => installationId],
    ['Reason', ({ reason }) => reason],
  ],
  list: {
    takes: ['provider', 'integration', 'installation'],
    async *rows({ mortise, signal, options: { provider, integration, installation } }) {
      const query = defined({ provider, integrationId: integration, installationId: installation })
      yield* mortise.each('listProviderEvents', { query }, { signal })
    },
  },
})
