import { Type } from 'typebox'
import { Empty, endpoint } from '../../../../kernel/http/index.ts'
import { allDocuments } from '../documents/documents.ts'
import { llmsText } from '../documents/llms-text.ts'
import { markdownAnswer, markdownType } from '../documents/markdown-answer.ts'
import type { OpenApiView } from '../openapi-view.ts'

export const getLlmsText = endpoint({
  id: 'getLlmsText',
  method: 'GET',
  path: '//llms.txt',
  access: 'public',
  summary: 'All pages of the documentation with a line each, for language models (llmstxt.org).',
  tag: 'Reference',
  extension: true,
  produces: markdownType,
  reply: { 200: Type.String(), 304: Empty },
  run: async ({ headers }, { openapi }: { openapi: () => Record<string, unknown> }) => {
    const { servers } = openapi() as Pick<OpenApiView, 'servers'>
    return markdownAnswer(llmsText(allDocuments(), servers[0]?.url ?? ''), headers)
  },
})
