import type { Differences } from './differences.testkit.ts'

export const differences: Differences = [
  {
    why: 'A request of Zoom covers seven days of archived files. Mortise reads them in windows of seven days.',
    cases: ['read-archive-files-last-page'],
    expect: { done: false },
  },
  {
    why: 'Zoom documents times for archived files, not days.',
    cases: ['read-archive-files-incremental-has-next'],
    otherwise: ['"from":"2024-06-01"', '"from":"2024-06-01T00:00:00Z"'],
  },
  {
    why: 'The list may have an archive some time after its completion. So a window begins one hour earlier.',
    cases: ['read-archive-files-incremental-has-next'],
    secondsEarlier: 3_600,
  },
  {
    why: 'Zoom documents PATCH for this update.',
    cases: ['update-tracking-fields'],
    otherwise: ['"method":"PUT"', '"method":"PATCH"'],
  },
  {
    why: 'A request of Zoom covers a month at most. Mortise reads recordings in windows of 28 days.',
    cases: ['read-recordings-last-page'],
    expect: { done: false },
  },
  {
    why: 'A request of Zoom covers a month at most. Mortise reads recordings in windows of 28 days.',
    cases: ['read-recordings-incremental-has-next'],
    otherwise: ['"to":"2024-03-31"', '"to":"2024-01-28"'],
  },
  {
    why: 'A recording may appear one day after its meeting. So a window begins one day earlier, and misses no recording.',
    cases: ['read-recordings-incremental-has-next'],
    secondsEarlier: 86_400,
  },
]
