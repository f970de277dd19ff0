import type { Differences } from './differences.testkit.ts'

export const differences: Differences = [
  {
    why: 'Full reads go by the time of creation. A record that changes during the read keeps its position, and no page skips one.',
    cases: [
      'read-customers-last-page',
      'read-customers-has-next',
      'read-jobs-last-page',
      'read-jobs-last-page-2',
      'read-estimates-last-page',
    ],
    otherwise: ['"sort_by":"updated_at","sort_direction":"desc"', '"sort_by":"created_at","sort_direction":"asc"'],
  },
  {
    why: 'Mortise requests categories in pages of 200, level by level.',
    cases: ['read-price-book-material-categories-has-next'],
    otherwise: ['"page_size":"1"', '"page_size":"200"'],
    expect: { nextPage: undefined },
  },
  {
    why: 'After a level of categories, Mortise reads the level below it.',
    cases: ['read-price-book-material-categories-following-page-last-page'],
    expect: { done: false },
  },
  {
    why: 'The customer is the field `customer` of a job, as Housecall Pro returns it.',
    cases: ['readByIds-jobs'],
    input: { associatedObjects: ['customer'] },
    expect: { records: [{ associations: { customer: [{ id: 'cus_b0f661aa89324111b575da039c45e19f' }] } }] },
  },
  {
    why: 'The signature of Housecall Pro has no prefix. Mortise rejects one with a prefix.',
    cases: ['webhookVerify-valid-with-prefix'],
    expect: { valid: false },
  },
  {
    why: 'Housecall Pro lists no appointments, so the file has no object for them. The event has no id of a record.',
    cases: ['webhookEvent-job-appointment-appointment-discarded'],
    leftOut: ['events.0.recordId'],
  },
  {
    why: 'No list of the events of employees was found, so the file describes none. The event has no id of a record.',
    cases: ['webhookEvent-employee-created'],
    leftOut: ['events.0.recordId'],
  },
]
