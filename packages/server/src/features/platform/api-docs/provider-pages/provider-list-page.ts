import type { ProviderEntry } from '@mortise/providers'
import { type Html, html } from '../../../../kernel/http/index.ts'
import { methodName } from './authentication-html.ts'
import { capabilityKeys } from './capabilities.ts'

/** Lists every provider of the catalog, with a filter. */
export function providerListPage(entries: readonly ProviderEntry[], apiHref: string): Html {
  const sorted = entries.toSorted((a, b) => a.displayName.localeCompare(b.displayName, 'en'))
  return html`<h1>Providers</h1>
<p class="lead">The ${entries.length} SaaS providers that this Mortise knows, and what you can do with each. ${entries.filter(({ confidence }) => confidence !== undefined).length} entries to connect to and to proxy have not been checked with an account; their pages say so, and the filter finds them as “unchecked”. Your provider missing? Add it with one YAML file: start Mortise with <code>MORTISE_PROVIDERS_DIR</code> set to its folder. Programs read the same list from <a href="${apiHref}">listProviders</a>.</p>
<input type="search" aria-label="Filter providers" placeholder="Filter providers" data-filter autocomplete="off" hidden>
<p data-none hidden>No provider matches. Try fewer words, such as “read oauth”.</p>
<section>
<h2>All providers</h2>
<ul class="list providers">${sorted.map(rowHtml)}</ul>
</section>`
}

function rowHtml(entry: ProviderEntry): Html {
  const { name, displayName, authentication } = entry
  const usable = entry.implemented
  const keys = capabilityKeys.filter((key) => usable[key])
  const methods = [...new Set(authentication.map(methodName))].join(', ')
  const checked = entry.confidence === undefined ? '' : ' unchecked'
  return html`<li data-find="${`${name} ${displayName} ${keys.join(' ')} ${methods}${checked}`.toLowerCase()}"><a href="/docs/providers/${name}">${displayName}</a><span>${keys.length === 0 ? html`<small>not supported yet</small>` : keys.map((key) => html`<span class="tagged">${key}</span> `)}</span><span>${methods}</span></li>
`
}
