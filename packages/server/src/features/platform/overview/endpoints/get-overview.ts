import type { Database } from '../../../../kernel/db/index.ts'
import { endpoint, ProjectPath, reply } from '../../../../kernel/http/index.ts'
import { countFailures, failureReasons } from '../../../integrations/installations/index.ts'
import { countRuns } from '../../../sync/reading/index.ts'
import { countsOfDays } from '../../counts/index.ts'
import { backlogOf } from '../backlog.ts'
import { cappedCount, Overview } from '../model.ts'
import { totalsOf } from '../totals.ts'

const countedMax = 10_000

export const getOverview = endpoint({
  id: 'getOverview',
  method: 'GET',
  path: '/projects/{projectIdOrName}/overview',
  access: 'view',
  summary: 'Get the state of a project at a glance.',
  description: `Numbers of what fails and waits are exact up to ${countedMax.toLocaleString('en-US')}; \`capped\` says that there are more. With more than 10 destinations, fewer messages of each are counted, but at least 1,000.`,
  tag: 'Projects',
  extension: true,
  params: ProjectPath,
  reply: { 200: Overview },
  run: async ({ db }, { database, now }: { database: Database; now: () => Date }) => {
    const time = now()
    const [totals, failures, backlog, runs, days] = await Promise.all([
      totalsOf(db, { database, now: time }),
      countFailures(db, countedMax + 1),
      backlogOf(db),
      countRuns(db, countedMax + 1),
      countsOfDays(db, time),
    ])
    const { created = 0, working = 0, bad_credentials = 0 } = totals.connections
    return reply(200, {
      time: totals.time,
      installations: { total: totals.installations, unhealthy: cappedCount(failures.unhealthy, countedMax) },
      failing: failureReasons.map((reason) => ({ reason, ...cappedCount(failures[reason], countedMax) })),
      connections: { created, working, bad_credentials },
      backlog,
      running: {
        backfills: cappedCount(runs.backfill, countedMax),
        triggeredReads: cappedCount(runs.triggered, countedMax),
        scheduledReads: cappedCount(runs.scheduled, countedMax),
      },
      ...days,
    })
  },
})
