import type { Differences } from './differences.testkit.ts'

export const differences: Differences = {
  notRun: {
    'delete-campaigns': 'The OpenAPI document of GetResponse has no deletion of a campaign.',
    'read-contacts-incremental-last-page': 'Its window is the time of creation: it would leave out changes.',
    'read-contacts-last-page': 'A custom field has a list of values, and all of them are read here.',
  },
}
