import type { Differences } from './differences.testkit.ts'

const search = 'A search of Blackbaud CRM has no pages, so that it can leave records out: volunteers are only written.'

export const differences: Differences = {
  notRun: {
    'metadata-crm-adnmg-currencies-crm-volmg-volunteers': search,
    'read-crm-volmg-volunteers-last-page': search,
  },
}
