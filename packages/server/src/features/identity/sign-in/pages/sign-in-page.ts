import { html } from '../../../../kernel/http/index.ts'
import { emailField, forgotLink, hidden, passwordField, singleSignOn } from './fields.ts'
import { alert, type Page, page } from './page.ts'

export function signInPage(shown: {
  formToken: string
  next: string | undefined
  /** Name of the provider of identities, when there is one. */
  singleSignOn: string | undefined
  fault?: string
  status?: Page['status']
}): Page {
  const { formToken, next, fault, status } = shown
  return page(
    'Sign in',
    html`<p>Use the account of your organization.</p>
${alert(fault)}
<form method="post" action="/signin">
${hidden({ form: formToken, next })}
${emailField}
${passwordField}
<button type="submit">Sign in</button>
</form>
${forgotLink}
${singleSignOn(shown.singleSignOn, next)}`,
    status === undefined ? {} : { status },
  )
}
