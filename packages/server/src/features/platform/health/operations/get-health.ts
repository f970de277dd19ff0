import { Type } from 'typebox'
import { Enum, operation, reply } from '../../../../kernel/http/index.ts'

export const getHealth = operation({
  id: 'getHealth',
  method: 'GET',
  path: '//healthz',
  access: 'public',
  rateScope: 'operation',
  summary: 'Whether the process is alive.',
  tag: 'Health',
  extension: true,
  reply: { 200: Type.Object({ status: Enum(['alive']) }) },
  run: async () => reply(200, { status: 'alive' as const }),
})
