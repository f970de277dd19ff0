import { Type } from 'typebox'
import { Enum, endpoint, reply } from '../../../../kernel/http/index.ts'

export const getHealth = endpoint({
  id: 'getHealth',
  method: 'GET',
  path: '//healthz',
  access: 'public',
  rateScope: 'endpoint',
  summary: 'Whether the process is alive.',
  tag: 'Health',
  extension: true,
  reply: { 200: Type.Object({ status: Enum(['alive']) }) },
  run: async () => reply(200, { status: 'alive' as const }),
})
