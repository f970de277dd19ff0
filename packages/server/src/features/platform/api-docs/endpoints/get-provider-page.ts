import type { Catalogue } from '@mortise/providers'
import { Type } from 'typebox'
import { endpoint, NotFound, Path, type ProblemDeclaration, Ref, reply } from '../../../../kernel/http/index.ts'
import { referenceHeaders } from '../pages/layout.ts'
import { siteOf } from '../pages/site.ts'
import { providerPageOf } from '../provider-pages/provider-pages.ts'

export const getProviderPage = endpoint({
  id: 'getProviderPage',
  method: 'GET',
  path: '//docs/providers/{provider}',
  access: 'public',
  summary:
    'The page of a provider, for people: what it can do, how to connect an account, an integration to begin with.',
  tag: 'Reference',
  extension: true,
  params: Path({ provider: Ref }),
  produces: 'text/html; charset=utf-8',
  reply: { 200: Type.String() },
  problems: [NotFound],
  run: async (
    { params },
    {
      openapi,
      problems,
      catalogue,
    }: {
      openapi: () => Record<string, unknown>
      problems: ReadonlyMap<string, ProblemDeclaration>
      catalogue: Catalogue
    },
  ) => {
    const page = providerPageOf(siteOf(openapi(), problems), catalogue, params.provider)
    if (page === undefined)
      throw new NotFound({
        detail: `There is no provider of the name ${JSON.stringify(params.provider)}.`,
        remedy: 'See /docs/providers for all providers.',
      })
    return reply(200, page, referenceHeaders())
  },
})
