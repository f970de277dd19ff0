import { sql } from 'kysely'
import { Type } from 'typebox'
import type { Database } from '../../../../kernel/db/index.ts'
import { Enum, endpoint, reply } from '../../../../kernel/http/index.ts'
import type { JobQueue } from '../../../../kernel/jobs/index.ts'
import type { Logger } from '../../../../kernel/telemetry/index.ts'
import { NotReady } from '../problems.ts'

export const getReadiness = endpoint({
  id: 'getReadiness',
  method: 'GET',
  path: '//readyz',
  access: 'public',
  rateScope: 'endpoint',
  summary: 'Whether the service can do its work: database, migrations and queue.',
  tag: 'Health',
  extension: true,
  reply: { 200: Type.Object({ status: Enum(['ready']) }) },
  problems: [NotReady],
  run: async (
    _,
    {
      database,
      queue,
      log,
      isStopping,
    }: { database: Database; queue: JobQueue; log: Logger; isStopping: () => boolean },
  ) => {
    if (isStopping()) throw new NotReady({ causes: ['The service is about to end.'] })
    const causes: string[] = []
    const check = async (cause: string, work: () => Promise<unknown>) => {
      try {
        await work()
      } catch (error) {
        log.warn({ err: error }, cause)
        causes.push(cause)
      }
    }
    await check('The database does not answer.', () => sql`select 1`.execute(database.system))
    if (causes.length === 0) {
      await check('Migrations of the database are missing.', async () => {
        const missing = await database.pending()
        if (missing.length > 0) throw new Error(missing.join(', '))
      })
      await check('The job queue does not answer.', () => queue.check())
    }
    if (causes.length > 0) throw new NotReady({ causes })
    return reply(200, { status: 'ready' as const })
  },
})
