import type { Differences } from './differences.testkit.ts'

const summary = 'A list has no summaries: they come with a single note.'

export const differences: Differences = {
  notRun: { 'read-notes-has-next-2': summary, 'read-notes-has-next-3': summary },
  declaredFields: ['metadata-notes-2', 'metadata-notes-3', 'metadata-notes-4'],
  // The provider lists what changed after that second.
  secondsEarlier: { 'read-notes-incremental-has-next': 1 },
  otherwise: {
    // Granola documents no end of a window.
    'read-notes-incremental-has-next': [',"updated_before":"2026-01-31T23:59:59Z"', ''],
    // A page of notes has the requested size, with transcripts, too.
    'read-notes-has-next-5': ['"page_size":"4"', '"page_size":"30"'],
  },
}
