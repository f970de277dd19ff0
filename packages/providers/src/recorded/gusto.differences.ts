import type { Differences } from './differences.testkit.ts'

export const differences: Differences = {
  notRun: {
    'read-companies-last-page': 'Gusto documents no list of companies: a token belongs to one.',
    'read-jobs-has-next':
      'A page ends here with the employee whose jobs fill it, and employees are listed 100 per page.',
  },
}
