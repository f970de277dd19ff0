import { Type } from 'typebox'
import { isId } from '../../../../kernel/db/index.ts'
import { endpoint, PageQuery, Path, ProjectPath, pageOf, Ref, reply } from '../../../../kernel/http/index.ts'
import { hasMessage, listAttempts } from '../message-list-store.ts'
import { MessageAttempt } from '../message-model.ts'
import { MessageNotFound } from '../problems.ts'

const pageSizeDefault = 100

export const listMessageAttempts = endpoint({
  id: 'listMessageAttempts',
  method: 'GET',
  path: '/projects/{projectIdOrName}/messages/{messageId}/attempts',
  access: 'view',
  summary: 'List the attempts of a message.',
  description: `Oldest first, ${pageSizeDefault} per page by default.`,
  tag: 'Messages',
  extension: true,
  params: Path({ ...ProjectPath.properties, messageId: Ref }),
  query: Type.Object(PageQuery),
  reply: { 200: Type.Array(MessageAttempt) },
  problems: [MessageNotFound],
  run: async ({ db, params, query, operationId, url }) => {
    const { messageId } = params
    if (!isId(messageId) || !(await hasMessage(db, messageId))) throw new MessageNotFound()
    const { items, headers } = await pageOf(
      { operationId, url, query },
      {
        pageSizeDefault,
        keyOf: (attempt: MessageAttempt) => String(attempt.number),
        isKey: (text) => /^\d{1,9}$/.test(text),
        list: ({ after = '0', limit = pageSizeDefault }) =>
          listAttempts(db, { messageId, after: Number(after), limit }),
      },
    )
    return reply(200, items, headers)
  },
})
