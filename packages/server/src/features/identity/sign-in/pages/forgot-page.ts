import { html } from '../../../../kernel/http/index.ts'
import { emailField, hidden } from './fields.ts'
import { alert, messagePage, type Page, page } from './page.ts'

export function forgotPage(shown: { formToken: string; fault?: string; status?: Page['status'] }): Page {
  const { formToken, fault, status } = shown
  return page(
    'Forgot your password?',
    html`<p>Enter the email address of your account. We will email you a link to choose a new password.</p>
${alert(fault)}
<form method="post" action="/signin/forgot">
${hidden({ form: formToken })}
${emailField}
<button type="submit">Send link</button>
</form>
<p class="aside"><a href="/signin">Back to sign in</a></p>`,
    status === undefined ? {} : { status },
  )
}

/** The same for every address. */
export function linkSentPage(email: string): Page {
  return page(
    'Check your email',
    html`<p>If <strong>${email}</strong> has an account here, you will receive a link within a few minutes. It works once, for one hour.</p>
<p>No email? Check the address and your spam folder.</p>
<a class="button second" href="/signin">Back to sign in</a>`,
  )
}

/** Where the service has no mail server. */
export function askAnOwnerPage(): Page {
  return page(
    'Forgot your password?',
    html`<p>This service does not send email. Ask an owner of your organization for a link to choose a new password.</p>
<p>The owner runs <code>mortise create password-reset</code> with your email address, and gives you the link. If you are the only owner, ask the operator.</p>
<a class="button second" href="/signin">Back to sign in</a>`,
  )
}

export function resetLinkRefusedPage(): Page {
  return messagePage(
    'This link is not valid',
    'It was already used, has expired, was replaced by a newer one, or is incomplete. Request a new one.',
    { status: 404, link: { href: '/signin/forgot', text: 'Request a new link' } },
  )
}
