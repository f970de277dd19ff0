import { Type } from 'typebox'
import { inviteOf } from '../invite-visit.ts'
import { shownPage } from '../page-endpoint.ts'
import { invitePage } from '../pages/invite-page.ts'

export const showInvitePage = shownPage({
  id: 'showInvitePage',
  path: '//signin/invite',
  summary: 'The page of an invite.',
  query: { token: Type.Optional(Type.String({ description: 'The token of the link.' })) },
  run: async (context, services) => {
    const token = context.query['token'] ?? ''
    const found = await inviteOf(services, context, token)
    if ('refusal' in found) return found.refusal
    const { invite, way, otherEmail } = found
    return invitePage({
      formToken: context.formToken,
      token,
      orgLabel: invite.orgLabel,
      email: invite.invitedEmail,
      role: invite.role,
      way,
      otherEmail,
      singleSignOn: services.singleSignOn?.name,
    })
  },
})
