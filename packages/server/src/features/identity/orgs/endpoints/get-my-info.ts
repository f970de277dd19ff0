import type { Database } from '../../../../kernel/db/index.ts'
import { endpoint, reply, Unauthenticated } from '../../../../kernel/http/index.ts'
import { BuilderInfo, builderInfo } from '../builder-info.ts'
import { findBuilder } from '../builder-store.ts'

export const getMyInfo = endpoint({
  id: 'getMyInfo',
  method: 'GET',
  path: '/my-info',
  access: 'builder',
  summary: 'Show your account and what you can access.',
  tag: 'Organizations',
  reply: { 200: BuilderInfo },
  run: async ({ caller }, { database }: { database: Database }) => {
    const builder = await findBuilder(database.system, caller.builderId)
    if (!builder) throw new Unauthenticated()
    return reply(200, await builderInfo(database.system, builder))
  },
})
