import type { Differences } from './differences.testkit.ts'

const details = 'The values of estimates beyond the list come from a request per record, which a file cannot declare.'
const range = 'AccuLynx requires a range of dates for appointments, which a read of all records does not have.'

export const differences: Differences = {
  notRun: {
    'read-users-has-next': 'The next page is an offset here, which the replay does not compare: accu-lynx.test.ts.',
    'read-contacts-last-page-2': 'Values of custom fields come from a request per record: the field customFields.',
    'read-jobs-invoices-last-page': 'A page of two has two invoices here, the next one the third: accu-lynx.test.ts.',
    'read-calendars-appointments-last-page': range,
    'read-calendars-appointments-last-page-2': range,
    'read-calendars-appointments-last-page-3': range,
    'read-estimates-last-page': details,
    'read-estimates-last-page-3': details,
    'read-estimates-last-page-4': details,
    'readByIds-contacts': 'The recording has no fields, which the replay requires.',
    'readByIds-jobs-2': 'A missing job is left out here, too; the replay expects every id: accu-lynx.test.ts.',
    'readByIds-jobs-error': 'The error is the same here; the replay expects none: accu-lynx.test.ts.',
  },
  // Contacts of a job are always included.
  otherwise: {
    'read-jobs-last-page-2': ['"initialAppointment"', '"initialAppointment,contacts"'],
    'read-jobs-last-page-3': ['"initialAppointment"}', '"initialAppointment,contacts"}'],
  },
  secondsEarlier: { 'read-jobs-incremental-last-page': 86_400, 'read-jobs-history-incremental-last-page': 86_400 },
  // Their values are in the field customFields.
  leftOut: {
    'metadata-contacts-2': ['contacts.fields.customer_preference', 'contacts.fields.preferred_contact_method'],
    'metadata-jobs-2': ['jobs.fields.estimated_squares'],
  },
}
