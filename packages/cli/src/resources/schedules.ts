import type { Item } from '@mortise/client'
import { installationIdOf } from './installation-id-of.ts'
import { all, needed, resource, timeText } from './resource.ts'

export const schedules = resource<Item<'listReadSchedules'>>({
  name: 'schedules',
  one: 'schedule',
  columns: [
    ['Object', ({ objectName }) => objectName],
    ['Schedule', ({ schedule }) => schedule],
    ['Offset', ({ offsetSeconds }) => `${offsetSeconds} s`],
    ['Last', ({ lastRunTime }) => timeText(lastRunTime)],
    ['Status', ({ lastRunStatus }) => lastRunStatus],
    ['Next', ({ nextRunTime, pauseReason }) => (pauseReason ? `paused: ${pauseReason}` : timeText(nextRunTime))],
    ['Waits for', ({ waitsFor }) => waitsFor],
    ['Deletions', ({ deletions }) => deletions?.schedule],
    [
      'Last check',
      ({ deletions }) =>
        [timeText(deletions?.lastCheckTime), deletions?.lastCheckStatus === 'failure' && 'failed']
          .filter(Boolean)
          .join(', '),
    ],
  ],
  list: {
    needs: ['integration'],
    takes: ['installation', 'group'],
    async *rows(call) {
      const path = { integrationId: needed(call, 'integration'), installationId: await installationIdOf(call) }
      yield* all(call.mortise.listReadSchedules(path, { signal: call.signal }))
    },
  },
})
