import type { Differences } from './differences.testkit.ts'

export const differences: Differences = [
  {
    why: 'The file declares the fields of this object. Mortise describes it without a request for a sample.',
    cases: ['metadata-notes-2', 'metadata-notes-3', 'metadata-notes-4'],
    expect: { objectErrors: {}, objects: { notes: { fields: { title: {} } } } },
  },
  {
    why: 'Granola lists what changed after the given second. So Mortise begins one second earlier, and misses no change.',
    cases: ['read-notes-incremental-has-next'],
    secondsEarlier: 1,
  },
  {
    why: 'Granola documents no end of a window. Mortise leaves out later records itself.',
    cases: ['read-notes-incremental-has-next'],
    otherwise: [',"updated_before":"2026-01-31T23:59:59Z"', ''],
  },
  {
    why: 'A page of notes has the requested size, also if Mortise requests each note. The recording makes the page smaller.',
    cases: ['read-notes-has-next-2', 'read-notes-has-next-5'],
    otherwise: ['"page_size":"4"', '"page_size":"30"'],
  },
  {
    why: 'A page of notes has the requested size, also if Mortise requests each note. The recording makes the page smaller.',
    cases: ['read-notes-has-next-3'],
    otherwise: ['"page_size":"4"', '"page_size":"10"'],
  },
]
