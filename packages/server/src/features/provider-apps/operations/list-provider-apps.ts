import { Type } from 'typebox'
import { operation, PageQuery, ProjectPath, pageOf, reply } from '../../../kernel/http/index.ts'
import type { Services } from '../../../services.ts'
import { ProviderApp, providerAppResource } from '../model.ts'
import { listProviderAppRows } from '../store.ts'
import { webhookUrls } from '../webhook-urls.ts'

export const listProviderApps = operation({
  id: 'listProviderApps',
  method: 'GET',
  path: '/projects/{projectIdOrName}/provider-apps',
  access: 'frontend',
  summary: 'List the provider apps of the project, newest first.',
  tag: 'Provider apps',
  params: ProjectPath,
  query: Type.Object(PageQuery),
  reply: { 200: Type.Array(ProviderApp) },
  run: async (input, services: Pick<Services, 'catalogue' | 'publicUrl'>) => {
    const { items, headers } = await pageOf(input, {
      list: (page) => listProviderAppRows(input.db, page),
      keyOf: ({ id }) => id,
    })
    const urls = await webhookUrls(
      input.db,
      services,
      items.map(({ provider }) => provider),
    )
    const apps = items.map((row) => providerAppResource(row, urls.get(row.provider)))
    return reply(200, apps, headers)
  },
})
