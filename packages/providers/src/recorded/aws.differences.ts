import type { Differences } from './differences.testkit.ts'

export const differences: Differences = [
  {
    why: 'The source of the file has a placeholder, not a base URL, for AWS Identity Center. So the file describes no object.',
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
