import { newId } from '../../../../kernel/db/index.ts'
import { casesOf } from '../../../../testkit/cases.ts'
import { acceptInvite } from './accept-invite.ts'

export const cases = casesOf(acceptInvite, {
  request: () => ({ body: { invitedEmail: `${newId()}@nowhere.example` } }),
  // Nobody has invited this address.
  status: 400,
  namesNoIds: true,
  example: {
    status: 200,
    request: async (world) => {
      const email = 'joan@other.example'
      await world.invite(email)
      return { headers: (await world.builder({ email })).headers, body: { invitedEmail: email } }
    },
  },
})
