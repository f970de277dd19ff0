import type { Differences } from './differences.testkit.ts'

export const differences: Differences = [
  {
    why: 'The file describes articles of the help center. The recording does not know them.',
    cases: ['metadata-articles-static'],
    expect: { objectErrors: {}, objects: { articles: { fields: { title: {} } } } },
  },
  {
    why: 'The recorded response has pages by offset. Zendesk documents pages by cursor for this request, so Mortise finds no next page.',
    cases: ['read-posts-has-next'],
    expect: { done: true, nextPage: null },
  },
  {
    why: 'Exports of Zendesk lack what changed in the last minute. So a window begins 90 seconds earlier, and misses no change.',
    cases: ['read-tickets-incremental-last-page'],
    secondsEarlier: 90,
  },
  {
    why: 'Mortise shows the sentences of the provider, which say what is wrong. It leaves out the code `RecordInvalid` next to them.',
    cases: ['create-brands-error-2', 'create-brands-error-3'],
    leftOut: ['error.messageContains.0'],
  },
]
