import type { Differences } from './differences.testkit.ts'

const categories =
  'Without a parent, Housecall Pro lists the categories of the top level only: there is no list of all.'
const order = [
  '"sort_by":"updated_at","sort_direction":"desc"',
  '"sort_by":"created_at","sort_direction":"asc"',
] as const

export const differences: Differences = {
  notRun: {
    'webhookEvent-job-appointment-appointment-discarded': 'There is no object of appointments here.',
    'webhookEvent-employee-created': 'No list of the events of employees was found.',

    'webhookVerify-valid-with-prefix': 'A signature has no prefix here.',
    'read-price-book-material-categories-has-next': categories,
    'readByIds-jobs': 'The customer is a field of the job here, not an association.',
    'read-price-book-material-categories-following-page-last-page': categories,
  },
  // Full reads go by the time of creation: a record that changes meanwhile stays where it is.
  otherwise: {
    'read-customers-last-page': order,
    'read-customers-has-next': order,
    'read-jobs-last-page': order,
    'read-jobs-last-page-2': order,
    'read-estimates-last-page': order,
  },
}
