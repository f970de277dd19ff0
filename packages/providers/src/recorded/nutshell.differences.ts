import type { Differences } from './differences.testkit.ts'

export const differences: Differences = {
  notRun: {
    'read-accounts-incremental-has-next': 'The window is one of the time of creation, and would miss changes.',
    'read-events-incremental-has-next': 'The next page of the recording has newer events; older ones would be missed.',
    'read-accounts-following-page-last-page': 'The page is recorded as a URL with a space; here it is a number.',
    'update-accounts': 'The record of the recording is an operation of a JSON Patch, not the values of fields.',
  },
}
