import type { Differences } from './differences.testkit.ts'

export const differences: Differences = [
  {
    why: 'Google documents at most 250 calendars on a page.',
    cases: ['read-calendarlist-last-page'],
    otherwise: ['"3000"', '"250"'],
  },
  {
    why: 'Google refuses an `updatedMin` that is too long ago. Mortise then reads all events.',
    cases: ['read-events-incremental-has-next'],
    otherwise: ['"query":{"updatedMin":"2024-09-19T12:30:45.000Z"}', '"queryAbsent":["updatedMin"]'],
  },
  {
    why: '`events` are those of the primary calendar, and `calendarEvents` those of all calendars. An event of two calendars is a record of each.',
    cases: ['read-events-last-page-3'],
    names: { events: 'calendarEvents' },
    expect: { rows: 4 },
    leftOut: ['records.2'],
  },
  {
    why: 'Mortise reads a recurring event as one record, as Google lists it. The recording expands it within a period.',
    cases: ['read-events-last-page-4'],
    fails: true,
  },
  {
    why: 'The list of messages has only ids. Mortise reads whole messages by threads, with fewer requests.',
    cases: ['read-messages-incremental-has-next', 'read-messages-following-page-incremental-last-page'],
    fails: true,
  },
  {
    why: 'Mortise requests each draft by its id. The recording requests its message.',
    cases: ['read-drafts-last-page'],
    fails: true,
  },
  {
    why: 'The id of a contact or group is its resource name, such as `people/c7`, as in reads.',
    cases: ['create-contactgroups', 'update-contactgroups', 'create-myconnections'],
    leftOut: ['recordId'],
  },
  {
    why: 'Google refuses an update without the sources of the contact. Mortise reads them first.',
    cases: ['update-myconnections'],
    input: { data: { names: 'value' } },
    alsoRequested: [
      { path: '/v1/people/c2600607527630254940', body: { metadata: { sources: [{ type: 'CONTACT', etag: 'e1' }] } } },
    ],
    leftOut: ['recordId'],
    otherwise: ['"etag":"value2"', '"metadata":{"sources":[{"type":"CONTACT","etag":"e1"}]}'],
  },
]
