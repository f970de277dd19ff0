import type { Differences } from './differences.testkit.ts'

const jobs = {
  why: 'Without a filter by iTwin, a list has only the jobs of the user. Mortise reads the jobs of each iTwin, and compares the time of their change.',
  alsoRequested: [{ path: '/itwins', body: { iTwins: [{ id: 'itwin-abc' }] } }],
} as const

export const differences: Differences = [
  {
    ...jobs,
    cases: ['read-contextcapture-jobs-incremental-last-page'],
    otherwise: [
      'createdDateTime ge 2024-06-01T00:00:00Z and createdDateTime le 2024-06-30T00:00:00Z',
      'iTwinId eq itwin-abc',
    ],
  },
  {
    ...jobs,
    cases: ['read-contextcapture-jobs-incremental-last-page-2'],
    otherwise: ['createdDateTime ge 2024-06-01T00:00:00Z', 'iTwinId eq itwin-abc'],
  },
]
