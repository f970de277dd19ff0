import type { Differences } from './differences.testkit.ts'

const secondPage = 'The recorded answer names a second page (`next_page: 2`), which is read here.'

export const differences: Differences = {
  notRun: {
    'read-people-last-page': secondPage,
    'read-people-last-page-2': secondPage,
    'read-people-last-page-3': secondPage,
  },
}
