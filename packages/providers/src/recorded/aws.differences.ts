import type { Differences } from './differences.testkit.ts'

export const differences: Differences = [
  {
    why: 'Requests to AWS carry a signature (Signature Version 4) that a provider file cannot make. So the file describes no object.',
    cases: [
      'delete-users',
      'delete-trustedtokenissuers',
      'metadata-butterflies-static',
      'metadata-users-applications-helicopters-static',
      'read-groups-error',
      'read-groups-last-page',
      'read-instances-following-page-has-next',
      'create-trustedtokenissuers',
      'update-trustedtokenissuers',
      'create-users',
      'update-users',
    ],
    fails: true,
  },
]
