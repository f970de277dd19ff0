import type { Differences } from './differences.testkit.ts'

export const differences: Differences = [
  {
    why: 'LinkedIn refuses the recorded version. The file uses a supported one, `202607`.',
    cases: [
      'delete-adaccounts',
      'delete-posts',
      'metadata-adtargetingfacets-dmpengagementsourcetypes',
      'read-adtargetingfacets-last-page',
      'read-dmpengagementsourcetypes-last-page',
      'read-adaccounts-has-next',
      'create-adaccounts',
      'update-adaccounts',
      'create-posts',
      'update-posts',
    ],
    otherwise: ['"202504"', '"202607"'],
  },
  {
    why: 'Labels of objects are words, such as `Ad Targeting Facets`. The recording makes them from the name of the object.',
    cases: ['metadata-adtargetingfacets-dmpengagementsourcetypes'],
    leftOut: ['objects.adTargetingFacets.displayName', 'objects.dmpEngagementSourceTypes.displayName'],
  },
]
