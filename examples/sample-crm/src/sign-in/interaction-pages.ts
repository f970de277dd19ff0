import { html } from '../html.ts'
import type { Page } from '../page.ts'
import { scopeNames } from './access.ts'
import type { Person } from './people.ts'

export function signInPage(shown: {
  application: string
  people: readonly Person[]
  email?: string
  isRefused?: boolean
}): Page {
  const { application, people, email = '', isRefused = false } = shown
  return {
    title: 'Sign in',
    width: 'narrow',
    main: html`<form class="card" method="post">
<h1>Sign in</h1>
<p class="muted">to continue to ${application}</p>
${isRefused && html`<p class="alert" role="alert" id="refused">The email address and the password do not match. Check both and try again.</p>`}
<label for="email">Email address</label>
<input id="email" name="email" type="text" inputmode="email" autocomplete="off" value="${email}" ${isRefused && html`aria-describedby="refused"`} ${email === '' && html`autofocus`}>
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="off" ${email !== '' && html`autofocus`}>
<div class="actions"><button name="decision" value="sign-in">Sign in</button>
<button class="second" name="decision" value="deny">Cancel</button></div>
<p class="muted small">Accounts of this sample: ${people.map((person, index) => html`${index > 0 && html`, `}<code>${person.email}</code> with the password <code>${person.password}</code>`)}.</p>
</form>`,
  }
}

export function consentPage({
  application,
  person,
  scopes,
}: {
  application: string
  person: string
  scopes: readonly string[]
}): Page {
  return {
    title: `Allow access for ${application}`,
    width: 'narrow',
    main: html`<form class="card" method="post">
<h1>${application} asks for access</h1>
<p class="muted">You are signed in as ${person}. Choose what ${application} may do in your workspace.</p>
<ul class="scopes">${scopes.map((scope) => html`<li><label><input type="checkbox" name="scope" value="${scope}" checked> ${scopeNames[scope]}</label></li>`)}</ul>
<p class="muted small">You can revoke access at any time in the workspace settings.</p>
<div class="actions"><button name="decision" value="allow" autofocus>Allow access</button>
<button class="second" name="decision" value="deny">Deny</button></div>
</form>`,
  }
}

export function expiredPage(): Page {
  return {
    title: 'This page has expired',
    width: 'narrow',
    main: html`<div class="card"><h1>This page has expired</h1>
<p>Go back to the application that sent you here, and start again.</p></div>`,
  }
}
