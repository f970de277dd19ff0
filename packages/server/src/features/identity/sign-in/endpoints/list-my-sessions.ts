import { Type } from 'typebox'
import type { Database } from '../../../../kernel/db/index.ts'
import { endpoint, reply } from '../../../../kernel/http/index.ts'
import { MySession, sessionResource } from '../session-resource.ts'
import { listSessions } from '../session-store.ts'

export const listMySessions = endpoint({
  id: 'listMySessions',
  method: 'GET',
  path: '/my-info/sessions',
  access: 'builder',
  beforeSecondFactor: true,
  summary: 'List your sessions, the newest first.',
  description: 'At most the newest 1,000.',
  tag: 'Sign-in',
  extension: true,
  reply: { 200: Type.Array(MySession) },
  run: async ({ caller }, { database, now }: { database: Database; now: () => Date }) => {
    const rows = await listSessions(database.system, caller.builderId, now())
    return reply(
      200,
      rows.map((row) => sessionResource(row, caller.sessionId)),
    )
  },
})
