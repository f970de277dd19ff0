import type { Differences } from './differences.testkit.ts'

export const differences: Differences = {
  notRun: {
    'read-contacts-last-page-2': 'The replay does not read “any value”: phone-burner.test.ts shows the custom field.',
    'read-members-incremental-last-page': 'A member has a time of creation only: changes of older ones would be lost.',
    'read-voicemails-incremental-last-page': 'A voicemail has a time of creation only, in the time of California.',
  },
}
