import type { Differences } from './differences.testkit.ts'

export const differences: Differences = {
  notRun: {
    'metadata-articles-static': 'The recording knows no articles. Here, they are read.',
    'read-posts-has-next':
      'The answer has pages by offset, which Zendesk documents without `page[size]` only: zendesk-support.test.ts.',
  },
  // Exports lack what changed in the last minute.
  secondsEarlier: { 'read-tickets-incremental-last-page': 90 },
  codes: ['RecordInvalid'],
}
