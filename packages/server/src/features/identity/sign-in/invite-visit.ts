import { findBuilderByEmail, findInviteByToken, type InviteRefusal, type ShownInvite } from '../orgs/index.ts'
import { consolePath } from './next-path.ts'
import type { PageContext, PageServices, Redirect } from './page-endpoint.ts'
import type { InviteWay } from './pages/invite-page.ts'
import { messagePage, type Page } from './pages/page.ts'

/** A pending invite as the visitor can take it, or where to go instead: mostly the page that says why not. */
export async function inviteOf(
  services: PageServices,
  context: Pick<PageContext, 'owner'>,
  token: string,
): Promise<{ invite: ShownInvite; way: InviteWay; otherEmail: string | undefined } | { refusal: Page | Redirect }> {
  const { system } = services.database
  const invite = await findInviteByToken(system, services, token)
  // Single sign-on has accepted it already, on the way back to the invite.
  if (invite?.status === 'accepted' && context.owner?.email === invite.invitedEmail)
    return { refusal: { to: consolePath } }
  if (invite?.status !== 'pending') return { refusal: inviteRefusal(invite?.status ?? 'unknown') }
  if (context.owner?.email === invite.invitedEmail) return { invite, way: 'join', otherEmail: undefined }
  const builder = await findBuilderByEmail(system, invite.invitedEmail)
  const way = !builder ? 'new' : builder.password === null ? 'single-sign-on' : 'password'
  return { invite, way, otherEmail: context.owner?.email }
}

const reasons: Record<Exclude<InviteRefusal, 'pending'>, string> = {
  unknown: 'This link is not valid. Copy the complete link, or ask for a new one.',
  accepted: 'The invite was already accepted.',
  revoked: 'The invite was revoked. Ask the person who invited you.',
  expired: 'The invite has expired. Ask for a new one.',
  'other-email': 'The invite is for a different email address than that of your account.',
}

export function inviteRefusal(reason: InviteRefusal): Page {
  return messagePage('This invite cannot be accepted', reasons[reason], {
    status: 404,
    link: { href: '/signin', text: 'Sign in' },
  })
}
