import type { Differences } from './differences.testkit.ts'

export const differences: Differences = {
  unknownObjects: { butterflies: 'issues' },
  calledHere: { issue: 'issues' },
  withoutId: ['read-issues-error-5', 'read-issues-error-6'],
  // The key of an issue is its `key`, as in records.
  leftOut: { 'metadata-': ['issue.displayName', 'issue.fields.issuekey'] },
  notRun: {
    'postAuthentication-ok':
      'The site is the one of the workspace here, which the recording does not have: atlassian.test.ts.',
  },
}
