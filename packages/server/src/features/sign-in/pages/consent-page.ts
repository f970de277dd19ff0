import { html } from '../../../kernel/http/index.ts'
import { hidden } from './fields.ts'
import { type Page, page } from './page.ts'

/** Asks whether a command line may act as the person. */
export function consentPage(shown: {
  formToken: string
  action: '/signin/cli' | '/signin/amp-cli'
  /** The name of the program, and where it waits. */
  program: string
  place: string
  email: string
  about: Record<string, string>
}): Page {
  const { formToken, action, program, place, email, about } = shown
  return page(
    'Sign in the command line?',
    html`<p>The command line <strong>${program}</strong> on this computer (<code>${place}</code>) asks to act as <strong>${email}</strong>.</p>
<p>Go on only if you have just started it yourself.</p>
<form method="post" action="${action}">
${hidden({ form: formToken, ...about })}
<button type="submit">Sign it in</button>
</form>
<form method="post" action="/signin/out">
${hidden({ form: formToken })}
<button class="second" type="submit">Not me: sign out</button>
</form>`,
    { formsLeadTo: `http://${place}` },
  )
}
