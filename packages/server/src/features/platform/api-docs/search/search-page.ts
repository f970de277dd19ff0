import type { Catalogue } from '@mortise/providers'
import { type Html, html } from '../../../../kernel/http/index.ts'
import { layout } from '../pages/layout.ts'
import type { Site } from '../pages/site.ts'
import { searchEntries } from './search-entries.ts'
import { resultsMax, type SearchIndex, type SearchResult, searchIndex } from './search-index.ts'

const excerptLength = 220

const indexes = new WeakMap<object, WeakMap<Site, SearchIndex>>()

/** Renders the results of a query. The index is built at the first search, and again when a provider file changes. */
export function searchPage(site: Site, catalogue: Catalogue, query: string): string {
  const results = indexOf(site, catalogue)(query)
  const page = { chapters: site.chapters, slug: 'search-results', anchors: [], query }
  return layout(`Search: ${query}`, resultsHtml(query, results), page)
}

function indexOf(site: Site, catalogue: Catalogue): SearchIndex {
  const ofVersion = indexes.get(catalogue.version) ?? new WeakMap<Site, SearchIndex>()
  indexes.set(catalogue.version, ofVersion)
  const index = ofVersion.get(site) ?? searchIndex(searchEntries(site, catalogue.list()))
  ofVersion.set(site, index)
  return index
}

function resultsHtml(query: string, results: SearchResult[]): Html {
  if (results.length === 0)
    return html`<h1>Search</h1>
<p class="lead" role="status">No results for “${query}”.</p>
<p>Try fewer words, or see <a href="/docs">all endpoints</a> and <a href="/docs/providers">all providers</a>.</p>`
  return html`<h1>Search</h1>
<p class="lead" role="status">${countOf(results)} for “${query}”.</p>
<ol class="results">${results.map(
    ({
      href,
      title,
      kind,
      text,
      terms,
    }) => html`<li><h2><a href="${href}">${title}</a> <span class="tagged">${kind}</span></h2>
<p>${excerptHtml(text, terms)}</p></li>
`,
  )}</ol>`
}

function countOf({ length }: SearchResult[]): string {
  if (length === resultsMax) return `The first ${length} results`
  return length === 1 ? '1 result' : `${length} results`
}

/** Cuts the text around the first word that matched, and marks the words that matched. */
function excerptHtml(text: string, terms: readonly string[]): Html {
  const lower = text.toLowerCase()
  const positions = terms.map((term) => lower.indexOf(term)).filter((position) => position >= 0)
  const first = positions.length === 0 ? 0 : Math.min(...positions)
  const from = first <= excerptLength / 2 ? 0 : text.indexOf(' ', first - excerptLength / 2) + 1
  const to = text.length <= from + excerptLength ? text.length : text.lastIndexOf(' ', from + excerptLength)
  const words = text.slice(from, to).split(/(\s+)/)
  const isMatch = (word: string) => terms.some((term) => word.toLowerCase().includes(term))
  return html`${from > 0 && '… '}${words.map((word) => (isMatch(word) ? html`<mark>${word}</mark>` : word))}${to < text.length && ' …'}`
}
