import { type Html, html, type OrgRole } from '../../../../kernel/http/index.ts'
import { roleWithArticle } from '../../orgs/index.ts'
import { forgotLink, hidden, nameField, newPasswordField, passwordField, singleSignOn } from './fields.ts'
import { alert, type Page, page } from './page.ts'

/** How the person can take the invite: with the account that is signed in, with one that exists, or with a new one. */
export type InviteWay = 'join' | 'password' | 'single-sign-on' | 'new'

export function invitePage(shown: {
  formToken: string
  token: string
  orgLabel: string
  email: string
  role: OrgRole
  way: InviteWay
  /** Somebody else is signed in with this browser. */
  otherEmail: string | undefined
  singleSignOn: string | undefined
  fault?: string
  status?: Page['status']
}): Page {
  const { token, way, fault, status } = shown
  const next = `/signin/invite?${new URLSearchParams({ token })}`
  const form = (fields: Html[], button: string) => html`<form method="post" action="/signin/invite">
${hidden({ form: shown.formToken, token })}
${fields}
<button type="submit">${button}</button>
</form>`
  const forms: Record<InviteWay, () => Html> = {
    join: () => form([], 'Join'),
    password: () => form([passwordField], 'Sign in and join'),
    'single-sign-on': () => html`<p>Your account uses single sign-on. Sign in there to join.</p>`,
    new: () => form([nameField, newPasswordField], 'Create account and join'),
  }
  return page(
    `Join ${shown.orgLabel}`,
    html`<p>The invite is for <strong>${shown.email}</strong>. You join as ${roleWithArticle(shown.role)}.</p>
${shown.otherEmail !== undefined && html`<p>You are signed in as <strong>${shown.otherEmail}</strong>. Joining signs that account out.</p>`}
${alert(fault)}
${forms[way]()}
${way === 'password' && forgotLink}
${way !== 'join' && singleSignOn(shown.singleSignOn, next)}`,
    status === undefined ? {} : { status },
  )
}
