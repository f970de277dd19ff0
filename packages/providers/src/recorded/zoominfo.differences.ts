import type { Differences } from './differences.testkit.ts'

export const differences: Differences = [
  {
    why: 'ZoomInfo enriches records that the caller names. It has no list of enriched contacts.',
    cases: ['metadata-contacts-enrich-contacts-company-rankings'],
    fails: true,
  },
  {
    why: 'ZoomInfo documents windows of contacts in days. Contacts that are members of boards are read, too.',
    cases: ['read-contacts-following-page-has-next'],
    otherwise: ['"1970-01-01T00:00:00Z"', '"1970-01-01","boardMember":"include"'],
  },
  {
    why: 'ZoomInfo documents windows of contacts in days. Contacts that are members of boards are read, too.',
    cases: ['read-contacts-incremental-has-next'],
    otherwise: ['"2026-06-01T00:00:00Z"', '"2026-05-31","boardMember":"include"'],
  },
  {
    why: 'The response has a link to a next page. Mortise follows it.',
    cases: ['read-contacts-last-page-2'],
    expect: { done: false },
  },
  {
    why: 'ZoomInfo documents windows of news in days.',
    cases: ['read-news-incremental-last-page'],
    otherwise: ['T00:00:00Z', ''],
  },
  {
    why: 'Mortise reads folders by the time of their change, which ZoomInfo documents as a filter. The recording reads all folders.',
    cases: ['read-audience-folders-incremental-last-page'],
    otherwise: ['"queryAbsent":["filter[updatedAfter]"]', '"queryAbsent":[]'],
  },
]
