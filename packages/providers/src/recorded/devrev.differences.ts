import type { Differences } from './differences.testkit.ts'

// In ascending order, a record that changes during the read is read again, where the descending order would skip it.
const ascending = ['modified_date:desc', 'modified_date:asc'] as const

export const differences: Differences = {
  notRun: { 'create-auth-tokens': 'A token is a credential: it is not written as a record.' },
  otherwise: {
    'read-accounts-last-page': ascending,
    'read-accounts-has-next': ascending,
    'read-accounts-has-next-2': ascending,
    'read-accounts-incremental-has-next': ascending,
    'read-accounts-last-page-2': ascending,
  },
}
