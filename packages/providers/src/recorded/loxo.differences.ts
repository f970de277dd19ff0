import type { Differences } from './differences.testkit.ts'

export const differences: Differences = {
  notRun: { 'read-countries-has-next': 'The recorded response to page 1 says that it is page 100.' },
}
