import type { Client, Item } from '@mortise/client'
import { NotFound } from '../service/not-found.ts'
import { UsageError } from '../usage-error.ts'
import { resource, timeText } from './resource.ts'

type ProviderApp = Item<'listProviderApps'> & { webhookUrls?: { url: string }[] }

/**
 * Finds a provider app by its id, or by its provider where that has one alone.
 *
 * @throws NotFound
 * @throws UsageError where the provider has several
 */
export async function findProviderApp(
  mortise: Client,
  idOrProvider: string,
  signal: AbortSignal,
): Promise<ProviderApp> {
  const found: ProviderApp[] = []
  for await (const app of mortise.each('listProviderApps', {}, { signal }))
    if (app.id === idOrProvider || app.provider === idOrProvider) found.push(app)
  const [first, ...others] = found
  if (!first)
    throw new NotFound(
      `There is no provider app “${idOrProvider}”. \`mortise list provider-apps\` shows those that exist.`,
    )
  if (others.length > 0)
    throw new UsageError(
      `${idOrProvider} has several provider apps. Use an id: ${found.map(({ id }) => id).join(', ')}.`,
    )
  return first
}

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
  get: { read: ({ mortise, signal }, idOrProvider) => findProviderApp(mortise, idOrProvider, signal) },
  delete: {
    run: async ({ mortise, signal }, idOrProvider) => {
      const { id: providerAppId } = await findProviderApp(mortise, idOrProvider, signal)
      await mortise.deleteProviderApp({ providerAppId }, { signal })
    },
  },
})
