import { Type } from 'typebox'
import { Empty, endpoint, NotFound, Path, Ref } from '../../../../kernel/http/index.ts'
import { documentText } from '../documents/documents.ts'
import { markdownAnswer, markdownType } from '../documents/markdown-answer.ts'

export const getDocument = endpoint({
  id: 'getDocument',
  method: 'GET',
  path: '//docs/{page}.md',
  access: 'public',
  summary: 'A page of the documentation as Markdown. `/llms.txt` lists all.',
  tag: 'Reference',
  extension: true,
  params: Path({ page: Ref }),
  produces: markdownType,
  reply: { 200: Type.String(), 304: Empty },
  problems: [NotFound],
  run: async ({ params, headers }) => {
    const text = documentText(params.page)
    if (text === undefined) throw new NotFound({ detail: 'Page not found.', remedy: 'See /llms.txt for all pages.' })
    return markdownAnswer(text, headers)
  },
})
