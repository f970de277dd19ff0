import { type ObjectScopes, type ProviderEntry, type ScopeAction, scopeActions, scopeRulesOf } from '@mortise/providers'
import { type Html, html } from '../../../../kernel/http/index.ts'

const headings: Readonly<Record<ScopeAction, string>> = {
  read: 'Read',
  write: 'Create and update',
  delete: 'Delete',
  subscribe: 'Subscribe',
}

/** Renders the OAuth scopes that objects need, as far as they are known. */
export function scopesHtml(entry: ProviderEntry): Html {
  const modules = Object.entries(entry.objectScopes ?? {})
  if (modules.length === 0) return html``
  return html`<section id="scopes"><h2>OAuth scopes</h2>
<p>${introOf(entry)} Nothing is known of objects and actions that the table leaves out.</p>
${modules.map(([id, objects]) => html`${id !== '' && html`<h3>Module <code>${id}</code></h3>`}${tableHtml(objects)}`)}</section>`
}

function introOf(entry: ProviderEntry): string {
  return scopeRulesOf(entry)?.scopesOnDemand
    ? 'Mortise asks customers for the scopes that your integrations need, and for those of your provider app.'
    : 'Add the scopes of the objects that your integrations use to your provider app.'
}

function tableHtml(objects: Readonly<Record<string, ObjectScopes>>): Html {
  const rows = Object.entries(objects).toSorted(([a], [b]) => (a === '*' ? 1 : b === '*' ? -1 : 0))
  const used = scopeActions.filter((action) => rows.some(([, scopes]) => scopes[action] !== undefined))
  return html`<table><thead><tr><th scope="col">Object</th>${used.map((action) => html`<th scope="col">${headings[action]}</th>`)}</tr></thead>
<tbody>${rows.map(
    ([
      name,
      scopes,
    ]) => html`<tr><th scope="row">${name === '*' ? 'Other objects' : html`<code>${name}</code>`}</th>${used.map((action) => html`<td>${needsHtml(scopes[action] ?? [])}</td>`)}</tr>
`,
  )}</tbody></table>`
}

function needsHtml(needs: readonly (readonly string[])[]): Html[] {
  return needs.map(
    (anyOf) => html`<div>${anyOf.map((scope, index) => html`${index > 0 && ' or '}<code>${scope}</code>`)}</div>`,
  )
}
