import type { Differences } from './differences.testkit.ts'

export const differences: Differences = {
  notRun: {
    'metadata-company-config-user':
      'Fields of linked records have the names that queries return (`contact.id`): sage-intacct.test.ts shows them.',
  },
}
