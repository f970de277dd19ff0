import { casesOf } from '../../../../testkit/cases.ts'
import { triggerRead } from './trigger-read.ts'

export const cases = casesOf(triggerRead, {
  request: (ids) => ({
    body: { groupRef: ids.groupRef, mode: 'async', sinceTimestamp: '2026-01-01T00:00:00Z' },
  }),
  status: 201,
})
