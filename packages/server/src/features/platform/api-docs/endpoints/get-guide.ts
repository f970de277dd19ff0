import { Type } from 'typebox'
import { endpoint, NotFound, Path, type ProblemDeclaration, Ref, reply } from '../../../../kernel/http/index.ts'
import { referenceHeaders } from '../pages/layout.ts'
import { siteOf } from '../pages/site.ts'

export const getGuide = endpoint({
  id: 'getGuide',
  method: 'GET',
  path: '//docs/guides/{guide}',
  access: 'public',
  summary: 'A guide of this documentation, for people.',
  tag: 'Reference',
  extension: true,
  params: Path({ guide: Ref }),
  produces: 'text/html; charset=utf-8',
  reply: { 200: Type.String() },
  problems: [NotFound],
  run: async (
    { params },
    {
      openapi,
      problems,
    }: { openapi: () => Record<string, unknown>; problems: ReadonlyMap<string, ProblemDeclaration> },
  ) => {
    const page = siteOf(openapi(), problems).guides.get(params.guide)
    if (!page) throw new NotFound({ detail: 'Guide not found.', remedy: 'See /docs/guides for all guides.' })
    return reply(200, page(), referenceHeaders())
  },
})
