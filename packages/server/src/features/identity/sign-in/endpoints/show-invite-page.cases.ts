import { casesOf } from '../../../../testkit/cases.ts'
import { showInvitePage } from './show-invite-page.ts'

export const cases = casesOf(showInvitePage, {
  request: { query: { token: 'not-a-token' } },
  status: 404,
  example: {
    status: 200,
    request: async (world) => ({
      query: Object.fromEntries(new URL((await world.invite('lin@partner.example')).link).searchParams),
    }),
  },
})
