import type { Catalogue } from '@mortise/providers'
import { Type } from 'typebox'
import { endpoint, type ProblemDeclaration, reply } from '../../../../kernel/http/index.ts'
import { queryLengthMax, referenceHeaders } from '../pages/layout.ts'
import { siteOf } from '../pages/site.ts'
import { searchPage } from '../search/search-page.ts'

export const getReference = endpoint({
  id: 'getReference',
  method: 'GET',
  path: '//docs',
  access: 'public',
  summary: 'The first page of this reference, for people. With `q`, the results of a search.',
  tag: 'Reference',
  extension: true,
  query: Type.Object({
    q: Type.Optional(Type.String({ maxLength: queryLengthMax, description: 'Words to search for, in any order.' })),
  }),
  produces: 'text/html; charset=utf-8',
  reply: { 200: Type.String() },
  run: async (
    { query },
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
    const words = query.q?.trim() ?? ''
    const page = words === '' ? (site.pages.get('')?.() ?? '') : searchPage(site, catalogue, words)
    return reply(200, page, referenceHeaders())
  },
})
