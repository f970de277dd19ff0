import { casesOf } from '../../../../testkit/cases.ts'
import { project } from '../../../../testkit/world.ts'
import { getResend } from './get-resend.ts'

export const cases = casesOf(getResend, {
  // Nothing was resent to the destination of the tenant.
  status: 404,
  example: {
    status: 200,
    request: async (world) => {
      const destination = await world.destination('new-tables')
      await world.make('POST', `${project}/destinations/${destination}:resend`, {})
      return { params: { destination } }
    },
  },
})
