import type { Differences } from './differences.testkit.ts'

export const differences: Differences = {
  notRun: {
    'read-events-following-page-has-next': 'The recording continues with a URL, and a page number here counts on.',
  },
}
