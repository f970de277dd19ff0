import { Type } from 'typebox'
import { NotFound, operation, Path, Ref, reply } from '../../../kernel/http/index.ts'
import type { Services } from '../../../services.ts'
import { referenceHeaders } from '../pages/layout.ts'
import { siteOf } from '../pages/site.ts'

export const getReferencePage = operation({
  id: 'getReferencePage',
  method: 'GET',
  path: '//docs/{page}',
  access: 'public',
  summary: 'A page of this reference, for people: a chapter, `resources` or `problems`.',
  tag: 'Reference',
  extension: true,
  params: Path({ page: Ref }),
  produces: 'text/html; charset=utf-8',
  reply: { 200: Type.String() },
  problems: [NotFound],
  run: async ({ params }, { openapi, problems }: Pick<Services, 'openapi' | 'problems'>) => {
    const page = siteOf(openapi(), problems).pages.get(params.page)
    if (!page) throw new NotFound({ detail: 'The reference has no page of that name.', remedy: 'Begin at /docs.' })
    return reply(200, page(), referenceHeaders)
  },
})
