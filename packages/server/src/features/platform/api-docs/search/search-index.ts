import MiniSearch from 'minisearch'

/** A place in the documentation that search can find. */
export interface SearchEntry {
  href: string
  title: string
  /** What it is, in a word for the reader. */
  kind: string
  /** Text of which a result shows an excerpt. */
  text: string
  /** Further text that finds the entry but is not shown. */
  keywords: string
}

export interface SearchResult extends SearchEntry {
  /** Words of the text that matched, in lower case. */
  terms: string[]
}

export type SearchIndex = (query: string) => SearchResult[]

/** Maximum number of results of a query. */
export const resultsMax = 40

/** Builds an index in memory. A result contains every word of the query, or a word that starts with it. */
export function searchIndex(entries: readonly SearchEntry[]): SearchIndex {
  const index = new MiniSearch<SearchEntry>({
    idField: 'href',
    fields: ['title', 'text', 'keywords'],
    tokenize,
    searchOptions: {
      boost: { title: 4, text: 2 },
      combineWith: 'AND',
      prefix: true,
      fuzzy: (term) => (term.length > 5 ? 1 : false),
    },
  })
  index.addAll(entries)
  const byHref = new Map(entries.map((entry) => [entry.href, entry]))
  return (query) =>
    index
      .search(query)
      .slice(0, resultsMax)
      .flatMap(({ id, terms }) => {
        const entry = byHref.get(String(id))
        return entry === undefined ? [] : [{ ...entry, terms }]
      })
}

/** Splits into words. A name such as `createApiKey` is found by its parts, too. */
function tokenize(text: string): string[] {
  return text.split(/[^\p{L}\p{N}]+/u).flatMap((word) => {
    const parts = word.split(/(?<=[a-z])(?=[A-Z])/)
    return parts.length > 1 ? [word, ...parts] : parts
  })
}
