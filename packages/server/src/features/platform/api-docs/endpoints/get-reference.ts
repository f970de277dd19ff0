import { Type } from 'typebox'
import { endpoint, reply } from '../../../../kernel/http/index.ts'
import type { Services } from '../../../../services.ts'
import { referenceHeaders } from '../pages/layout.ts'
import { siteOf } from '../pages/site.ts'

export const getReference = endpoint({
  id: 'getReference',
  method: 'GET',
  path: '//docs',
  access: 'public',
  summary: 'The first page of this reference, for people.',
  tag: 'Reference',
  extension: true,
  produces: 'text/html; charset=utf-8',
  reply: { 200: Type.String() },
  run: async (_, { openapi, problems }: Pick<Services, 'openapi' | 'problems'>) =>
    reply(200, siteOf(openapi(), problems).pages.get('')?.() ?? '', referenceHeaders),
})
