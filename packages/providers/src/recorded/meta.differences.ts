import type { Differences } from './differences.testkit.ts'

export const differences: Differences = {
  notRun: {
    'create-phone-numbers':
      'The recording has an example of a description; Meta documents the id alone. See meta.test.ts.',
  },
}
