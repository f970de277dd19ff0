import type { Differences } from './differences.testkit.ts'

const oneCalendar = 'Here `events` are those of the primary calendar; `calendarEvents` reads all calendars.'
const resourceNames = 'Here a contact or group is identified by its resource name, such as `people/c7`.'
const byThreads = 'The list of messages has only ids, so whole messages are read here by threads.'

export const differences: Differences = {
  notRun: {
    'read-events-last-page-3': oneCalendar,
    'read-events-last-page-4':
      'Here a recurring event is one record, as Google lists it; the recording expands it within a period.',
    'read-messages-incremental-has-next': byThreads,
    'read-messages-following-page-incremental-last-page': byThreads,
    'read-drafts-last-page': 'Here each draft is requested by its own id; the recording requests its message.',
    'create-contactgroups': resourceNames,
    'update-contactgroups': resourceNames,
    'create-myconnections': resourceNames,
    'update-myconnections': 'A file cannot list the names of the fields of a record in `updatePersonFields`.',
  },
  otherwise: {
    // A page has 250 calendars at most.
    'read-calendarlist-last-page': ['"3000"', '"250"'],
    // Google refuses an `updatedMin` that is too long ago.
    'read-events-incremental-has-next': [
      '"query":{"updatedMin":"2024-09-19T12:30:45.000Z"}',
      '"queryAbsent":["updatedMin"]',
    ],
  },
}
