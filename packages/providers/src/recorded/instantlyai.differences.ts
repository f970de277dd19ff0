import type { Differences } from './differences.testkit.ts'

export const differences: Differences = {
  notRun: {
    'delete-custom-tags': 'The recording sends the body null, which a file cannot say: here, a deletion has no body.',
  },
  codes: ['Not Found'],
}
