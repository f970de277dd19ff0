import { casesOf } from '../../../../testkit/cases.ts'
import { listCounts } from './list-counts.ts'

export const cases = casesOf(listCounts, {
  request: (ids) => ({
    query: { interval: 'day', installationId: ids.installationId, startTime: '2026-01-01T00:00:00Z' },
  }),
  status: 200,
  example: {
    request: ({ tenant }) => ({
      query: {
        installationId: tenant.ids.installationId,
        startTime: '2026-01-01T00:00:00Z',
        endTime: '2026-01-01T02:00:00Z',
      },
    }),
  },
})
