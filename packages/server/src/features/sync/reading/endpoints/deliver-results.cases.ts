import { casesOf } from '../../../../testkit/cases.ts'
import { deliverResults } from './deliver-results.ts'

export const cases = casesOf(deliverResults, {
  request: (ids) => ({ body: { groupRef: ids.groupRef, pages: 1 } }),
  // The integration of the tenant delivers by itself.
  status: 400,
  example: {
    status: 204,
    request: async (world) => {
      await world.deploy('held', '          delivery:\n            mode: onRequest\n            pageSize: 50\n')
      await world.install('patient', 'held')
      return { params: { integrationId: 'held' }, body: { groupRef: 'patient', pages: 2 } }
    },
  },
})
