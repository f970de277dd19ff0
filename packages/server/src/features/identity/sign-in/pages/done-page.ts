import { html } from '../../../../kernel/http/index.ts'
import { hidden } from './fields.ts'
import { type Page, page } from './page.ts'

export function donePage({ email, formToken }: { email: string; formToken: string }): Page {
  return page(
    'You are signed in',
    html`<p>Your account is <strong>${email}</strong>.</p>
<a class="button" href="/console">Open the console</a>
<p class="aside"><a href="/signin/enroll">Set up a second factor</a></p>
<form method="post" action="/signin/out">
${hidden({ form: formToken })}
<button class="second" type="submit">Sign out</button>
</form>`,
  )
}
