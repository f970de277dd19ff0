import type { Differences } from './differences.testkit.ts'

export const differences: Differences = {
  // Labels in words.
  leftOut: {
    'metadata-adtargetingfacets-dmpengagementsourcetypes': [
      'adTargetingFacets.displayName',
      'dmpEngagementSourceTypes.displayName',
    ],
  },
}
