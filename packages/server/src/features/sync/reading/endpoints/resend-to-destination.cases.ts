import { casesOf } from '../../../../testkit/cases.ts'
import { resendToDestination } from './resend-to-destination.ts'

export const cases = casesOf(resendToDestination, {
  // Nothing is resent, because the cases of other endpoints expect that nothing was.
  request: (ids) => ({ body: { integration: 'unknown', groupRef: ids.groupRef, objectName: ids.objectName } }),
  status: 400,
  example: {
    status: 202,
    request: async (world) => ({ params: { destination: await world.destination('filled-tables') }, body: {} }),
  },
})
