import type { Catalogue } from '@mortise/providers'
import { Type } from 'typebox'
import type { Keyring } from '../../../../kernel/encryption/index.ts'
import {
  endpoint,
  isFrontEnd,
  maySeeSecrets,
  PageQuery,
  ProjectPath,
  pageOf,
  reply,
} from '../../../../kernel/http/index.ts'
import { missingParamsOf } from '../app-values.ts'
import { scopesThatAppsLack } from '../missing-app-scopes.ts'
import { ProviderApp, providerAppResource, type WebhookUrl } from '../model.ts'
import { handshakeSecrets } from '../offered-secrets.ts'
import { listProviderAppRows } from '../store.ts'
import { webhookUrls } from '../webhook-urls.ts'

export const listProviderApps = endpoint({
  id: 'listProviderApps',
  method: 'GET',
  path: '/projects/{projectIdOrName}/provider-apps',
  access: 'frontendView',
  summary: 'List the provider apps of the project, newest first.',
  tag: 'Provider apps',
  params: ProjectPath,
  query: Type.Object(PageQuery),
  reply: { 200: Type.Array(ProviderApp) },
  run: async (input, services: { catalogue: Catalogue; keyring: Keyring; publicUrl: string }) => {
    const { items, headers } = await pageOf(input, {
      list: (page) => listProviderAppRows(input.db, page),
      keyOf: ({ id }) => id,
    })
    const urls = await webhookUrls(
      input.db,
      services,
      items.map(({ provider }) => provider),
    )
    const ids = [...urls.values()].flat().map(({ integrationId }) => integrationId)
    const secrets = maySeeSecrets(input.caller)
      ? await handshakeSecrets(input.db, services, ids)
      : new Map<string, string>()
    const withSecret = (url: WebhookUrl) => {
      const secret = secrets.get(url.integrationId)
      return secret === undefined ? url : { ...url, offeredSecret: secret }
    }
    // The hosts are those of customers: a front end is one customer's.
    const shown = isFrontEnd(input.caller) ? items.map((row) => ({ ...row, allowed_hosts: null })) : items
    const missing = await scopesThatAppsLack(input.db, services, items)
    const apps = shown.map((row) => {
      const missingScopes = missing.get(row.id)
      const entry = services.catalogue.find(row.provider)
      const missingParams = entry ? missingParamsOf(services.keyring, entry, row) : []
      return {
        ...providerAppResource(row, urls.get(row.provider)?.map(withSecret)),
        ...(missingScopes && { missingScopes }),
        ...(missingParams.length > 0 && { missingParams }),
      }
    })
    return reply(200, apps, headers)
  },
})
