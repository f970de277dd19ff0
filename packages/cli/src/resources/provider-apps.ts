import type { Item } from '@mortise/client'
import { resource, timeText } from './resource.ts'

type ProviderApp = Item<'listProviderApps'> & { webhookUrls?: { url: string }[] }

export const providerApps = resource<ProviderApp>({
  name: 'provider-apps',
  one: 'provider-app',
  columns: [
    ['Provider', ({ provider }) => provider],
    ['Client id', ({ clientId }) => clientId],
    ['External ref', ({ externalRef }) => externalRef],
    ['Id', ({ id }) => id],
    // To be entered at the provider: whole, or it is of no use.
    ['Webhook URL', ({ webhookUrls }) => webhookUrls?.map(({ url }) => url).join(' ')],
    ['Created', ({ createTime }) => timeText(createTime)],
  ],
  list: { rows: ({ mortise, signal }) => mortise.each('listProviderApps', {}, { signal }) },
  delete: { run: ({ mortise, signal }, providerAppId) => mortise.deleteProviderApp({ providerAppId }, { signal }) },
})
