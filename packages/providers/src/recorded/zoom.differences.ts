import type { Differences } from './differences.testkit.ts'

export const differences: Differences = [
  {
    why: 'Zoom limits archived files and reports to short periods. No request lists every record, so Mortise does not read them.',
    cases: [
      'metadata-activities-report-devices-groups-static',
      'read-archive-files-has-next',
      'read-archive-files-last-page',
      'read-archive-files-incremental-has-next',
    ],
    fails: true,
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
