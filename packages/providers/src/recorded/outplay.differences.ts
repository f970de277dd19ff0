import type { Differences } from './differences.testkit.ts'

export const differences: Differences = [
  {
    why: 'Labels of objects are words, such as `Call Analyses`. The recording makes them from the name of the object.',
    cases: ['metadata-prospectaccount-callanalysis'],
    leftOut: ['objects.prospectaccount.displayName', 'objects.callanalysis.displayName'],
  },
  {
    why: 'Labels of objects are words, such as `Call Analyses`. The recording makes them from the name of the object.',
    cases: ['metadata-prospectaccount'],
    leftOut: ['objects.prospectaccount.displayName'],
  },
]
