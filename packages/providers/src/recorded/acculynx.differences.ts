import type { Differences } from './differences.testkit.ts'

const deleted = 'An estimate that is not found by its id is left out here: accu-lynx.test.ts.'
const each = 'Here every estimate is requested, even if the list has the requested fields.'
const failed = 'If a request for one estimate fails, the read fails here.'
const range = 'AccuLynx requires a range of dates for appointments, which a read of all records does not have.'

const noWebhooks = 'No documentation of a signature was found, so nothing is subscribed to.'

export const differences: Differences = {
  notRun: {
    'subscribe-jobs': noWebhooks,
    'updateSubscription-jobs': noWebhooks,
    'unsubscribe-all': noWebhooks,
    'subscribe-jobs-error': noWebhooks,
    'subscribe-jobs-error-2': noWebhooks,
    'updateSubscription-jobs-error': noWebhooks,
    'unsubscribe-all-error': noWebhooks,
    'webhookEvent-job-milestone-current-changed': noWebhooks,
    'webhookEvent-job-milestone-status-current-changed': noWebhooks,
    'webhookEvent-job-financials-approved-value-changed': noWebhooks,
    'webhookEvent-job-category-changed': noWebhooks,
    'webhookEvent-job-work-type-changed': noWebhooks,
    'webhookEvent-job-trade-type-changed': noWebhooks,
    'webhookEvent-job-contacts-primary-changed': noWebhooks,
    'webhookEvent-job-representatives-company-assigned': noWebhooks,
    'webhookEvent-job-representatives-company-changed': noWebhooks,
    'webhookEvent-job-appointments-initial-created': noWebhooks,
    'webhookEvent-job-appointments-initial-updated': noWebhooks,
    'webhookEvent-job-invoice-updated': noWebhooks,
    'webhookEvent-job-invoice-voided': noWebhooks,
    'webhookEvent-job-custom-field-value-changed': noWebhooks,
    'webhookEvent-job-custom-field-status-changed': noWebhooks,
    'webhookEvent-contact-custom-field-value-changed': noWebhooks,
    'webhookEvent-contact-custom-field-status-changed': noWebhooks,
    'webhookEvent-job-accounting-integration-status-current-changed': noWebhooks,
    'webhookEvent-job-updated': noWebhooks,
    'webhookEvent-contact-changed': noWebhooks,
    'webhookEvent-job-created': noWebhooks,
    'webhookEvent-contact-added': noWebhooks,
    'webhookEvent-payload-contact-added': noWebhooks,
    'webhookEvent-payload-job-milestone-current-changed': noWebhooks,
    'webhookEvent-unknown-topic': noWebhooks,
    'read-contacts-last-page-2': 'Values of custom fields come from a request per record: the field customFields.',
    'read-jobs-invoices-last-page': 'A page of two has two invoices here, the next one the third: accu-lynx.test.ts.',
    'read-calendars-appointments-last-page': range,
    'read-calendars-appointments-last-page-2': range,
    'read-calendars-appointments-last-page-3': range,
    'read-estimates-last-page-2': each,
    'read-estimates-last-page-3': deleted,
    'read-estimates-last-page-4': failed,
    'read-estimates-last-page-5': each,
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
