import type { Catalogue } from '@mortise/providers'
import { Empty, endpoint } from '../../../../kernel/http/index.ts'
import { answerOf } from '../answer.ts'
import { CatalogType } from '../model.ts'
import { writtenCatalogue } from '../written-catalogue.ts'

export const listProviders = endpoint({
  id: 'listProviders',
  method: 'GET',
  path: '/providers',
  access: 'public',
  summary: 'List all providers, by name.',
  description:
    'The response has an entity tag. Send it back in `If-None-Match`: the response is 304 while nothing has changed. `support` is what Mortise can do at a provider.',
  tag: 'Provider catalog',
  reply: { 200: CatalogType, 304: Empty },
  produces: 'application/json',
  run: async ({ headers }, { catalogue }: { catalogue: Catalogue }) =>
    answerOf(writtenCatalogue(catalogue).all, headers),
})
