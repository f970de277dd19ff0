import { allWebhooks, type Catalogue, webhooksOf } from '@mortise/providers'
import type { ProjectDb } from '../../../kernel/db/index.ts'
import { listSubscribing, receiverUrl } from '../integrations/index.ts'
import type { WebhookUrl } from './model.ts'

const urlsMax = 100

/**
 * URLs that somebody enters in an app at the provider, by provider: of those of the given ones that send the events of
 * all accounts to one URL.
 */
export async function webhookUrls(
  db: ProjectDb,
  services: { catalogue: Catalogue; publicUrl: string },
  providers: readonly string[],
): Promise<ReadonlyMap<string, WebhookUrl[]>> {
  const byHand = [...new Set(providers)].filter((name) => {
    const entry = services.catalogue.find(name)
    return entry !== undefined && allWebhooks(entry).some(({ endpoint }) => endpoint === 'app')
  })
  const urls = new Map<string, WebhookUrl[]>(byHand.map((name) => [name, []]))
  if (byHand.length === 0) return urls
  for (const { id: integrationId, name: integrationName, ...of } of await listSubscribing(db, byHand, urlsMax)) {
    const { provider, module } = of
    if (webhooksOf(services.catalogue.find(provider), module)?.endpoint !== 'app') continue
    const url = receiverUrl(services, { projectId: db.projectId, integrationId })
    urls.get(provider)?.push({ integrationId, integrationName, url })
  }
  return urls
}
