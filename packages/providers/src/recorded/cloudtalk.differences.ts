import type { Differences } from './differences.testkit.ts'

const window = '"date_from":"2023-11-14 00:00:00","date_to":"2023-11-15 00:00:00"'

export const differences: Differences = {
  notRun: {
    'create-contacts': 'CloudTalk documents the id of a new record in `data`, as in the case create-contacts-2.',
    'create-tags': 'CloudTalk documents the id of a new record in `data`, as in the case create-contacts-2.',
  },
  otherwise: {
    // The zone of the filter is not documented: the window begins a day earlier, and has no end.
    'read-calls-incremental-last-page': [window, '"date_from":"2023-11-13 00:00:00"'],
    // CloudTalk documents no such filter for activities.
    'read-activity-incremental-last-page': [window, ''],
  },
}
