import { casesOf } from '../../../../testkit/cases.ts'
import { listTimeline } from './list-timeline.ts'

export const cases = casesOf(listTimeline, {
  request: (ids) => ({ query: { installationId: ids.installationId, pageSize: '10' } }),
  status: 200,
})
