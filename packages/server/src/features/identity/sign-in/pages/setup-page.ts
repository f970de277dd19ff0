import { html } from '../../../../kernel/http/index.ts'
import { emailField, hidden, nameField, newPasswordField } from './fields.ts'
import { alert, type Page, page } from './page.ts'

export function setupPage({ formToken, token, fault }: { formToken: string; token: string; fault?: string }): Page {
  return page(
    'Set up Mortise',
    html`<p>Create the first account. It owns the organization and can invite others.</p>
${alert(fault)}
<form method="post" action="/signin/setup">
${hidden({ form: formToken, token })}
${nameField}
${emailField}
${newPasswordField}
<button type="submit">Create account</button>
</form>`,
    fault === undefined ? {} : { status: 400 },
  )
}
