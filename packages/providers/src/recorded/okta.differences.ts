import type { Differences } from './differences.testkit.ts'

export const differences: Differences = {
  notRun: {
    'metadata-logs-static':
      'The System Log lists seven days unless a request names an older time, which may not be too old: no request lists all of it.',
  },
}
