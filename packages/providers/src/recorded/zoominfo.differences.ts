import type { Differences } from './differences.testkit.ts'

export const differences: Differences = {
  notRun: {
    'metadata-contacts-enrich-contacts-company-rankings':
      'ZoomInfo enriches records that the caller names; it has no list of enriched contacts.',
    'read-audience-folders-incremental-last-page':
      'ZoomInfo filters folders by the time of their change, and the recording reads them whole.',
    'read-contacts-last-page-2': 'The response has a link to a next page, which is followed here.',
  },
  // Windows are days in ZoomInfo's documentation, and contacts that are members of boards are read, too.
  otherwise: {
    'read-contacts-following-page-has-next': ['"1970-01-01T00:00:00Z"', '"1970-01-01","boardMember":"include"'],
    'read-contacts-incremental-has-next': ['"2026-06-01T00:00:00Z"', '"2026-05-31","boardMember":"include"'],
    'read-news-incremental-last-page': ['T00:00:00Z', ''],
  },
}
