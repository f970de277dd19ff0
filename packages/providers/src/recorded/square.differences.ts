import type { Differences } from './differences.testkit.ts'

export const differences: Differences = [
  {
    why: 'Without a record to sample, Mortise describes the object without fields. The object exists, so the description does not fail.',
    cases: ['metadata-customers-3'],
    expect: { objectErrors: {}, objects: { customers: { fields: {} } } },
  },
  {
    why: 'Square lists the payments of the main location by default. Mortise reads those of each location, by the time of their change.',
    cases: ['read-payments-incremental-has-next'],
    alsoRequested: [{ path: '/v2/locations', body: { locations: [{ id: 'L88917AVBK2S5' }] } }],
    otherwise: [
      '"begin_time":"2021-10-01T00:00:00Z","end_time"',
      '"updated_at_begin_time":"2021-10-01T00:00:00Z","updated_at_end_time"',
    ],
    secondsEarlier: 60,
  },
  {
    why: 'A page belongs to one location. The recorded page names none.',
    cases: ['read-payments-following-page-last-page'],
    alsoRequested: [{ path: '/v2/locations', body: { locations: [{ id: 'L88917AVBK2S5' }] } }],
  },
  {
    why: 'Only the search finds changed customers. The recorded list has no window.',
    cases: ['read-customers-incremental-last-page'],
    otherwise: ['"/v2/customers"', '"/v2/customers/search"'],
  },
  {
    why: 'Square lists the payouts of the main location by their creation. Mortise reads those of each location, and compares the time of their change.',
    cases: ['read-payouts-incremental-has-next'],
    alsoRequested: [{ path: '/v2/locations', body: { locations: [{ id: 'L88917AVBK2S5' }] } }],
    input: { until: '2022-04-01T00:00:00Z' },
    otherwise: [
      '"begin_time":"2022-03-01T00:00:00Z","end_time":"2022-03-31T00:00:00Z"',
      '"begin_time":"2009-01-01T00:00:00Z"',
    ],
  },
  {
    why: 'The recorded response repeats the cursor of its request. Mortise fails the read, because it would never end.',
    cases: ['read-cards-following-page-has-next', 'read-catalogitems-following-page-has-next'],
    expect: { error: { class: 'unexpected_response' } },
  },
]
