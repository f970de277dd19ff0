import type { SampleCrmCounters } from '../counters.ts'
import { type Html, html } from '../html.ts'
import type { Page } from '../page.ts'
import { type Grant, scopeNames } from '../sign-in/access.ts'

export interface WorkspaceState {
  readonly name: string
  readonly contacts: number
  readonly apiKey: string | undefined
  /** Undefined when the CRM takes keys only. */
  readonly grants: readonly Grant[] | undefined
  readonly rateLimit: number
  readonly failuresLeft: number
  readonly counters: SampleCrmCounters
}

const rateLimits = [0, 1, 5, 10, 30, 50, 100]

/** The page on which the owner of the workspace finds the key, sees who has access, and breaks things on purpose. */
export function workspacePage(state: WorkspaceState): Page {
  return {
    title: 'Workspace settings',
    width: 'wide',
    main: html`<h1>${state.name}</h1>
<p class="muted">This is what your customer sees at the provider. Break an access here, and look at what your product says.</p>
<div class="cards">${keyCard(state)}${grantsCard(state)}${trafficCard(state)}${troubleCard(state)}</div>`,
  }
}

/** A form of one button. */
const action = (name: string, label: string, kind = '', more: Html | undefined = undefined) =>
  html`<form method="post" action="/admin/${name}">${more}<button class="${kind}">${label}</button></form>`

function keyCard({ apiKey }: WorkspaceState): Html {
  return html`<section class="card" id="api-key"><div class="head"><h2>API key</h2>${
    apiKey === undefined ? html`<span class="state bad">Revoked</span>` : html`<span class="state">Valid</span>`
  }</div>
<p class="muted small">Applications send it in the header <code>X-Api-Key</code>. It may do everything.</p>
${apiKey === undefined ? html`<p>No key is valid. Requests with the old key get 401.</p>` : html`<code class="key">${apiKey}</code>`}
<div class="actions">${apiKey !== undefined && action('revoke-key', 'Revoke key', 'danger')}${action('create-key', 'Create a new key', 'second')}</div></section>`
}

function grantsCard({ grants }: WorkspaceState): Html {
  if (grants === undefined) return html``
  return html`<section class="card" id="applications"><h2>Connected applications</h2>
<p class="muted small">People signed in and allowed these applications to use the workspace.</p>
${
  grants.length === 0
    ? html`<p>No application has access.</p>`
    : html`<ul class="grants">${grants.map((grant) => html`<li class="grant"><span>${grant.application} · ${grant.person}<br><span class="muted small">${grant.scopes.map((scope) => scopeNames[scope] ?? scope).join(', ')}</span></span>${action('revoke-grant', 'Revoke access', 'danger', html`<input type="hidden" name="grant" value="${grant.id}">`)}</li>`)}</ul>`
}
${grants.length > 0 && html`<div class="actions">${action('expire-tokens', 'Let access tokens expire', 'second')}</div>`}</section>`
}

function troubleCard({ rateLimit, failuresLeft }: WorkspaceState): Html {
  const options = [...new Set([...rateLimits, rateLimit])].toSorted((a, b) => a - b)
  return html`<section class="card"><h2>Trouble</h2>
<p class="muted small">${failuresLeft === 0 ? 'The API answers normally.' : `The next ${failuresLeft} requests fail.`}</p>
<div class="actions">${action('fail', 'Fail the next 5 requests with 503', 'second')}</div>
<form class="row" method="post" action="/admin/rate-limit"><label>Requests a second
<select name="perSecond">${options.map((value) => html`<option value="${value}" ${value === rateLimit && html`selected`}>${value === 0 ? 'No limit' : value}</option>`)}</select></label>
<button class="second">Set rate limit</button></form></section>`
}

function trafficCard({ contacts, counters }: WorkspaceState): Html {
  const facts: [string, number][] = [
    ['Contacts', contacts],
    ['Requests', counters.requests],
    ['Records sent', counters.records],
    ['Refused (401)', counters.unauthorized],
    ['Too many (429)', counters.rateLimited],
  ]
  return html`<section class="card"><div class="head"><h2>Contacts and traffic</h2><a class="small" href="/admin">Update</a></div>
<dl>${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value.toLocaleString('en')}</dd></div>`)}</dl>
<div class="actions">${action('add-contact', 'Add a contact', 'second')}${action('change-contacts', 'Change 25 contacts', 'second')}</div></section>`
}
