import { casesOf } from '../../../../testkit/cases.ts'
import { listMessages } from './list-messages.ts'

export const cases = casesOf(listMessages, {
  request: (ids) => ({
    query: {
      destination: ids.destination,
      groupRef: ids.groupRef,
      installationId: ids.installationId,
      operationId: ids.operationId,
    },
  }),
  status: 200,
  example: { request: ({ tenant }) => ({ query: { destination: tenant.ids.destination } }) },
})
