import { casesOf } from '../../../../testkit/cases.ts'
import { deleteOrgInvite } from './delete-org-invite.ts'

export const cases = casesOf(deleteOrgInvite, {
  status: 404,
  example: {
    status: 204,
    request: async (world) => ({ params: { inviteId: (await world.invite('too-early@acme.example')).id } }),
  },
})
