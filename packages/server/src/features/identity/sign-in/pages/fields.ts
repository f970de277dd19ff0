import { type Html, html } from '../../../../kernel/http/index.ts'
import { passwordLengthMin } from '../password.ts'

/** Renders hidden fields: the proof that the form is ours, and what it is about. */
export function hidden(values: Record<string, string | undefined>): Html[] {
  return Object.entries(values).flatMap(([name, value]) =>
    value === undefined ? [] : [html`<input type="hidden" name="${name}" value="${value}">`],
  )
}

export const emailField = html`<div class="field"><label for="email">Email</label>
<input id="email" name="email" type="email" autocomplete="username" autocapitalize="none" spellcheck="false" maxlength="254" required></div>`

export const nameField = html`<div class="field"><label for="name">Your name</label>
<input id="name" name="name" autocomplete="name" maxlength="200"></div>`

export const passwordField = html`<div class="field"><label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" maxlength="400" required></div>`

export const newPasswordField = html`<div class="field"><label for="password">Choose a password</label>
<input id="password" name="password" type="password" autocomplete="new-password" minlength="${passwordLengthMin}" maxlength="400" aria-describedby="password-hint" required>
<span class="hint" id="password-hint">At least ${passwordLengthMin} characters. Several words are easy to remember.</span></div>`

/** Names the account for a password manager: the one that the password of this form belongs to. */
export const accountField = (email: string) =>
  html`<input type="email" name="account" autocomplete="username" value="${email}" readonly hidden>`

/** Link for pages with a password field. */
export const forgotLink = html`<p class="aside"><a href="/signin/forgot">Forgot your password?</a></p>`

/** Renders the link to the identity provider, if the operator configured one. */
export function singleSignOn(name: string | undefined, next: string | undefined): Html | undefined {
  if (name === undefined) return undefined
  const query = next === undefined ? '' : `?${new URLSearchParams({ next })}`
  return html`<div class="or">or</div><a class="button second" href="/signin/oidc${query}">Continue with ${name}</a>`
}
