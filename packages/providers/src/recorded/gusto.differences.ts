import type { Differences } from './differences.testkit.ts'

export const differences: Differences = [
  {
    why: 'Gusto documents no list of companies. A token belongs to one company.',
    cases: ['read-companies-last-page'],
    fails: true,
  },
  {
    why: 'Mortise reads the jobs of employees from lists of 100 employees, and ends a page with the employee whose jobs fill it.',
    cases: ['read-jobs-has-next'],
    otherwise: ['"per":"2"', '"per":"100"'],
    expect: { rows: 2, nextPage: undefined },
  },
]
