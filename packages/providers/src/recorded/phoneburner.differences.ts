import type { Differences } from './differences.testkit.ts'

const form = 'The replay does not compare forms: phone-burner.test.ts shows what is sent.'

export const differences: Differences = {
  notRun: {
    'read-contacts-last-page-2': 'The replay does not read “any value”: phone-burner.test.ts shows the custom field.',
    'read-members-incremental-last-page': 'A member has a time of creation only: changes of older ones would be lost.',
    'read-voicemails-incremental-last-page': 'A voicemail has a time of creation only, in the time of California.',
    'create-contacts': form,
    'create-contacts-error': form,
    'update-contacts': form,
    'update-members': form,
  },
}
