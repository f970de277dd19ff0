import type { Differences } from './differences.testkit.ts'

export const differences: Differences = {
  notRun: {
    'metadata-contacts-enrich-contacts-company-rankings':
      'ZoomInfo enriches records that the caller names; it has no list of enriched contacts.',
    'read-audience-folders-incremental-last-page':
      'ZoomInfo filters folders by the time of their change, and the recording reads them whole.',
    'read-contacts-last-page-2': 'The response has a link to a next page, which is followed here.',
  },
}
