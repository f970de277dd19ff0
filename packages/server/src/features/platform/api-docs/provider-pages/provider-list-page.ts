import { evidenceOf, type ProviderEntry } from '@mortise/providers'
import { type Html, html } from '../../../../kernel/http/index.ts'
import { methodName } from './authentication-html.ts'
import { capabilityKeys } from './capabilities.ts'

/** Lists every provider of the catalog, with a filter. */
export function providerListPage(entries: readonly ProviderEntry[], apiHref: string): Html {
  const sorted = entries.toSorted((a, b) => a.displayName.localeCompare(b.displayName, 'en'))
  return html`<h1>Providers</h1>
<p class="lead">The ${entries.length} SaaS providers that this Mortise knows, and what you can do with each. Each page says what its entry is based on. The filter finds entries that were tested with an account as “tested”, those that were compared with documentation as “documented”, and others as “unchecked”. Your provider missing? Add it with one YAML file: start Mortise with <code>MORTISE_PROVIDERS_DIR</code> set to its folder. Programs read the same list from <a href="${apiHref}">listProviders</a>.</p>
<input type="search" aria-label="Filter providers" placeholder="Filter providers" data-filter autocomplete="off" hidden>
<p data-none hidden>No provider matches. Try fewer words, such as “read oauth”.</p>
<section>
<h2>All providers</h2>
<ul class="list providers">${sorted.map(rowHtml)}</ul>
</section>`
}

/** Words of the filter. */
const evidenceWords = {
  account: 'tested',
  documentation: 'documented',
  twoSources: 'agreed unchecked',
  oneSource: 'single unchecked',
  none: 'unchecked',
} as const

function rowHtml(entry: ProviderEntry): Html {
  const { name, displayName, authentication } = entry
  const usable = entry.implemented
  const keys = capabilityKeys.filter((key) => usable[key])
  const methods = [...new Set(authentication.map(methodName))].join(', ')
  const more = [evidenceWords[evidenceOf(entry).kind], entry.seeAlso?.provider ?? [], entry.seeAlso?.module ?? []]
  const words = [name, displayName, ...keys, methods, ...more.flat()].join(' ').toLowerCase()
  return html`<li data-find="${words}"><a href="/docs/providers/${name}">${displayName}</a><span>${keys.length === 0 ? html`<small>not supported yet</small>` : keys.map((key) => html`<span class="tagged">${key}</span> `)}${seeAlsoHtml(entry)}</span><span>${methods}</span></li>
`
}

function seeAlsoHtml({ seeAlso }: ProviderEntry): Html | undefined {
  if (seeAlso === undefined) return undefined
  const where = seeAlso.module === undefined ? '' : `, module ${seeAlso.module}`
  return html`<small>objects: ${seeAlso.provider}${where}</small>`
}
