import type { Catalogue } from '@mortise/providers'
import { Type } from 'typebox'
import { endpoint, NotFound, Path, type ProblemDeclaration, Ref, reply } from '../../../../kernel/http/index.ts'
import { referenceHeaders } from '../pages/layout.ts'
import { siteOf } from '../pages/site.ts'
import { providerPageOf } from '../provider-pages/provider-pages.ts'

export const getReferencePage = endpoint({
  id: 'getReferencePage',
  method: 'GET',
  path: '//docs/{page}',
  access: 'public',
  summary: 'A page of this reference, for people: a chapter, `providers`, `resources` or `problems`.',
  tag: 'Reference',
  extension: true,
  params: Path({ page: Ref }),
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
    const site = siteOf(openapi(), problems)
    const page = params.page === 'providers' ? providerPageOf(site, catalogue, '') : site.pages.get(params.page)?.()
    if (page === undefined) throw new NotFound({ detail: 'Page not found.', remedy: 'Begin at /docs.' })
    return reply(200, page, referenceHeaders())
  },
})
