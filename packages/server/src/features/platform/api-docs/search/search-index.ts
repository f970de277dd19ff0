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

/** Maximum number of different words of a query; further words are ignored. */
export const termsMax = 10

/**
 * Minimum length of a word that finds longer words. The first letters alone match a third of the index: a query of a
 * hundred of them would keep the service busy for a second.
 */
export const prefixLengthMin = 3

/** Builds an index in memory. A result contains every word of the query, or a word that starts with it. */
export function searchIndex(entries: readonly SearchEntry[]): SearchIndex {
  const index = new MiniSearch<SearchEntry>({
    idField: 'href',
    fields: ['title', 'text', 'keywords'],
    tokenize,
    searchOptions: {
      boost: { title: 4, text: 2 },
      combineWith: 'AND',
      tokenize: (query) => query.split(' '),
      prefix: (term) => term.length >= prefixLengthMin,
      fuzzy: (term) => (term.length > 5 ? 1 : false),
    },
  })
  index.addAll(entries)
  const byHref = new Map(entries.map((entry) => [entry.href, entry]))
  return (query) =>
    index
      .search(queryTerms(query).join(' '))
      .slice(0, resultsMax)
      .flatMap(({ id, terms }) => {
        const entry = byHref.get(String(id))
        return entry === undefined ? [] : [{ ...entry, terms }]
      })
}

/** Returns the words that a query is searched by: each once, and few enough to find them in milliseconds. */
export function queryTerms(query: string): string[] {
  const terms = tokenize(query)
    .map((term) => term.toLowerCase())
    .filter((term) => term !== '')
  return [...new Set(terms)].slice(0, termsMax)
}

/** Splits into words. A name such as `createApiKey` is found by its parts, too. */
function tokenize(text: string): string[] {
  return text.split(/[^\p{L}\p{N}]+/u).flatMap((word) => {
    const parts = word.split(/(?<=[a-z])(?=[A-Z])/)
    return parts.length > 1 ? [word, ...parts] : parts
  })
}
