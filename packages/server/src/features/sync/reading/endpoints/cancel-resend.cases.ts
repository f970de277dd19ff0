import { casesOf } from '../../../../testkit/cases.ts'
import { project } from '../../../../testkit/world.ts'
import { cancelResend } from './cancel-resend.ts'

export const cases = casesOf(cancelResend, {
  // Nothing was resent to the destination of the tenant.
  status: 404,
  example: {
    status: 200,
    request: async (world) => {
      const destination = await world.destination('unwanted-tables')
      await world.make('POST', `${project}/destinations/${destination}:resend`, {})
      return { params: { destination } }
    },
  },
})
