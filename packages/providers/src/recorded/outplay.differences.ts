import type { Differences } from './differences.testkit.ts'

export const differences: Differences = {
  // Labels in words.
  leftOut: {
    'metadata-prospectaccount-callanalysis': ['prospectaccount.displayName', 'callanalysis.displayName'],
    'metadata-prospectaccount': ['prospectaccount.displayName'],
  },
}
