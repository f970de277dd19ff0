import { html } from '../../../../kernel/http/index.ts'
import { accountField, hidden, newPasswordField } from './fields.ts'
import { alert, messagePage, type Page, page } from './page.ts'

export function resetPage(shown: { formToken: string; email: string; fault?: string; status?: Page['status'] }): Page {
  const { formToken, email, fault, status } = shown
  return page(
    'Choose a new password',
    html`<p>Choose a new password for <strong>${email}</strong>. This signs you out everywhere.</p>
${alert(fault)}
<form method="post" action="/signin/reset">
${hidden({ form: formToken })}
${accountField(email)}
${newPasswordField}
<button type="submit">Change password</button>
</form>`,
    status === undefined ? {} : { status },
  )
}

export function passwordChangedPage(): Page {
  return messagePage('Password changed', 'You are signed out everywhere. Sign in with your new password.', {
    link: { href: '/signin', text: 'Sign in' },
  })
}
