import { casesOf } from '../../../../testkit/cases.ts'
import { listDeadLetters } from './list-dead-letters.ts'

export const cases = casesOf(listDeadLetters, {
  request: (ids) => ({
    query: { destination: ids.destination, groupRef: ids.groupRef, installationId: ids.installationId },
  }),
  status: 200,
  example: { request: ({ tenant }) => ({ query: { destination: tenant.ids.destination } }) },
})
