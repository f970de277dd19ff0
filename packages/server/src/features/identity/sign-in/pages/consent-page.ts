import { html } from '../../../../kernel/http/index.ts'
import { hidden } from './fields.ts'
import { type Page, page } from './page.ts'

/** Asks whether a command line may act as the person. */
export function consentPage(shown: {
  formToken: string
  action: '/signin/cli' | '/signin/amp-cli'
  /** The name of the program, and where it waits. */
  program: string
  address: string
  email: string
  about: Record<string, string>
}): Page {
  const { formToken, action, program, address: place, email, about } = shown
  return page(
    'Authorize the command line?',
    html`<p><strong>${program}</strong>, a command-line program on this computer (<code>${place}</code>), wants to act as <strong>${email}</strong>.</p>
<p>Authorize it only if you have just started it yourself.</p>
<form method="post" action="${action}">
${hidden({ form: formToken, ...about })}
<button type="submit">Authorize</button>
</form>
<form method="post" action="/signin/out">
${hidden({ form: formToken })}
<button class="second" type="submit">Not me: sign out</button>
</form>`,
    { formsLeadTo: `http://${place}` },
  )
}
