import { Type } from 'typebox'
import { endpoint, NotFound, Path, type ProblemDeclaration, Ref, reply } from '../../../../kernel/http/index.ts'
import { referenceHeaders } from '../pages/layout.ts'
import { siteOf } from '../pages/site.ts'

export const getProblemPage = endpoint({
  id: 'getProblemPage',
  method: 'GET',
  path: '//problems/{code}',
  access: 'public',
  summary: 'Explains a problem and what to do.',
  tag: 'Reference',
  extension: true,
  params: Path({ code: Ref }),
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
    const page = siteOf(openapi(), problems).problems.get(params.code)
    if (!page) throw new NotFound({ detail: 'There is no problem of that code.' })
    return reply(200, page(), referenceHeaders())
  },
})
