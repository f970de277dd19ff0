import { type Html, html } from '../../../../kernel/http/index.ts'
import { secondStepPath } from '../factors/half-sign-in.ts'
import type { UsableFactor } from '../factors/use-factor.ts'
import { hidden } from './fields.ts'
import { alert, type Page, page } from './page.ts'
import { passkeyForm, passkeyScript } from './passkey-script.ts'

const links: Record<UsableFactor, string> = {
  totp: 'Use the code from your app',
  passkey: 'Use a passkey',
  recoveryCode: 'Use a recovery code',
}
const titles: Record<UsableFactor, string> = {
  totp: 'Enter the code from your app',
  passkey: 'Use your passkey',
  recoveryCode: 'Enter a recovery code',
}

/** The second step of a sign-in. */
export function factorPage(shown: {
  formToken: string
  next: string | undefined
  way: UsableFactor
  /** What else the person can use. */
  ways: readonly UsableFactor[]
  passkeyOptions: Record<string, unknown> | undefined
  fault?: string
  status?: Page['status']
}): Page {
  const { formToken, next, way, ways, passkeyOptions, fault, status } = shown
  const fields = { form: formToken, next, with: way }
  const codeForm = (field: Html) => html`<form method="post" action="/signin/factor">
${hidden(fields)}
${field}
<button type="submit">Continue</button>
</form>`
  const forms: Record<UsableFactor, () => Html> = {
    totp: () => codeForm(totpField),
    recoveryCode: () => codeForm(recoveryField),
    passkey: () => passkeyForm('/signin/factor', fields, 'Use passkey'),
  }
  const others = ways.filter((one) => one !== way)
  return page(
    titles[way],
    html`<p>Your account has a second factor.</p>
${alert(fault)}
${forms[way]()}
${others.map((one) => html`<p class="aside"><a href="${secondStepPath(next, one)}">${links[one]}</a></p>`)}
<p class="aside">Lost everything? Ask an owner of your organization to remove your factors.</p>`,
    {
      ...(status !== undefined && { status }),
      ...(way === 'passkey' &&
        passkeyOptions && { script: { text: passkeyScript, data: { action: 'get', options: passkeyOptions } } }),
    },
  )
}

export const totpField = html`<div class="field"><label for="code">Code</label>
<input id="code" name="code" inputmode="numeric" autocomplete="one-time-code" maxlength="20" aria-describedby="code-hint" autofocus required>
<span class="hint" id="code-hint">Six digits. The app shows a new code every 30 seconds.</span></div>`

const recoveryField = html`<div class="field"><label for="code">Recovery code</label>
<input id="code" name="code" autocomplete="off" autocapitalize="characters" spellcheck="false" maxlength="50" aria-describedby="code-hint" autofocus required>
<span class="hint" id="code-hint">One of the codes that you stored when you set up your factor. Each works once.</span></div>`
