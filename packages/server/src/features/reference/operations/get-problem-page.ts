import { Type } from 'typebox'
import { NotFound, operation, Path, type ProblemDeclaration, Ref, reply } from '../../../kernel/http/index.ts'
import { problemPage } from '../problem-page.ts'

export const getProblemPage = operation({
  id: 'getProblemPage',
  method: 'GET',
  path: '//problems/{code}',
  access: 'public',
  summary: 'What a kind of problem means and what to do about it.',
  tag: 'Reference',
  extension: true,
  params: Path({ code: Ref }),
  produces: 'text/html; charset=utf-8',
  reply: { 200: Type.String() },
  problems: [NotFound],
  run: async ({ params }, { problems }: { problems: ReadonlyMap<string, ProblemDeclaration> }) => {
    const declaration = problems.get(params.code)
    if (!declaration) throw new NotFound({ detail: 'There is no problem of that code.' })
    return reply(200, problemPage(declaration))
  },
})
