import type { Differences } from './differences.testkit.ts'

export const differences: Differences = {
  // The recorded version is no longer supported.
  headers: { 'linkedin-version': ['202504', '202607'] },
  // Labels in words.
  leftOut: {
    'metadata-adtargetingfacets-dmpengagementsourcetypes': [
      'adTargetingFacets.displayName',
      'dmpEngagementSourceTypes.displayName',
    ],
  },
}
