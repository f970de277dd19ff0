import type { Item } from '@mortise/client'
import { resource, timeText } from './resource.ts'

export const providerApps = resource<Item<'listProviderApps'>>({
  name: 'provider-apps',
  one: 'provider-app',
  columns: [
    ['Provider', ({ provider }) => provider],
    ['Client id', ({ clientId }) => clientId],
    ['External ref', ({ externalRef }) => externalRef],
    ['Id', ({ id }) => id],
    ['Created', ({ createTime }) => timeText(createTime)],
  ],
  list: { rows: ({ mortise, signal }) => mortise.each('listProviderApps', {}, { signal }) },
  delete: { run: ({ mortise, signal }, providerAppId) => mortise.deleteProviderApp({ providerAppId }, { signal }) },
})
